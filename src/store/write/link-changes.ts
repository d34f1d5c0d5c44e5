import { type ContentType, type LinkAttribute, type MorphAttribute, type Registry, uidsOf } from '#model/schema/content-type.js';
import { maximumLinks } from '#model/schema/link-input.js';
import { type LinkPath, linkPaths } from '#model/schema/attribute-places.js';
import { alsoInDrafts, draftField } from '#model/schema/drafts-beside.js';
import type { Database, Document } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { hasDraft } from '../form/draft.js';
import { linkRanks, morphLinks } from '../form/layout.js';
import type { StoredDocument } from '../form/loaded.js';
import { is, type Match, matchesAll, matchesAny, uidOf } from '../form/matches.js';
import { FieldMoves } from '../send/field-moves.js';
import type { Store } from '../store.js';
import { updateInside } from '../form/update-inside.js';
import { bulkWrite } from './bulk-write.js';
import { type Change, changeMany, changeOne, compileChange } from './compile-change.js';

/** A related entry with its rank in a list; null if it has none yet. */
interface Ranked {
  readonly id: number;
  readonly rank: number | null;
}

/** The entry whose links are written. */
export interface Owner {
  readonly type: ContentType;
  readonly id: number;
}

/** Returns the links to an entry that an attribute of other entries stores, and the operations of `bulkWrite` that change them. */
const linksTo = (owner: Owner, type: ContentType, attribute: LinkAttribute | MorphAttribute) => ({
  type,
  attribute,
  /** Matches the entries that link to the entry. */
  match: linking(attribute, owner),
  read: (match: Match, database: Database) => readLinking(owner, { type, attribute }, match, database),
  add: (entry: number, rank: number) => linkOne(attribute, entry, owner, rank),
  remove: (entry: number) => unlinkOne(attribute, entry, owner),
  removeFrom: (match: Match) => unlinkMany(attribute, owner, match),
});

export type LinksTo = ReturnType<typeof linksTo>;

/**
 * Returns the entries of a match that link to an entry, in their order on the side of that entry. Returns at most one more than
 * the maximum number of links.
 */
async function readLinking(
  owner: Owner,
  { type, attribute }: { readonly type: ContentType; readonly attribute: LinkAttribute | MorphAttribute },
  match: Match,
  database: Database,
): Promise<Ranked[]> {
  const { name } = attribute;
  const rows = await readAll(database, {
    find: type.collection,
    filter: matchesAll(linking(attribute, owner), match),
    projection: { _id: 1, [attribute.kind === 'morph' ? name : linkRanks.path(name)]: 1 },
    limit: maximumLinks + 1,
    batchSize: maximumLinks + 2,
  });
  const ranked = rows.map((row) => ({ id: Number(row['_id']), rank: rankOf(row, attribute, owner) }));
  return ranked.sort((a, b) => (a.rank ?? -Infinity) - (b.rank ?? -Infinity) || a.id - b.id);
}

/** Returns a match for documents that link to an entry by an attribute. `path` leads from the document to the attribute. */
export function linking(other: LinkAttribute | MorphAttribute, { type, id }: Owner, path = other.name): Match {
  if (other.kind !== 'morph') return { [path]: id };
  return other.many
    ? { [path]: is.withElement({ __type: uidOf(type), id }) }
    : { [`${path}.__type`]: uidOf(type), [`${path}.id`]: id };
}

/** Returns the rank of the link that an attribute stores to an entry; null if there is none. */
export function rankOf(row: StoredDocument, other: LinkAttribute | MorphAttribute, { type, id }: Owner): number | null {
  if (other.kind === 'morph')
    return morphLinks(row[other.name]).find((link) => uidsOf(type).includes(link.__type) && link.id === id)?.rank ?? null;
  return linkRanks.of(row, other.name, id);
}

/**
 * Returns the operations that add a link from an entry to the owner, with a rank. They do not match an entry that has the maximum
 * number of links already. A polymorphic attribute to one entry keeps only the last written link.
 */
function linkOne(other: LinkAttribute | MorphAttribute, entry: number, owner: Owner, rank: number): readonly Document[] {
  const { name } = other;
  const { id } = owner;
  const room = { [`${name}.${String(maximumLinks - 1)}`]: is.absent };
  if (other.kind === 'morph') {
    const link = { __type: owner.type.uid, id, rank };
    if (!other.many) return [changeOne({ _id: entry }, { set: { [name]: link } })];
    return [unlinkOne(other, entry, owner), changeOne({ _id: entry, ...room }, { append: { [name]: link } })];
  }
  if (!other.many) return [changeOne({ _id: entry }, { set: { [name]: id, [linkRanks.path(name)]: rank } })];
  const filter = { _id: entry, ...matchesAny({ [name]: id }, room) };
  return [changeOne(filter, { add: { [name]: id }, set: { [linkRanks.path(name, id)]: rank } })];
}

const unlinkOne = (other: LinkAttribute | MorphAttribute, entry: number, owner: Owner): Document =>
  changeOne({ _id: entry }, unlinking(other, owner));

/** Removes the links to the owner from the entries of a match; by default from all entries that link to it. */
const unlinkMany = (other: LinkAttribute | MorphAttribute, owner: Owner, match = linking(other, owner)): Document =>
  changeMany(match, unlinking(other, owner));

function unlinking(other: LinkAttribute | MorphAttribute, owner: Owner): Change {
  const { name, many } = other;
  const change = unlinkingAt(name, other, owner);
  return other.kind === 'morph' ? change : { ...change, unset: [many ? linkRanks.path(name, owner.id) : linkRanks.path(name)] };
}

/** Returns the change that removes a link at a path, from an attribute without ranks. */
function unlinkingAt(path: string, other: LinkAttribute | MorphAttribute, { type, id }: Owner): Change {
  if (!other.many) return { set: { [path]: null } };
  return { take: { [path]: other.kind === 'morph' ? { __type: uidOf(type), id } : id } };
}

interface Referrer {
  readonly collection: string;
  readonly links: readonly LinkPath[];
}

/** Returns the collections whose documents may link to entries of a type. */
function referrersOf(type: ContentType, registry: Registry): Referrer[] {
  return [...registry.types.values()].flatMap((owner) => {
    if (owner.kind === 'component') return [];
    const links = alsoInDrafts(owner, linkPaths(owner, registry)).filter(
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
async function unlinkAll({ type, ids }: Unlinked, registry: Registry, store: Store): Promise<void> {
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
  const update = updateInside(link, { match: (path) => linking(attribute, owner, path), change });
  const isInDraft = steps[0]?.name === draftField; // an index has the entries with drafts
  return { updateMany: isInDraft ? { ...update, filter: { ...update.filter, ...hasDraft } } : update };
}

/** The links that other entries store to an entry. */
export const storedLinks = {
  to: linksTo,
  referrersOf,
  unlinkAll,
};
