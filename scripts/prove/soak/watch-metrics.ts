import { setTimeout as delay } from 'node:timers/promises';

const megabyte = 1_000_000;

/** Reads the metrics of the service for some milliseconds. Returns its memory in megabytes, and how much waits in its queues. */
export async function watchMetrics(origin: string, authorization: string, part: number) {
  const pages: string[] = [];
  for (const end = performance.now() + part; performance.now() < end;) {
    await delay(Math.min(2_000, part / 10));
    pages.push(await (await fetch(`${origin}/metrics`, { headers: { authorization } })).text());
  }
  const valuesOf = (name: string): readonly number[] => pages.map((page) => metricIn(page, name));
  return {
    resident: Math.max(...valuesOf('process_resident_memory_bytes')) / megabyte,
    heap: Math.min(...valuesOf('nodejs_heap_size_used_bytes')) / megabyte,
    queued: Math.min(...valuesOf('mangrove_queue_waiting')),
  };
}

/** Returns the sum of a metric over its labels. */
const metricIn = (page: string, name: string): number =>
  [...page.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce((sum, [, value]) => sum + Number(value), 0);
