import type { Config } from '../config/config.js';
import type { Database } from '../mongo/database.js';
import type { Backend } from '../mongo/open-backend.js';
import type { Store } from '../mongo/store.js';
import type { Access } from '../query/access.js';
import type { BindContext } from '../query/bind-context.js';
import type { Values } from '../schema/check-input.js';

/** What an operation on content works with: the back end, and what this caller sees through this registry snapshot. */
export interface ContentContext {
  readonly store: Store;
  readonly bind: BindContext;
  /** What a create without `publishedAt` makes: REST publishes, GraphQL makes a draft. */
  readonly createsDrafts: boolean;
  /** Absent if there is no media library. */
  readonly retireFile?: RetireFile;
}

/** Unpublishes the stored files of a deleted entry inside the deleting transaction. Returns the cleanup to run after the commit. */
export type RetireFile = (file: Values, database: Database) => Promise<() => Promise<void>>;

/** The parts of the service that contexts are made from; the same for all requests. */
export interface ContentSource extends Pick<ContentContext, 'retireFile'> {
  readonly store: Store;
  readonly models: Pick<Backend['models'], 'current' | 'locales'>;
}

/** Returns the context of one request: the registry in force, this caller's access, the page sizes of REST. */
export function createContext({ api }: Config, { store, models, retireFile }: ContentSource, access: Access): ContentContext {
  const { codes, default: defaultLocale } = models.locales();
  const { defaultLimit, maxLimit, withCount, strict } = api.rest;
  const bind: BindContext = {
    registry: models.current(),
    access,
    limits: api.limits,
    settings: { defaultLimit, maxLimit: maxLimit ?? 1000, withCount, strict, roleUsers: false },
    defaultLocale,
    locales: codes,
  };
  return { store, bind, createsDrafts: false, ...(retireFile && { retireFile }) };
}

/** The context of an operation inside a transaction that is open. */
export const within = (context: ContentContext, database: Store['database']): ContentContext => ({
  ...context,
  store: { ...context.store, database },
});
