import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late an event loop was, in milliseconds. */
export interface LoopDelays {
  readonly p99: number;
  readonly max: number;
  /** The most processor time that the thread took from one look at the clock to the next, 0 if the system does not report it. */
  readonly maxWork: number;
}

const resolution = 5;

/** Watches the event loop of this thread; the function that it returns reads the delays since it was last called. */
export function watchLoop(): () => LoopDelays {
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  const readWork = watchWork();
  return () => {
    const read = (nanoseconds: number): number => Math.max(nanoseconds / 1e6 - resolution, 0);
    const result = { p99: read(delays.percentile(99)), max: read(delays.max), maxWork: readWork() };
    delays.reset();
    return result;
  };
}

/** On a busy machine a delay can mean that the thread waited for a processor. */
function watchWork(): () => number {
  let [last, most] = [readProcessorTime(), 0];
  setInterval(() => {
    const now = readProcessorTime();
    most = Math.max(most, now - last);
    last = now;
  }, resolution);
  return () => {
    const result = most;
    most = 0;
    return result;
  };
}

/** CPU time of the main thread in milliseconds; 0 if the system does not report it. */
function readProcessorTime(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${String(process.pid)}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}
