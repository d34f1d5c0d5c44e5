import type { Context } from 'koa';
import type { Caller } from '../auth/caller.js';
import { clientOf } from '../accounts/login/limit-attempts.js';
import type { Asker } from '../queue.js';

/**
 * Returns the key that a request counts for: its user or token; its address without credentials, or if the caller is not
 * identified (null).
 */
export function clientKey({ ip }: Context, caller: Caller | null): string {
  switch (caller?.kind) {
    case undefined:
    case 'public':
      return `address ${clientOf(ip)}`;
    case 'user':
      return `user ${String(caller.user.id)}`;
    case 'token':
      return `token ${String(caller.token.id)}`;
  }
}

/** Returns the sender of a request. Key and signal are created on first use; most requests use neither. */
export const askerOf = (ctx: Context, caller: Caller | null): Asker => new RequestAsker(ctx, caller);

class RequestAsker implements Asker {
  readonly #ctx: Context;
  readonly #caller: Caller | null;
  #client: string | null = null;
  #signal: AbortSignal | null = null;

  constructor(ctx: Context, caller: Caller | null) {
    this.#ctx = ctx;
    this.#caller = caller;
  }

  get client(): string {
    return (this.#client ??= clientKey(this.#ctx, this.#caller));
  }

  get signal(): AbortSignal {
    return (this.#signal ??= endSignal(this.#ctx));
  }
}

/** Returns a signal that is aborted when the connection of a request is closed. */
function endSignal({ res }: Context): AbortSignal {
  if (res.closed) return AbortSignal.abort();
  const ended = new AbortController();
  res.once('close', () => {
    ended.abort();
  });
  return ended.signal;
}
