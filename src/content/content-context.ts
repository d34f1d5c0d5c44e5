import type { BindContext } from '../query/bind-context.js';
import type { Store } from '../mongo/store.js';

/** What an operation on content works with: the back end, and what this caller sees through this registry snapshot. */
export interface ContentContext {
  readonly store: Store;
  readonly bind: BindContext;
  /** What a create without `publishedAt` makes: REST publishes, GraphQL makes a draft. */
  readonly createsDrafts: boolean;
}

/** The context of an operation inside a transaction that is open. */
export const within = (context: ContentContext, database: Store['database']): ContentContext => ({
  ...context,
  store: { ...context.store, database },
});
