import type { ContentType } from '../schema/content-type.js';
import type { Query } from './ast.js';
import type { BindContext, BindSettings } from './bind-context.js';

type Bind<Bound> = (query: Query, type: ContentType, context: BindContext) => Bound;

interface Kept<Bound> {
  readonly type: ContentType;
  readonly context: BindContext;
  readonly bound: Bound;
}

/**
 * Binds a query once as long as it meets the same type, registry, caller and settings: what comes out never changes, and the
 * same query object comes again where query strings are kept.
 */
export function memoizeBinding<Bound>(bind: Bind<Bound>): Bind<Bound> {
  const kept = new WeakMap<Query, Kept<Bound>>();
  return (query, type, context) => {
    const last = kept.get(query);
    if (last !== undefined && last.type === type && isSame(last.context, context)) return last.bound;
    const bound = bind(query, type, context);
    kept.set(query, { type, context, bound });
    return bound;
  };
}

const isSame = (a: BindContext, b: BindContext): boolean =>
  a.registry === b.registry &&
  a.access === b.access &&
  a.limits === b.limits &&
  a.defaultLocale === b.defaultLocale &&
  a.locales === b.locales &&
  isSameSettings(a.settings, b.settings);

const isSameSettings = (a: BindSettings, b: BindSettings): boolean =>
  (Object.keys(a) as (keyof BindSettings)[]).every((name) => a[name] === b[name]); // an object of this type has no other keys
