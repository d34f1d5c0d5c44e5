import type { FieldNode } from 'graphql';
import type { Context as KoaContext } from 'koa';
import type { Caller } from '../../access/caller.js';
import type { ContentContext } from '../../content/content-context.js';
import type { ApiError } from '../../errors.js';
import type { Running } from '../../http/running.js';
import type { Staging } from '../../media/staging.js';
import type { Access } from '../../query/access.js';
import type { CallerState } from './caller-state.js';
import type { Tracer } from '../tracing/tracer.js';
import type { PageSettings } from '../query/parse-list-arguments.js';

/** What every resolver of one operation is given. */
export interface GraphqlContext {
  readonly access: Access;
  readonly caller: Caller;
  readonly running: Running;
  /** The files that came with the request; null if none did. */
  readonly staging: Staging | null;
  readonly content: ContentContext;
  readonly pages: PageSettings;
  /** Errors in the arguments of nested fields, found when their root field planned them. */
  readonly failures: Map<FieldNode, ApiError>;
  /** Null unless resolvers are timed. */
  readonly tracer: Tracer | null;
  /** Koa's, for custom resolvers, policies and middlewares. */
  readonly koaContext: KoaContext;
  readonly state: CallerState;
}
