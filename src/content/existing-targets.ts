import { type ContentType, type Registry, uidsOf } from '#model/schema/content-type.js';
import { is } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import type { ContentContext } from './content-context.js';

/** An entry to which something links, by the uid of its type. */
export interface LinkTarget {
  readonly uid: string;
  readonly id: unknown;
}

/** Returns the type of a uid in stored links, which may be the former one of a type that was renamed; undefined if there is none. */
export const typeOfLink = ({ types }: Registry, uid: string): ContentType | undefined =>
  types.get(uid) ?? [...types.values()].find((type) => uidsOf(type).includes(uid));

/** Returns a function that says whether one of these entries is stored. Sends one command for each of their types. */
export async function existingTargets(
  targets: readonly LinkTarget[],
  { bind, store }: ContentContext,
): Promise<(target: LinkTarget) => boolean> {
  const stored = new Map<string, ReadonlySet<unknown>>();
  for (const uid of new Set(targets.map((target) => target.uid))) {
    const collection = typeOfLink(bind.registry, uid)?.collection;
    if (collection === undefined) continue;
    const ids = targets.flatMap((target) => (target.uid === uid ? [target.id] : []));
    const documents = await findStored(store.database, collection, { match: { _id: is.oneOf(ids) }, fields: ['_id'] });
    stored.set(uid, new Set(documents.map(({ _id }): unknown => _id)));
  }
  return ({ uid, id }) => stored.get(uid)?.has(id) === true;
}
