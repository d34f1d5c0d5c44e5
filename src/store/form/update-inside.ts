import type { Document } from 'mongodb';
import { dottedPath, type LinkPath } from '#model/schema/attribute-places.js';
import { is, type Match } from './matches.js';

interface InsideUpdate {
  /** Returns a match for what has the link at a path. */
  readonly match: (path: string) => Match;
  /** Returns the update of the link at a path. */
  readonly change: (path: string) => Document;
}

/** The parts of an `updateMany`. */
export interface UpdateParts {
  readonly filter: Match;
  readonly update: Document;
  readonly arrayFilters?: Document[];
}

/** Returns an update of links inside components. In lists of components it changes only the elements with the link. */
export function updateInside(link: LinkPath, { match, change }: InsideUpdate): UpdateParts {
  const { steps, attribute } = link;
  const marked = steps.map(({ name, list }, index) => (list ? `${name}.$[e${String(index)}]` : name));
  const arrayFilters = steps.flatMap(({ list, zone }, index) => {
    if (!list) return [];
    const element = `e${String(index)}.`;
    const inside = matchInside({ ...link, steps: steps.slice(index + 1) }, match, element);
    return [{ ...inside, ...(zone !== null && { [`${element}__component`]: zone }) }];
  });
  const update = change([...marked, attribute.name].join('.'));
  return { filter: matchInside(link, match), update, ...(arrayFilters.length > 0 && { arrayFilters }) };
}

/**
 * Returns a match for what has a link in a component. A stored list in place of a single component, from a former model, is hidden
 * and stays unchanged. `prefix` is put before each path.
 */
function matchInside(link: LinkPath, match: InsideUpdate['match'], prefix = ''): Match {
  const { steps } = link;
  const lists = steps.findIndex(({ list }) => list);
  const single = steps.slice(0, lists === -1 ? steps.length : lists).map(({ name }) => name);
  const paths = single.map((_, index) => prefix + single.slice(0, index + 1).join('.'));
  return {
    ...match(prefix + dottedPath(link)),
    ...Object.fromEntries(paths.map((path) => [path, is.noList])),
  };
}
