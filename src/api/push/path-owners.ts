import type { ContentType, Registry } from '#model/schema/content-type.js';

/** The names of the routes below `/sync`, with their methods. */
const routes = { push: 'POST', schema: 'GET' } as const;

export type RouteName = keyof typeof routes;

/** Returns the content type whose path is that of a route: one of its name, whose copies have it, or one named `sync`; null if none is. */
export const pathOwner = (name: RouteName, { byPluralName, bySingularName }: Registry): ContentType | null =>
  byPluralName.get(name) ?? byPluralName.get('sync') ?? bySingularName.get('sync') ?? null;

/** Returns a warning for each route that is not served because a content type has its path. */
export const ownerWarnings = (registry: Registry, prefix: string): readonly string[] =>
  (Object.keys(routes) as RouteName[]).flatMap((name) => {
    const owner = pathOwner(name, registry);
    if (owner === null) return [];
    return [`${routes[name]} ${prefix}/sync/${name} is not served, because the content type ${owner.uid} has its path`];
  });
