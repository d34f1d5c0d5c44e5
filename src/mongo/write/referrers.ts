import { dottedPath, type LinkPath, linkPaths } from '../../schema/attribute-places.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { Document } from '../send/database.js';
import { compileChange } from './compile-change.js';
import { linking, type Owner, unlinkingAt, unlinkMany } from './link-changes.js';
import { type Match, noList } from '../form/matches.js';

interface Referrer {
  readonly collection: string;
  readonly links: readonly LinkPath[];
}

/** Returns the collections whose documents may link to entries of a type. */
export function referrersOf(type: ContentType, registry: Registry): Referrer[] {
  return [...registry.types.values()].flatMap((owner) => {
    if (owner.kind === 'component') return [];
    const links = linkPaths(owner, registry).filter(
      ({ attribute }) => attribute.kind === 'morph' || attribute.target === type.uid,
    );
    return links.length === 0 ? [] : [{ collection: owner.collection, links }];
  });
}

/** Returns the operations that remove all links to one entry from the documents of a collection. */
export const unlinkOperations = (links: readonly LinkPath[], type: ContentType, id: number): Document[] =>
  links.map((link) => (link.steps.length === 0 ? unlinkMany(link.attribute, { type, id }) : unlinkInside(link, { type, id })));

/** Returns the operation that removes links inside components. In lists of components it changes only the elements with the link. */
function unlinkInside(link: LinkPath, owner: Owner): Document {
  const { steps, attribute } = link;
  const marked = steps.map(({ name, list }, index) => (list ? `${name}.$[e${String(index)}]` : name));
  const arrayFilters = steps.flatMap(({ list, zone }, index) => {
    if (!list) return [];
    const element = `e${String(index)}.`;
    const match = linkingInside({ ...link, steps: steps.slice(index + 1) }, owner, element);
    return [{ ...match, ...(zone !== null && { [`${element}__component`]: zone }) }];
  });
  const update = compileChange(unlinkingAt([...marked, attribute.name].join('.'), attribute, owner));
  return { updateMany: { filter: linkingInside(link, owner), update, ...(arrayFilters.length > 0 && { arrayFilters }) } };
}

/**
 * Returns a match for what has a link in a component. A stored list in place of a single component, from a former model, is hidden
 * and stays unchanged. `prefix` is put before each path.
 */
function linkingInside(link: LinkPath, owner: Owner, prefix = ''): Match {
  const { steps, attribute } = link;
  const lists = steps.findIndex(({ list }) => list);
  const single = steps.slice(0, lists === -1 ? steps.length : lists).map(({ name }) => name);
  const paths = single.map((_, index) => prefix + single.slice(0, index + 1).join('.'));
  return {
    ...linking(attribute, owner, prefix + dottedPath(link)),
    ...Object.fromEntries(paths.map((path) => [path, noList])),
  };
}
