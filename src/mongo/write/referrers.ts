import { dottedPath, type LinkPath, linkPaths } from '../../schema/attribute-places.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { Document } from '../send/database.js';
import { FieldMoves } from '../send/field-moves.js';
import type { Store } from '../store.js';
import { bulkWrite } from './bulk-write.js';
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

/** The entries whose links are removed. */
interface Unlinked {
  readonly type: ContentType;
  readonly ids: readonly number[];
}

/**
 * Removes all links to entries of a type. An attribute that is being renamed has an operation for each name, because documents may
 * have the list of components behind one name only.
 */
export async function unlinkAll({ type, ids }: Unlinked, registry: Registry, store: Store): Promise<void> {
  const { database } = store;
  const exact = { ...store, database: { ...database, moves: new FieldMoves() } };
  for (const { collection, links } of referrersOf(type, registry)) {
    const places = links.flatMap((link) => database.moves.placesOf(link));
    await bulkWrite(
      exact,
      collection,
      ids.flatMap((id) => places.map((link) => unlink(link, { type, id }))),
    );
  }
}

function unlink(link: LinkPath, owner: Owner): Document {
  const { steps, attribute } = link;
  if (steps.length === 0) return unlinkMany(attribute, owner);
  const change = (path: string): Document => compileChange(unlinkingAt(path, attribute, owner));
  return { updateMany: updateInside(link, { match: (path) => linking(attribute, owner, path), change }) };
}

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
    ...Object.fromEntries(paths.map((path) => [path, noList])),
  };
}
