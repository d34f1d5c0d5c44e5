import type { Caller } from '../auth/caller.js';
import type { Config } from '../config/config.js';
import { forRequest, type Database } from '../mongo/database.js';
import type { Backend } from '../mongo/models/open-backend.js';
import type { Store } from '../mongo/store.js';
import type { Access } from '../query/access.js';
import type { BindContext, BindSettings } from '../query/bind-context.js';
import { createBudget, unlimited } from '../query/budget.js';
import type { Asker } from '../queue.js';
import type { Selection } from '../query/plan.js';
import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';

/** What an operation on content works with: the back end, and what this caller sees through this registry snapshot. */
export interface ContentContext {
  readonly store: Store;
  readonly bind: BindContext;
  /** What a create without `publishedAt` makes: REST publishes, GraphQL makes a draft. */
  readonly createsDrafts: boolean;
  /** Values are checked as those of drafts are, whatever an entry is: required ones may be missing. */
  readonly checksAsDrafts?: true;
  /** Null if there is no media library. */
  readonly retireFile: RetireFile | null;
  /** Null if no code surrounds writes. */
  readonly hooks: WriteHooks | null;
}

/** Unpublishes the stored files of a deleted entry inside the deleting transaction. Returns the cleanup to run after the commit. */
type RetireFile = (file: Values, database: Database) => Promise<() => Promise<void>>;

export type WriteAction = 'create' | 'update' | 'delete' | 'createMany' | 'updateMany' | 'deleteMany';

/** A write that is about to happen. */
export interface PendingWrite {
  readonly action: WriteAction;
  readonly type: ContentType;
  /** Absent if the entries are new. */
  readonly where?: object;
  /** Absent if entries are deleted. */
  readonly data?: unknown;
  /** What of the entry the caller reads back; null for writes of several entries. */
  readonly selection: Selection | null;
}

/** What has been written: the entry, or how many. */
export type Written = { readonly id: number } | { readonly count: number; readonly ids?: readonly number[] };

/** A write that code has seen. */
interface BegunWrite {
  /** What is written instead of the given data. */
  readonly data: unknown;
  /** Called after the commit; what it throws is answered, the write stays. */
  finish(written: Written): Promise<void>;
}

/** Called inside the transaction of a write, which ends with what it throws. Conflicts with other writers make it run again. */
export type WriteHook = (write: PendingWrite, context: ContentContext) => Promise<BegunWrite>;

/** The code around writes, by type. */
export interface WriteHooks {
  /** Returns what surrounds a write; null if nothing does. */
  find(uid: string, action: WriteAction): WriteHook | null;
}

/** The parts of the service that contexts are made from; the same for all requests. */
export interface ContentSource extends Partial<Pick<ContentContext, 'retireFile' | 'hooks'>> {
  readonly store: Store;
  readonly models: Pick<Backend['models'], 'current' | 'locales'>;
}

/** Who sends a request: what they may do, and whom its work counts for. */
interface Sender {
  readonly caller: Caller;
  readonly asker: Asker;
}

/** Returns the context of one request: the registry in force, the caller's access and budget, the page sizes of REST. */
export function createRequestContext(config: Config, source: ContentSource, { caller, asker }: Sender): ContentContext {
  const budget = createBudget(config.api.limits, caller.kind === 'public' ? 'public' : 'known');
  const { store } = source;
  const own = { ...store, database: forRequest(store.database, budget, asker) };
  return contextOf(config, source, { store: own, access: caller.access, budget });
}

/** The same for what the service and its own code do, without a budget. */
export const createContext = (config: Config, source: ContentSource, access: Access): ContentContext =>
  contextOf(config, source, { store: source.store, access, budget: unlimited });

/** What is different from caller to caller. */
interface CallerParts extends Pick<BindContext, 'access' | 'budget'> {
  readonly store: Store;
}

function contextOf(
  { api }: Config,
  { models, retireFile = null, hooks = null }: ContentSource,
  { store, access, budget }: CallerParts,
): ContentContext {
  const { codes, default: defaultLocale } = models.locales();
  const bind: BindContext = {
    registry: models.current(),
    access,
    limits: api.limits,
    budget,
    settings: settingsOf(api),
    defaultLocale,
    locales: codes,
  };
  return { store, bind, createsDrafts: false, retireFile, hooks };
}

/** The same object for all requests, by which bound queries are found again. */
function settingsOf({ rest }: Config['api']): BindSettings {
  const { defaultLimit, maxLimit, maxNested, withCount, strict, populateDeep } = rest;
  const settings = knownSettings.get(rest) ?? {
    defaultLimit,
    maxLimit: maxLimit ?? 1000,
    maxNested,
    withCount,
    strict,
    populateDeep,
    roleUsers: false,
  };
  knownSettings.set(rest, settings);
  return settings;
}

const knownSettings = new WeakMap<Config['api']['rest'], BindSettings>();

/** The context of an operation inside a transaction that is open. */
export const withDatabase = (context: ContentContext, database: Store['database']): ContentContext => ({
  ...context,
  store: { ...context.store, database },
});
