import { isRecord } from '#base/values.js';
import { namesOf } from './guarded-actions.js';
import type { ResolvedRoute } from './strapi-route.js';

/** Returns a file that could not run and has code that a route names; undefined if there is none. */
export function leftOutFile(resolved: ResolvedRoute, leftOut: ReadonlyMap<string, string>): string | undefined {
  const { owner, route } = resolved;
  const named = (kind: 'policies' | 'middlewares'): readonly string[] =>
    (route.config?.[kind] ?? []).flatMap((item: unknown) => {
      const name = typeof item === 'string' ? item : isRecord(item) ? String(item['name']) : '';
      return name.includes('::') ? `${kind} ${name}` : [`${kind} ${owner ?? 'global'}.${name}`, `${kind} global::${name}`];
    });
  const names = [`controllers ${namesOf(resolved).uid}`, ...named('policies'), ...named('middlewares')];
  return names.map((name) => leftOut.get(name)).find((file) => file !== undefined);
}
