import type { Caller } from './callers.js';

/** The entries that a client holds, and the number of its token in the log; null without a token. */
export interface Held {
  readonly entries: ReadonlyMap<number, unknown>;
  readonly seq: number | null;
  /** Whether the last answer said that there is no more to read. */
  readonly isCurrent: boolean;
}

/** A client that keeps a copy of what its caller may see. */
export interface Following {
  readonly held: () => Held;
  /** Sends one request; absent if the client acts by itself. Returns whether there is more to read now. */
  readonly step?: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

/** What clients send requests with. */
export interface Access {
  readonly caller: Caller;
  readonly shape: string;
  /** Returns the address of any instance. */
  readonly origin: () => string;
}

/** Milliseconds before a request that has failed is sent again. */
export const again = 50;

export const headersOf = ({ caller }: Pick<Access, 'caller'>): Record<string, string> => {
  const token = caller.token();
  return token === null ? {} : { authorization: `Bearer ${token}` };
};

/** Returns the number of a token in the log. */
export const seqOf = (token: string | null): number | null => (token === null ? null : Number(token.split('.')[0]));

/** The request is sent to a living instance, with the token of the caller. */
export const fetchFor =
  (access: Access) =>
  async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...headersOf(access) };
    const response = await fetch(`${access.origin()}${pathname}${search}`, { ...init, headers });
    if (response.status === 401) access.caller.refused();
    return response;
  };
