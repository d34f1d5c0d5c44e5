import type { Observer } from './observe/observer.js';

/** Tells operators, once per cause, what requests ask for and do not get. */
export interface Notices {
  /** Logs a message, which names the cause and the remedy, unless the same message was logged before. */
  logOnce(message: string): void;
}

/** Number of messages that are logged at most, since names in them may come from clients. */
const maximumNotices = 1_000;

export function createNotices(observer: Observer): Notices {
  const messages = new Set<string>();
  return {
    logOnce: (message) => {
      if (messages.has(message) || messages.size > maximumNotices) return;
      messages.add(message);
      const isLast = messages.size > maximumNotices;
      const text = isLast ? 'further notices about requests are not logged until the next start' : message;
      observer.observe({ kind: 'warned', topic: 'request', text });
    },
  };
}

/** For contexts that no client reaches. */
export const noNotices: Notices = { logOnce: () => undefined };
