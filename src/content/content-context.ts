import type { LoadedEntry } from '#store/form/loaded.js';
import type { LoadedPage } from '#store/read/read-page.js';
import type { Store } from '#store/store.js';
import type { Notices } from '#base/notices.js';
import type { Access } from '#model/query/access.js';
import type { BindContext } from '#model/query/bind-context.js';
import { type Budget, unlimited } from '#base/limits/budget.js';
import type { Filter, Query } from '#model/query/ast.js';
import type { Finder } from './finder.js';
import type { CursorSeal } from './cursor-seal.js';
import type { Condition, Plan, Selection } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import { notFoundError } from '#base/errors.js';

/** The context of an operation on content: the back end, the registry snapshot, and the rights of the caller. */
export interface ContentContext {
  readonly store: Store;
  readonly bind: BindContext;
  /** Whether a create without `publishedAt` makes a draft, as over GraphQL; REST publishes. */
  readonly createsDrafts: boolean;
  /**
   * Whether the operation is a query of project code below the rules of the API (`strapi.db.query`): required values may be missing,
   * as in drafts, and code before a create sees no defaults.
   */
  readonly isRaw?: true;
  /** The id of the administrator who writes, which is stored as `createdBy` and `updatedBy`. Absent for all others. */
  readonly author?: number | undefined;
  /** Whether the open transaction is one whose entries are answered by `finalEntry` after its commit. */
  readonly answersLate?: true;
  /**
   * Whether the open transaction is one of code, which may go on after an error of the operation. Unique values are then checked before
   * a write, because the error of an index ends the transaction.
   */
  readonly outlivesErrors?: true;
  /** Null if there is no code around reads and writes. */
  readonly hooks: CodeHooks | null;
  /** Told what a request asks for and does not get. */
  readonly notices: Notices;
  readonly cursors: CursorSeal;
  /** What finds entries by their texts in the place of the database; null if nothing does. */
  readonly finder: Finder | null;
}

export type WriteAction = 'create' | 'update' | 'delete' | 'createMany' | 'updateMany' | 'deleteMany';

/** A write that is about to happen. */
export interface PendingWrite {
  readonly action: WriteAction;
  readonly type: ContentType;
  /** The id of the entry; absent if it is new, or if there are several. */
  readonly id?: number;
  /** Absent if the entries are new. */
  readonly where?: object;
  /** Absent if entries are deleted. */
  readonly data?: unknown;
  /** The query that selects the answer; absent for writes of several entries. */
  readonly query?: Query;
  /** The selection that is read back; null for writes of several entries. */
  readonly selection: Selection | null;
}

/** The result of a write: the entry, or the number of entries. Code after a write may change the latter. */
export type WriteResult = { readonly id: number } | WrittenMany;

export interface WrittenMany {
  readonly count: number;
  /** Only of new entries. */
  readonly ids?: readonly number[];
}

/** A write after the code before it has run. */
interface BegunWrite {
  /** The data to write, which may differ from the given data. */
  readonly data: unknown;
  /** The entries to write, if code has chosen others of a write of several. */
  readonly filter?: Filter | null;
  /** Called after the commit. Returns the answer if code has changed it, otherwise null. Its errors are answered, but the write stays. */
  finish(written: WriteResult): Promise<LoadedEntry | null>;
}

/** The code around a write. */
export interface WriteHook {
  /** Whether there is code, or a read for code, before the write, so that a transaction holds both. */
  readonly isBefore: boolean;
  /** Called before the write, in its transaction. An error aborts the transaction. May run again after a write conflict. */
  readonly begin: (write: PendingWrite, context: ContentContext) => Promise<BegunWrite>;
}

/** A read that is about to happen. */
export interface PendingRead {
  readonly query: Query;
  /** The read, bound with the rights of its caller. */
  readonly plan: Plan;
  /** The id of the entry; null if the condition of the plan alone says which entries are read. */
  readonly id: number | null;
  /** The condition of the localizations of the entry with the id, if one of them is read in its place. */
  readonly group?: Condition;
  /** A condition of the plan that is not part of the query. */
  readonly further?: Condition;
}

/** Reads entries of a type together with the code around such reads. */
export interface SurroundedReads {
  one(read: PendingRead, context: ContentContext): Promise<LoadedEntry | null>;
  /** The total of the page is not counted. */
  many(read: PendingRead, context: ContentContext): Promise<LoadedPage>;
  count(read: PendingRead, context: ContentContext): Promise<number>;
}

/** The code around reads and writes, by type. */
export interface CodeHooks {
  /** Returns the code around a write; null if there is none. */
  find(uid: string, action: WriteAction): WriteHook | null;
  /** Returns null if there is no code around reads of the type. */
  reads(uid: string): SurroundedReads | null;
  /** Those of the service itself, without the code of a project. */
  readonly ofService: CodeHooks;
}

/** Returns the context without project code around reads, for reads in which the service needs the entry as it is stored. */
export const withoutHooks = (context: ContentContext): ContentContext =>
  context.hooks === null ? context : { ...context, hooks: null };

/** Returns a type of the service itself. Throws a NotFoundError if there is none, because its plugin is disabled. */
export function ownType({ bind }: Pick<ContentContext, 'bind'>, uid: string): ContentType {
  const type = bind.registry.types.get(uid);
  if (type === undefined) throw notFoundError();
  return type;
}

/** Returns the context with other rights. */
export const withAccess = (context: ContentContext, access: Access): ContentContext => ({
  ...context,
  bind: { ...context.bind, access },
});

/** Returns the context of a request with the budget of a caller with a token, who was not known before. */
export const withTokenBudget = (context: ContentContext): ContentContext =>
  withBudget(context, context.bind.budget.ofTokenCaller(context.bind.limits));

const withBudget = (context: ContentContext, budget: Budget): ContentContext => ({
  ...withDatabase(context, { ...context.store.database, budget }),
  bind: { ...context.bind, budget },
});

/** Returns the context of an operation inside an open transaction. */
export const withDatabase = (context: ContentContext, database: Store['database']): ContentContext => ({
  ...context,
  store: { ...context.store, database },
});

/** Returns the context without a budget, for the small answer that is given after the budget is spent. */
export const withoutBudget = (context: ContentContext): ContentContext => withBudget(context, unlimited);

/** Returns whether an error says that a request exceeded its budget after its write was stored. */
export const costsTooMuchLate = (error: unknown, { bind: { budget }, store }: ContentContext): boolean =>
  budget.hasChanged && error === budget.exceeded && store.database.session === null;
