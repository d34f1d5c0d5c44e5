import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pickPort } from '../../../src/operate/embedded/open-data.js';

/** A process of the service. */
export interface Instance {
  readonly port: number;
  /** Resolves when it is ready for requests. */
  readonly start: () => Promise<void>;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Resolves when the process has ended, with its exit code. */
  readonly ended: () => Promise<number | null>;
  readonly stop: () => Promise<void>;
}

const program = resolve(import.meta.dirname, '../../../src/main.ts');

/**
 * Prepares a process of the service as it runs in production, on any free port. `settings`: variables besides; `files`: files of JSON in
 * its folder.
 */
export async function createInstance(
  uri: string,
  settings: Readonly<Record<string, string>>,
  files: Readonly<Record<string, object>> = {},
): Promise<Instance> {
  const port = await pickPort(0);
  const cwd = await mkdtemp(join(tmpdir(), 'mangrove-instance-'));
  await mkdir(join(cwd, 'config'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), JSON.stringify(content));
  const env = {
    ...process.env,
    ...settings,
    NODE_ENV: 'production',
    MONGODB_URI: uri,
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'error',
    MANGROVE_OPEN: 'true',
    JWT_SECRET: 'the-jwt-secret-of-the-test-of-faults',
    API_TOKEN_SALT: 'the-token-salt-of-the-test-of-faults',
    ADMIN_TOKEN: 'the-admin-token-of-the-test-of-faults',
    SHUTDOWN_DELAY: '2000',
  };
  let child: ChildProcess | null = null;
  const ended = async (): Promise<number | null> => {
    if (child !== null && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child?.exitCode ?? null;
  };
  return {
    port,
    start: async () => {
      child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), program], {
        cwd,
        env,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      while (!(await isReady(port))) await delay(50);
    },
    signal: (name) => child?.kill(name),
    ended,
    stop: async () => {
      child?.kill('SIGCONT');
      child?.kill('SIGKILL');
      await ended();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${String(port)}/_health/ready`, { signal: AbortSignal.timeout(2000) })).status === 200;
  } catch {
    return false;
  }
}
