import type { Config } from '#settings/config.js';
import type { Registry } from '#model/schema/content-type.js';

export interface ClosedInput {
  readonly config: Config;
  /** The APIs and plugins whose content types are served only by their routers, such as `api::page`. */
  readonly owners: readonly string[];
}

/**
 * Returns the generated paths of the project's content types, which are not served unless a router contains them, look-ups included. As
 * in Strapi v4, a type with any route also has the route of its localizations. `routed` are the types with routes.
 */
export function closedPaths(registry: Registry, routed: ReadonlySet<string>, { owners, config }: ClosedInput): string[] {
  const { prefix } = config.api.rest;
  const own = [...registry.types.values()].filter(
    ({ uid, kind }) => kind !== 'component' && owners.some((owner) => uid.startsWith(`${owner}.`)),
  );
  return own.flatMap(({ uid, kind, singularName, pluralName }) => {
    const path = `${prefix}/${kind === 'singleType' ? singularName : pluralName}`;
    const entry = kind === 'singleType' ? path : `${path}/:id`;
    const lookUps = kind === 'singleType' ? [] : [`${path}/count`, `${path}/by/:attribute/:value`];
    return [path, entry, ...lookUps, ...(routed.has(uid) ? [] : [`${entry}/localizations`])];
  });
}
