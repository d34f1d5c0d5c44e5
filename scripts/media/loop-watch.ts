import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How late an event loop was, in milliseconds. */
export interface LoopDelays {
  readonly p99: number;
  readonly max: number;
  /** The longest delay less the time for which the thread waited for a processor; the delay itself where the system does not tell. */
  readonly maxOwn: number;
}

const resolution = 5;

/** Watches the event loop of this thread; the function that it gives reads the delays since it was last called. */
export function watchLoop(): () => LoopDelays {
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  const own = watchOwn();
  return () => {
    const read = (nanoseconds: number): number => Math.max(nanoseconds / 1e6 - resolution, 0);
    const result = { p99: read(delays.percentile(99)), max: read(delays.max), maxOwn: own() };
    delays.reset();
    return result;
  };
}

/** The same by a timer that takes off what the thread waited in vain. */
function watchOwn(): () => number {
  let [last, waited] = [performance.now(), readWait()];
  let most = 0;
  setInterval(() => {
    const [now, wait] = [performance.now(), readWait()];
    most = Math.max(most, now - last - resolution - (wait - waited));
    [last, waited] = [now, wait];
  }, resolution);
  return () => {
    const result = most;
    most = 0;
    return result;
  };
}

/** Milliseconds that the main thread was ready to run and had no processor; 0 where the system does not tell. */
function readWait(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${String(process.pid)}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
