import type { BindContext } from '../query/bind-context.js';
import type { Database } from '../mongo/database.js';
import type { Store } from '../mongo/store.js';
import type { Values } from '../schema/check-input.js';

/** What an operation on content works with: the back end, and what this caller sees through this registry snapshot. */
export interface ContentContext {
  readonly store: Store;
  readonly bind: BindContext;
  /** What a create without `publishedAt` makes: REST publishes, GraphQL makes a draft. */
  readonly createsDrafts: boolean;
  /** Missing where there is no media library. */
  readonly retireFile?: RetireFile;
}

/** Takes a file whose entry is deleted away, in the transaction that deletes it; gives what is to be done after the commit. */
export type RetireFile = (file: Values, database: Database) => Promise<() => Promise<void>>;

/** The context of an operation inside a transaction that is open. */
export const within = (context: ContentContext, database: Store['database']): ContentContext => ({
  ...context,
  store: { ...context.store, database },
});
