import { Agent } from 'node:http';
import { ask } from './ask.js';

/** What requests at a fixed rate came to. */
export interface SteadyFigures {
  readonly sent: number;
  /** Requests that were sent in a second, on average. */
  readonly rate: number;
  /** Requests that failed, by status; 0: without an answer. */
  readonly failed: ReadonlyMap<number, number>;
  /** The longest time of a request, from when it was due, in milliseconds. */
  readonly longest: number;
}

/** The name of all owners that these requests create; they own nothing. */
export const steadyName = 'steady';

/** Every tenth request writes, so that a write is under way at any moment. */
const isWrite = (index: number): boolean => index % 10 === 0;

/**
 * Sends requests at a fixed rate, without waiting for answers, until the returned function is called. It resolves when all are
 * answered. A request that is sent late counts from when it was due.
 */
export function sendSteadily(url: string, perSecond: number): () => Promise<SteadyFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const write = { url: `${url}/api/owners`, method: 'POST', body: JSON.stringify({ data: { name: steadyName } }) };
  const read = { url: `${url}/api/items?populate=owner&pagination[pageSize]=5&pagination[withCount]=false`, method: 'GET' };
  const failed = new Map<number, number>();
  const begun = performance.now();
  const waiting = new Set<Promise<void>>();
  let [sent, longest] = [0, 0];
  const send = async (index: number): Promise<void> => {
    const { status } = await ask({ agent, ...(isWrite(index) ? write : read) });
    longest = Math.max(longest, performance.now() - begun - (index * 1000) / perSecond);
    if (status === 0 || status >= 400) failed.set(status, (failed.get(status) ?? 0) + 1);
  };
  const sendDue = (): void => {
    for (const due = ((performance.now() - begun) * perSecond) / 1000; sent < due; sent += 1) {
      const answered: Promise<void> = send(sent).finally(() => waiting.delete(answered));
      waiting.add(answered);
    }
  };
  const timer = setInterval(sendDue, 5);
  return async () => {
    clearInterval(timer);
    sendDue();
    const rate = (sent * 1000) / (performance.now() - begun);
    await Promise.all(waiting);
    agent.destroy();
    return { sent, rate, failed, longest };
  };
}
