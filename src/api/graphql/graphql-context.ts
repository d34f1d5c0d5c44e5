import type { FieldNode } from 'graphql';
import type { Context as KoaContext } from 'koa';
import type { Caller } from '#content/rights/caller.js';
import type { CallerState } from '../code/caller-state.js';
import type { ContentContext } from '#content/content-context.js';
import type { ApiError } from '#base/errors.js';
import type { RunningService } from '#http/running.js';
import type { Staging } from '#media/staging.js';
import type { CacheHints } from './cache-policy.js';
import type { Tracer } from './tracer.js';

/** The context of an operation for resolvers, policies and middlewares of custom code. */
export interface RequestContext {
  readonly koaContext: KoaContext;
  readonly state: CallerState;
}

/** Notes that the answer depends on more than what is read: on code, or on the caller. */
export const noteMore = ({ content }: Pick<GraphqlContext, 'content'>): void => content.store.database.reads?.noteMore();

/** The context of the resolvers of one operation. */
export interface GraphqlContext extends RequestContext {
  readonly caller: Caller;
  readonly running: RunningService;
  /** The files of the request; null if there are none. */
  readonly staging: Staging | null;
  readonly content: ContentContext;
  /** Whether the operation runs in the transaction of an Idempotency-Key, which an error undoes. */
  readonly isKeyed: boolean;
  /** Errors in arguments of nested fields, found when their root field was planned. */
  readonly failures: Map<FieldNode, ApiError>;
  /** What code says of caching the answer. */
  readonly cacheHints: CacheHints;
  /** Null if resolvers are not timed. */
  readonly tracer: Tracer | null;
}
