import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { endWithOwner } from './end-with-owner.js';
import { explainFailure, type Failure } from './explain-failure.js';

/** A mongod that listens. */
export interface RunningMongod {
  readonly kind: 'running';
  readonly pid: number;
  /** Settles when it may be written to; needs a replica set that names its address. */
  readonly primary: Promise<void>;
  /** Settles when it has ended, with the reason in words. */
  readonly ended: Promise<string>;
  /** Ends it cleanly, by force after ten seconds. */
  readonly stop: () => Promise<void>;
}

/** Starts a mongod and waits until it listens. It ends with this process, however that ends; Ctrl-C does not reach it. */
export const launchMongod = async (program: string, args: readonly string[]): Promise<RunningMongod | Failure> => {
  const child = spawn(program, args, {
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A locale that is set but not installed keeps mongod from starting.
    env: { ...process.env, LC_ALL: 'C' },
  });
  const output = createInterface({ input: child.stdout });
  const primary = lineWith(output, 'Transition to primary complete');
  const failure = failureOf(child, output);
  const started = await Promise.race([lineWith(output, 'Waiting for connections'), failure]);
  if (started !== undefined) return started;
  // It listens, so it has a pid.
  const pid = child.pid as number;
  const release = endWithOwner(pid);
  const ended = failure.then(({ reason }) => (release(), reason));
  return { kind: 'running', pid, primary, ended, stop: () => stop(child, ended) };
};

const lineWith = (output: Interface, text: string): Promise<void> =>
  new Promise((resolve) => {
    const read = (line: string): void => {
      if (!line.includes(text)) return;
      output.off('line', read);
      resolve();
    };
    output.on('line', read);
  });

/** Settles when the process has ended or could not be started, with what its last complaints make of it. */
const failureOf = async (child: ChildProcess & { readonly stderr: Readable }, output: Interface): Promise<Failure> => {
  const complaints: string[] = [];
  const keep = (line: string): void => {
    if (!/"s":"[IWD]/.test(line) && complaints.length < 20) complaints.push(line);
  };
  output.on('line', keep);
  createInterface({ input: child.stderr }).on('line', keep);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return explainFailure(complaints, signal ?? `exit code ${String(code)}`);
  } catch (error) {
    // The program could not be started at all.
    return { kind: 'failed', reason: (error as Error).message };
  }
};

const stop = async (child: ChildProcess, ended: Promise<unknown>): Promise<void> => {
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(force);
};
