import { type LinkPath, linkPaths } from '../../schema/attribute-places.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { Document } from '../send/database.js';
import { FieldMoves } from '../send/field-moves.js';
import type { Store } from '../store.js';
import { bulkWrite } from './bulk-write.js';
import { compileChange } from './compile-change.js';
import { linking, type Owner, unlinkingAt, unlinkMany } from './link-changes.js';
import { updateInside } from '../form/update-inside.js';

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
