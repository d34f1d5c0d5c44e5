import { setTimeout as delay } from 'node:timers/promises';

/** Whether a timer keeps the process alive, which it does by default. */
interface HeldTimer {
  readonly ref?: boolean;
}

/** Waits for some milliseconds. Resolves early, with false, when the signal aborts. */
export async function waited(milliseconds: number, signal: AbortSignal, { ref = true }: HeldTimer = {}): Promise<boolean> {
  await delay(milliseconds, undefined, { signal, ref }).catch(() => undefined);
  return !signal.aborted;
}

/**
 * Runs work that signals end. `end` is called when one of them aborts, or has aborted before, and what it returns is waited for. It
 * must not reject.
 */
export async function endedBy<Result>(
  signals: readonly AbortSignal[],
  end: () => unknown,
  work: () => Promise<Result>,
): Promise<Result> {
  let ending: unknown;
  const abort = (): void => void (ending = end());
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  try {
    return await work();
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
    await ending;
  }
}

/** Runs work, and calls a function at intervals meanwhile. */
export async function meanwhile<Result>(milliseconds: number, tick: () => void, work: () => Promise<Result>): Promise<Result> {
  const timer = setInterval(tick, milliseconds);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Runs work, and calls a function once if the work takes longer than some milliseconds. */
export async function ifLonger<Result>(milliseconds: number, late: () => void, work: () => Promise<Result>): Promise<Result> {
  const timer = setTimeout(late, milliseconds);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** Calls a function at intervals, until what it returns is called. Does not keep the process alive. */
export function every(milliseconds: number, tick: () => void): () => void {
  const timer = setInterval(tick, milliseconds).unref();
  return () => {
    clearInterval(timer);
  };
}

/** Does something once, some milliseconds after it was set. Setting it again meanwhile changes nothing. */
export class Alarm {
  readonly #ring: () => void;
  readonly #ref: boolean;
  #timer: NodeJS.Timeout | null = null;

  constructor(ring: () => void, { ref = true }: HeldTimer = {}) {
    this.#ring = ring;
    this.#ref = ref;
  }

  set(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#ring();
    }, milliseconds);
    if (!this.#ref) this.#timer.unref();
  }

  /** Returns whether it was set. */
  cancel(): boolean {
    const wasSet = this.#timer !== null;
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    return wasSet;
  }
}
