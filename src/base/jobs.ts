import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { endedBy, waited } from './limits/timers.js';
import type { TraceLink } from './observe/trace-link.js';
import type { Observer } from './observe/observer.js';

/** Work in the background. A run never overlaps with another run of the same job on this instance. */
type Job = JobWork & Schedule;

interface JobWork {
  /** A name for observations. It is also the name of the lease. */
  readonly name: string;
  /**
   * Whether only one instance of the service at a time runs the job, and each `at` is run once by all of them. The lease is in the
   * database, so that a run sends two commands more.
   */
  readonly lease?: boolean;
  /** Whether a run lasts as long as the service, or as this instance holds the lease. */
  readonly isEndless?: true;
  /** What the log says if a run has failed; null if the run reports its failures itself. */
  readonly failure?: string | null;
  /** Milliseconds until the next run after one that has failed; `every` by default. */
  readonly retry?: number;
  /**
   * Does the work. A returned number is the milliseconds until the next run, instead of the schedule. `signal` aborts when the job is
   * stopped or has lost its lease; `time` is that of the schedule.
   */
  readonly run: (signal: AbortSignal, time: Date) => Promise<void> | Promise<number>;
}

type Schedule =
  /** Milliseconds between the end of a run and the next one. The first run is at once if `isEager`, otherwise after that time. */
  | { readonly every: number; readonly isEager?: boolean }
  /** Returns the time of the next run, which is later than the given one; null if there is none. */
  | { readonly at: (after: Date) => Date | null };

/** When a leased run is due: at a time, or if the last one began at least some milliseconds ago. */
export type Due = Date | number;

/** Leases of names, each of which one instance may hold at a time. */
export interface Leases {
  /**
   * Runs work while this instance holds the lease. Returns false, without running it, if another instance holds the lease or has run
   * the work that is due. The signal aborts if the lease is lost.
   */
  hold(name: string, due: Due, work: (lost: AbortSignal) => Promise<void>): Promise<boolean>;
}

/** Milliseconds for which `close` waits for runs that do not end. */
const longestClose = 10_000;

/** Maximum number of milliseconds of one wait. Longer waits look at the clock again, which may have been set. */
const longestWait = 60_000;

/** The background work of the service. */
export class Jobs {
  readonly observer: Observer;
  readonly #leases: Leases;
  readonly #started = new Set<() => Promise<void>>();
  /** Runs jobs outside of the request that has started them. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(observer: Observer, leases: Leases) {
    this.observer = observer;
    this.#leases = leases;
  }

  /** Starts a job. Returns a function that stops it, and resolves when its run has ended. */
  start(job: Job): () => Promise<void> {
    const stopped = new AbortController();
    const ended = this.#outside(() => this.#repeat(job, stopped.signal)).finally(() => this.#started.delete(stop));
    const stop = (): Promise<void> => {
      stopped.abort();
      return ended;
    };
    this.#started.add(stop);
    return stop;
  }

  /** Stops all jobs. Waits for their runs, but not forever. */
  async close(): Promise<void> {
    const ended = Promise.all([...this.#started].map((stop) => stop()));
    await Promise.race([ended, delay(longestClose, undefined, { ref: false })]);
  }

  async #repeat(job: Job, stopped: AbortSignal): Promise<void> {
    let wait: number | undefined = 'every' in job && job.isEager ? 0 : undefined;
    for (let last = new Date(0); ;) {
      const time = await nextTime(job, { last, wait, stopped });
      if (time === null) return;
      wait = await this.#run(job, time, stopped);
      last = time;
    }
  }

  /** Runs a job once. Returns the milliseconds until the next run; undefined if the schedule says when. */
  async #run(job: Job, time: Date, stopped: AbortSignal): Promise<number | undefined> {
    const begun = performance.now();
    const link: TraceLink = {};
    const ended = (err: unknown): void => {
      if (stopped.aborted || !this.observer.hasConsumer('job ended')) return;
      const { name, failure = `the job "${name}" has failed` } = job;
      this.observer.observe({ kind: 'job ended', job: name, link, ms: performance.now() - begun, err, failure });
    };
    try {
      let wait: number | undefined;
      const work = async (signal: AbortSignal): Promise<void> => {
        if (job.isEndless !== true) this.observer.observe({ kind: 'job begun', job: job.name, link });
        const run = () => job.run(signal, time);
        const result: unknown = await (link.around === undefined ? run() : link.around<unknown>(run));
        wait = typeof result === 'number' ? result : undefined;
      };
      if (job.lease !== true) await work(stopped);
      else if (!(await this.#leases.hold(job.name, dueOf(job, time), (lost) => untilEither([stopped, lost], work)))) return;
      ended(null);
      return wait;
    } catch (err) {
      ended(err);
      return job.retry;
    }
  }
}

/** Runs work with a signal that aborts when one of two does. AbortSignal.any would keep memory of each run in a long-lived signal. */
function untilEither(signals: readonly AbortSignal[], work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const either = new AbortController();
  // a job may be stopped while its lease is taken
  return endedBy(
    signals,
    () => either.abort(),
    () => work(either.signal),
  );
}

const dueOf = (job: Job, time: Date): Due => ('every' in job ? job.every : time);

interface Waiting {
  readonly last: Date;
  readonly wait: number | undefined;
  readonly stopped: AbortSignal;
}

/** Waits for the next run, and returns its time; null if there is none, or the job is stopped. */
async function nextTime(job: Job, { last, wait, stopped }: Waiting): Promise<Date | null> {
  const now = new Date();
  const milliseconds = wait ?? ('every' in job ? job.every : null);
  if (milliseconds !== null) return (await waited(milliseconds, stopped, { ref: false })) ? new Date() : null;
  const time = 'at' in job ? job.at(last > now ? last : now) : null;
  if (time === null) return null;
  for (let left = time.getTime() - now.getTime(); left > 0; left = time.getTime() - Date.now())
    if (!(await waited(Math.min(left, longestWait), stopped, { ref: false }))) return null;
  return stopped.aborted ? null : time;
}
