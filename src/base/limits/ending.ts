/** What this service uses of an AbortSignal. */
export interface EndSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: AbortListener): void;
  removeEventListener(type: 'abort', listener: AbortListener): void;
}

/** Called once, with the signal as `this`, which the driver of MongoDB expects. */
type AbortListener = (this: { readonly reason: unknown }) => void;

/**
 * An AbortController that is its own signal. It has no events of Node, which would take 1 kB for each client that waits, and a part of the
 * time of each request. Listeners must not throw.
 */
export class Ending implements EndSignal {
  aborted = false;
  reason: unknown = undefined;
  #listeners: readonly AbortListener[] = none;

  addEventListener(_type: 'abort', listener: AbortListener): void {
    this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.#listeners;
    this.#listeners = none;
    for (const listener of listeners) listener.call(this);
  }
}

const none: readonly never[] = [];

/** A response of Node, for example. `closed` is true once the answer is sent or the connection is closed. */
export interface Response {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Returns what aborts when the connection of a request is closed. */
export function endOf(response: Response): Ending {
  const end = new Ending();
  if (response.closed) end.abort();
  else
    response.once('close', () => {
      end.abort();
    });
  return end;
}
