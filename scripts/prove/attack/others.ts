import { setTimeout as delay } from 'node:timers/promises';

/** Results of the requests of another client during an attack. */
export interface Watched {
  /** The longest time of a harmless request in milliseconds. */
  readonly longestWait: number;
  /** Harmless requests that were sent: each reads one document, with two commands at most. */
  readonly requests: number;
  /** The number of requests not answered by 200. */
  readonly failed: number;
}

/** Asks the process to send harmless requests to an address, or to stop and report. */
export type WatchOrder = { readonly url: string } | 'stop';

let watching = false;

/** A separate process that sends harmless requests one after the other, so that the attacker's work does not delay it. */
process.on('message', (order: WatchOrder) => {
  if (order === 'stop') watching = false;
  else void watch(order.url);
});
process.on('disconnect', () => process.exit());

/** Reports its first answer, and the results at the end. */
async function watch(url: string): Promise<void> {
  watching = true;
  const watched = { longestWait: 0, requests: 0, failed: 0 };
  do {
    const began = performance.now();
    if (!(await isAnswered(url))) watched.failed += 1;
    watched.longestWait = Math.max(watched.longestWait, performance.now() - began);
    watched.requests += 1;
    if (watched.requests === 1) process.send?.('watching');
    await delay(20);
  } while (watching);
  process.send?.(watched satisfies Watched);
}

/** Sends a harmless request. A failed one counts as not answered. */
async function isAnswered(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/tags?pagination[pageSize]=1`, { signal: AbortSignal.timeout(60_000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    await delay(1_000);
    return false;
  }
}
