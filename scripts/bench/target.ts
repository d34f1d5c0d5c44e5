import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { nodeOptions } from '../compile-targets.js';
import type { Report, Usage } from './report-to-parent.js';

/** A process under measurement. */
export interface Target {
  readonly url: string;
  readUsage(): Promise<Usage>;
  /** Throws an Error if the process has ended. */
  ensureRunning(): void;
  /** Stops the process where it stands, so that its timers and change streams cost nothing while the other is measured. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** A compiled program of this folder. */
export type TargetProgram = 'product' | 'hot-product' | 'baseline' | `peers/${string}/server`;

/** Starts a compiled program of this folder in a checkout with arguments, in production mode. */
export async function startTarget(root: string, program: TargetProgram, options: readonly string[]): Promise<Target> {
  const child = fork(path.join(root, 'dist/scripts/bench', `${program}.js`), options, {
    env: { ...process.env, NODE_ENV: 'production' },
    execArgv: program.startsWith('peers/') ? [] : [...nodeOptions],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const ensureRunning = (): void => {
    if (hasEnded()) throw endOf(child);
  };
  const { url } = await nextReport(child, 'ready');
  return {
    url,
    ensureRunning,
    readUsage: () => {
      ensureRunning();
      child.send('usage');
      return nextReport(child, 'usage');
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    stop: async () => {
      process.off('exit', kill);
      if (hasEnded()) return;
      const closed = once(child, 'close');
      kill();
      await closed;
    },
  };
}

/** What the measured process has written to the standard error says why. */
const endOf = ({ spawnargs, exitCode, signalCode }: ChildProcess): Error =>
  new Error(`${spawnargs.find((argument) => argument.endsWith('.js')) ?? 'a target'} ended (${String(exitCode ?? signalCode)})`);

/** The next message of that kind; an error when the process ends before. */
function nextReport<K extends Report['kind']>(child: ChildProcess, kind: K): Promise<Extract<Report, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      reject(endOf(child));
    };
    child.once('exit', fail);
    child.once('message', (report: Report) => {
      child.off('exit', fail);
      if (report.kind !== kind) reject(new Error(`${report.kind} instead of ${kind}`));
      // Narrowed by the line above, which the compiler does not follow through a type parameter.
      else resolve(report as Extract<Report, { kind: K }>);
    });
  });
}
