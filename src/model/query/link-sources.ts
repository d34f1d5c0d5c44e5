import type { ContentType } from '../schema/content-type.js';
import { linkPaths, type LinkPath } from '../schema/attribute-places.js';
import { maySee, readable } from './access.js';
import type { BindContext } from './bind-context.js';

/** A type whose entries, or components inside them, store links to files. */
export interface LinkSource {
  /** The type that has the attributes: that of the entries, or a component. */
  readonly holder: ContentType;
  /** The type of the entries. */
  readonly owner: ContentType;
  readonly paths: readonly LinkPath[];
}

/**
 * Returns the types that store links to entries of a type, as far as the caller may read them. No role is granted a right to find
 * components, so only callers that may read everything get them as holders, as in Strapi v4.
 */
export function linkSources(target: ContentType, { registry, access }: BindContext): LinkSource[] {
  return [...registry.types.values()].flatMap((owner) => {
    if (owner.kind === 'component' || !maySee(access, owner.uid)) return [];
    const paths = linkPaths(owner, registry).filter(
      ({ attribute, steps, holders }) =>
        attribute.kind !== 'morph' &&
        attribute.target === target.uid &&
        [...steps.map(({ name }) => name), attribute.name].every((name, depth) => {
          const holder = holders[depth];
          return holder !== undefined && readable(holder, name, access) !== null;
        }),
    );
    const holders = new Set(paths.flatMap((path) => path.holders.at(-1) ?? []));
    const types = [...holders].filter(({ uid }) => maySee(access, uid));
    return types.map((holder) => ({ holder, owner, paths: paths.filter((path) => path.holders.at(-1) === holder) }));
  });
}
