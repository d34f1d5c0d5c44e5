import { BoundedCache } from '../bounded-cache.js';
import type { ContentType } from '../schema/content-type.js';
import type { Query } from './ast.js';
import type { BindContext } from './bind-context.js';
import { unlimited } from './budget.js';

type Bind<Bound> = (query: Query, type: ContentType, context: BindContext) => Bound;

interface Memo<Bound> {
  readonly type: ContentType;
  readonly context: BindContext;
  readonly bound: Bound;
}

/** What is bound from the query strings of clients: a few hundred bytes for most, megabytes where polymorphic relations nest. */
const bounds = { entries: 2_000, bytes: 32_000_000 };

/** The bytes of queries that clients send again and again. */
const repeated = new WeakMap<Query, number>();

/** Marks a query object of so many bytes that is kept and comes again, so that what is bound from it is kept as well, within bounds. */
export function markRepeated(query: Query, bytes: number): Query {
  repeated.set(query, bytes);
  return query;
}

/**
 * Binds a query object once for the same type, registry, caller and settings. What is bound never changes. Only the request that binds
 * spends of its budget. `weigh` returns about how many bytes something bound takes.
 */
export function memoizeBinding<Bound>(bind: Bind<Bound>, weigh: (bound: Bound) => number): Bind<Bound> {
  const ofClients = new BoundedCache<Memo<Bound>, Query>(bounds);
  // Objects of the code, or of one request.
  const others = new WeakMap<Query, Memo<Bound>>();
  return (query, type, context) => {
    const bytes = repeated.get(query);
    const memo = bytes === undefined ? others.get(query) : ofClients.get(query);
    if (memo !== undefined && memo.type === type && isSame(memo.context, context)) return memo.bound;
    const bound = bind(query, type, context);
    const made = { type, context: { ...context, budget: unlimited }, bound };
    if (bytes === undefined) others.set(query, made);
    else ofClients.set(query, made, bytes + weigh(bound));
    return bound;
  };
}

/** Everything that what is bound depends on; a part of the context that is not named here does not compile. */
const parts: Readonly<Record<Exclude<keyof BindContext, 'budget'>, true>> = {
  registry: true,
  access: true,
  limits: true,
  settings: true,
  defaultLocale: true,
  locales: true,
};
const partNames = Object.keys(parts) as readonly (keyof typeof parts)[]; // of the record above

const isSame = (one: BindContext, other: BindContext): boolean => partNames.every((name) => one[name] === other[name]);
