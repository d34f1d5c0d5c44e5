import type { Context } from 'koa';
import type { Accounts } from '../accounts/accounts.js';
import type { ContentContext } from '../content/content-context.js';
import type { RouteKey, RouteParams } from '../http/route-table.js';
import type { Backend } from '../mongo/open-backend.js';
import type { Values } from '../schema/check-input.js';
import type { BodySchema } from './check-admin-body.js';

/** What the admin API works on. */
export interface AdminServices {
  readonly backend: Backend;
  /** Null without users. */
  readonly accounts: Accounts | null;
  /** What API tokens are hashed with. */
  readonly tokenSalt: string;
  /** The context of operations that may do everything. */
  readonly content: ContentContext;
}

/** One request to the admin API. */
export interface AdminCall extends AdminServices {
  readonly ctx: Context;
  readonly params: RouteParams;
  readonly body: Values;
  /**
   * Stores a change together with its record: both or, where anything fails, neither (on a standalone server one after the
   * other). Runs more than once where it meets other writers.
   */
  readonly commit: <Result>(change: (content: ContentContext) => Promise<Result>) => Promise<Result>;
}

/** A route of the admin API. What it gives is the body of the answer: `{ data }`. */
export interface AdminRoute extends RouteKey {
  /** The form of the request's body; routes without one take none. */
  readonly body?: BodySchema | ((request: AdminServices) => BodySchema);
  readonly handle: (call: AdminCall) => Promise<unknown>;
}

/** The id in the path; 0 where it is none. */
export const idOf = ({ params }: AdminCall): number => (/^\d{1,15}$/.test(params['id'] ?? '') ? Number(params['id']) : 0);
