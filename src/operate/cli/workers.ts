import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '#settings/config.js';
import type { EmbeddedDatabase } from '../embedded/start-embedded.js';
import { print, printError } from './print.js';

/** The environment variable that describes the embedded database of the first process to workers. */
const inherited = 'MANGROVE_EMBEDDED_SERVER';

/** Milliseconds before a worker that has ended is replaced, so that a worker that always fails does not keep the machine busy. */
const pause = 500;

/** Returns the number of processes: the setting, or the number of cores. */
export const countWorkers = ({ server: { workers } }: Config): number =>
  workers === 'auto' ? availableParallelism() : Number(workers);

/**
 * Returns the embedded database that the first process passed to this worker; null if there is none. Stopping it does nothing,
 * because the first process does that.
 */
export function inheritedDatabase(): EmbeddedDatabase | null {
  const written = process.env[inherited];
  if (written === undefined) return null;
  const described = JSON.parse(written) as Omit<EmbeddedDatabase, 'stop'>; // written by this program
  return { ...described, stop: () => Promise.resolve() };
}

/** Returns whether this process announces the start of the service: the only process, or the first worker. */
export const announcesStart = (): boolean => cluster.worker === undefined || cluster.worker.id === 1;

/** Tells the first process that this worker has started. */
export function reportReady(): void {
  if (cluster.isWorker) process.send?.('ready');
}

interface WorkersInput {
  readonly count: number;
  readonly embedded: EmbeddedDatabase | null;
}

/**
 * Runs the service in several processes that share the port, until a signal stops it. The first worker prepares the database
 * before the others start. A worker that ends is replaced. Ends this process if the first worker cannot start; that worker has
 * printed the reason.
 */
export async function superviseWorkers({ count, embedded }: WorkersInput): Promise<void> {
  const env = embedded === null ? {} : { [inherited]: JSON.stringify(embedded) };
  let isStopping = false;
  const fork = (): Worker => cluster.fork(env);
  stopOnSignal(async () => {
    isStopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map(endWorker)); // after their current requests
    await embedded?.stop();
  });
  if (!(await serves(fork()))) {
    await embedded?.stop();
    process.exit(1);
  }
  cluster.on('exit', (worker, code, signal) => {
    if (isStopping) return;
    printError(`worker ${String(worker.process.pid)} has ended (${signal ?? String(code)}) and is replaced`);
    void delay(pause).then(() => isStopping || fork());
  });
  const others = Array.from({ length: count - 1 }, () => serves(fork()));
  if ((await Promise.all(others)).every((isServing) => isServing)) print(`${String(count)} processes serve`);
}

/** Resolves to whether a worker has started. */
const serves = (worker: Worker): Promise<boolean> =>
  Promise.race([once(worker, 'message').then(() => true), once(worker, 'exit').then(() => false)]);

/** Runs work on the first SIGTERM or SIGINT, and then ends this process. */
export function stopOnSignal(work: (signal: NodeJS.Signals) => Promise<void>): void {
  let isStopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    await work(signal);
    process.exit();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
}

const endWorker = async (worker: Worker): Promise<void> => {
  const ended = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  await ended;
};
