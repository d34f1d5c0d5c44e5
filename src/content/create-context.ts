import { memoize } from '#base/caches.js';
import { createBudget, unlimited } from '#base/limits/budget.js';
import type { ByteReservation } from '#base/limits/byte-budget.js';
import type { Sender } from '#base/limits/queue.js';
import { noNotices } from '#base/notices.js';
import type { Access } from '#model/query/access.js';
import type { BindContext, BindSettings } from '#model/query/bind-context.js';
import { currentMoment } from '#model/query/moment.js';
import type { Config } from '#settings/config.js';
import type { Backend } from '#store/models/open-backend.js';
import { forRequest, type ReadLog } from '#store/send/database.js';
import type { Store } from '#store/store.js';
import type { ContentContext } from './content-context.js';
import { ownSeal } from './cursor-seal.js';
import type { Caller } from './rights/caller.js';

/** The parts of the service that contexts are made from; the same for all requests. */
export interface ContentSource extends Partial<Pick<ContentContext, 'hooks' | 'notices' | 'cursors' | 'finder'>> {
  readonly store: Store;
  readonly models: Readonly<Pick<Backend['models'], 'snapshot'>>;
  /** Options of the budgets of all requests. */
  readonly budget?: { readonly onRefusal: (setting: string) => void };
}

/** The origin of a request: its caller, and the client that its work and memory are charged to. */
interface RequestOrigin {
  readonly caller: Caller;
  readonly sender: Sender;
  /** The memory that is reserved for the answer; null if it is not counted. */
  readonly reservation: ByteReservation | null;
  /** Notes what the answer is made from; null if that is not asked. */
  readonly reads: ReadLog | null;
}

/** Returns the context of one request: the registry in force, the caller's access and budget, the page sizes of REST. */
export function createRequestContext(
  config: Config,
  source: ContentSource,
  { caller, sender, reservation, reads }: RequestOrigin,
): ContentContext {
  const options = { reservation, ...source.budget };
  const budget = createBudget(config.api.limits, caller.kind === 'public' ? 'public' : 'known', options);
  const own = { ...source.store, database: forRequest(source.store.database, { budget, sender, reads }) };
  return contextOf(config, source, { store: own, access: caller.access, budget, now: reads?.now ?? currentMoment });
}

/** Returns a context without a budget, for the service itself and for project code. */
export const createContext = (config: Config, source: ContentSource, access: Access): ContentContext =>
  contextOf(config, source, { store: source.store, access, budget: unlimited });

/** The parts of a context that depend on the caller. */
interface CallerParts extends Pick<BindContext, 'access' | 'budget' | 'now'> {
  readonly store: Store;
}

function contextOf(
  { api }: Config,
  { models, hooks = null, notices = noNotices, cursors = ownSeal(), finder = null }: ContentSource,
  { store, access, budget, now }: CallerParts,
): ContentContext {
  const { registry, locales } = models.snapshot;
  const bind: BindContext = {
    registry,
    access,
    limits: api.limits,
    budget,
    settings: settingsOf(api.rest),
    defaultLocale: locales.default,
    locales: locales.codes,
    now: now ?? currentMoment, // always there, so that all contexts have one hidden class
  };
  return { store, bind, createsDrafts: false, hooks, notices, cursors, finder };
}

/** Returns the same object for all requests, since it is part of the key of bound queries. */
const settingsOf = memoize((rest: Config['api']['rest']): BindSettings => {
  const { defaultLimit, maxLimit, maxNested, withCount, strict, populateDeep } = rest;
  return { defaultLimit, maxLimit: maxLimit ?? 1000, maxNested, withCount, strict, populateDeep, roleUsers: false };
});
