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

/**
 * Binds a query object once for the same type, registry, caller and settings. What is bound never changes, and the same object
 * comes again where query strings are kept. Only the request that binds spends of its budget.
 */
export function memoizeBinding<Bound>(bind: Bind<Bound>): Bind<Bound> {
  const memos = new WeakMap<Query, Memo<Bound>>();
  return (query, type, context) => {
    const memo = memos.get(query);
    if (memo !== undefined && memo.type === type && isSame(memo.context, context)) return memo.bound;
    const bound = bind(query, type, context);
    memos.set(query, { type, context: { ...context, budget: unlimited }, bound });
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
