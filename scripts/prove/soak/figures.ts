/** What is measured of the service in a part of the run. */
export interface Sample {
  /** Minutes since the start. */
  readonly minute: number;
  /** Megabytes: what the process holds, and the least that was in use in this part, which is near what is alive. */
  readonly resident: number;
  readonly heap: number;
  /** Work that waits: requests and scans in queues, and deliveries of webhooks. */
  readonly waiting: number;
  readonly requests: number;
  readonly p99: number;
}

/** What the memory may grow after the first tenth: a part, and megabytes besides. */
const growth = { part: 1.1, megabytes: 10 };

/** The part by which the time of requests may grow, and the deliveries that may wait. The machine may have other work. */
const slower = 1.5;
const mostWaiting = 50;

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** Returns the medians of the second tenth of a run, and of the last one. */
function ends(samples: readonly Sample[], value: (sample: Sample) => number): readonly [number, number] {
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  const of = (part: readonly Sample[]): number => median(part.map(value));
  return [of(samples.slice(tenth, 2 * tenth)), of(samples.slice(-tenth))];
}

/** Returns what is wrong with a run: memory or times that grow, or work that is left waiting. */
export function judge(samples: readonly Sample[]): readonly string[] {
  const grown = (['heap', 'resident'] as const).flatMap((name) => {
    const [first, last] = ends(samples, (sample) => sample[name]);
    const most = first * growth.part + growth.megabytes;
    return last > most ? [`${name} grew from ${first.toFixed(0)} to ${last.toFixed(0)} MB`] : [];
  });
  const [before, after] = ends(samples, ({ p99 }) => p99);
  const [, waiting] = ends(samples, (sample) => sample.waiting);
  return [
    ...grown,
    ...(after > before * slower ? [`the p99 of requests grew from ${before.toFixed(0)} to ${after.toFixed(0)} ms`] : []),
    ...(waiting > mostWaiting ? [`${waiting.toFixed(0)} pieces of work wait in the end`] : []),
  ];
}

export const print = ({ minute, resident, heap, waiting, requests, p99 }: Sample): void => {
  console.log(
    `${minute.toFixed(1).padStart(6)} min ${resident.toFixed(0).padStart(5)} MB resident ${heap.toFixed(0).padStart(5)} MB heap ` +
      `${String(waiting).padStart(4)} waiting ${String(requests).padStart(6)} requests, p99 ${p99.toFixed(0).padStart(4)} ms`,
  );
};
