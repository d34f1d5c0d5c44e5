import type { AccountCall } from '../accounts/accounts.js';
import type { ContentContext } from '../content/content-context.js';
import type { RouteCall } from '../http/route.js';
import type { Values } from '../values.js';
import type { BodySchema } from './check-admin-body.js';

/** One request to the admin API. */
export interface AdminCall extends RouteCall {
  readonly body: Values;
  /**
   * Stores a change together with its record: both or, if anything fails, neither (on a standalone server one after the other).
   * Runs more than once if it meets other writers.
   */
  readonly commit: <Result>(change: (content: ContentContext) => Promise<Result>) => Promise<Result>;
}

/** A route of the admin API; `path` begins behind its prefix. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The form of the request's body; routes without one take none. */
  readonly body?: BodySchema | ((call: Pick<AccountCall, 'content'>) => BodySchema);
  /** Returns the `data` of the answer. */
  readonly handle: (call: AdminCall) => Promise<unknown>;
}
