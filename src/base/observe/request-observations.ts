import type { TraceLink } from './trace-link.js';

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Returns a method for names and labels; `_OTHER` for any other word, which clients may send. */
export const methodOf = (method: string): string => (methods.has(method) ? method : '_OTHER');

export interface RequestBegun extends Pick<RequestEnded, 'requestId' | 'method' | 'path' | 'link'> {
  readonly kind: 'request begun';
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface RequestEnded {
  readonly kind: 'request ended';
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The path of the route, such as `/api/articles/:id`; null if no router has found it. */
  readonly route: string | null;
  /** 499 if the client has disconnected before an answer began. */
  readonly status: number;
  readonly ms: number;
  readonly ip: string;
  readonly link: TraceLink;
  /** Whether the client has disconnected before the answer was sent. */
  readonly isAborted: boolean;
}

export interface PageRead {
  readonly kind: 'page read';
  readonly way: string;
  readonly type: string;
  readonly ms: number;
  /** Null if no request has asked for it. */
  readonly requestId: string | null;
  /** Returns what is compared and sorted, without values. */
  readonly shape: () => string;
  /** Returns the name of the index of the model that serves it; null if there is none. */
  readonly index: () => string | null;
}

/** A page was read that took long, or whose condition or sort no index of its model serves. */
export interface CostlyRead extends Omit<PageRead, 'kind' | 'requestId' | 'index'> {
  readonly kind: 'read costly';
  readonly isSlow: boolean;
  /** Reads the page again, and returns what the server does for it. */
  readonly examine: () => Promise<ExaminedRead>;
}

/** What the server does for a page. */
export interface ExaminedRead {
  /** Whether no index leads to the entries. */
  readonly isUnindexed: boolean;
  /** The names of the indexes that are used; null if a whole collection is read. */
  readonly index: string | null;
  readonly keysExamined: number;
  readonly documentsExamined: number;
  readonly returned: number;
  /** The attributes that lack an index, with the options that would create them; null if there are none. */
  readonly advice: string | null;
  /** The keys of an index that would serve it, and its estimated size; null if none would. */
  readonly suggestion: { readonly keys: readonly string[]; readonly bytes: number } | null;
}

/** A list that a slow request has read. */
interface SlowList extends Pick<PageRead, 'type' | 'way' | 'ms'> {
  readonly shape: string;
  readonly index: string | null;
}

export interface SlowRequest extends Pick<RequestEnded, 'requestId' | 'method' | 'route' | 'status' | 'ms'> {
  readonly kind: 'request slow';
  readonly lists: readonly SlowList[];
  /** In the order of their ends. */
  readonly commands: readonly Pick<CommandEnded, 'command' | 'collection' | 'ms'>[];
}

/** A request has failed by an unexpected error. */
export interface RequestFailed {
  readonly kind: 'request failed';
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly err: unknown;
}

/** A command to the database has ended. */
export interface CommandEnded {
  readonly kind: 'command ended';
  readonly command: string;
  /** Null for commands without one. */
  readonly collection: string | null;
  /** Null if no request has sent it. */
  readonly requestId: string | null;
  /** The name of the job that has sent it; null if none has. */
  readonly job: string | null;
  readonly ms: number;
  readonly isFailed: boolean;
}
