import type { ContentType, LinkAttribute, MorphAttribute } from '../../schema/content-type.js';
import { type Change, changeMany, changeOne } from './compile-change.js';
import { type Database, type Document, readAll } from '../database.js';
import { rankPath, storedRank } from '../layout.js';
import { morphLinks, type StoredDocument } from '../loaded.js';
import { absent, type Match, matchesAny, withElement } from '../matches.js';

/** Ids that one document keeps for one relation; beyond that the other side should be the owning one. */
export const maximumLinks = 10_000;

/** A related entry with its place in a list; null if it has none yet. */
export interface Ranked {
  readonly id: number;
  readonly rank: number | null;
}

/** The entry whose links are written. */
export interface Owner {
  readonly type: ContentType;
  readonly id: number;
}

/** The entries of a type that link to an entry, in the order seen from there. */
export async function readLinking(
  owner: Owner,
  target: ContentType,
  other: LinkAttribute | MorphAttribute,
  database: Database,
): Promise<Ranked[]> {
  const projection = { _id: 1, ...(other.kind === 'morph' ? { [other.name]: 1 } : { [rankPath(other.name)]: 1 }) };
  const filter = linking(other, owner);
  const rows = await readAll(database, { find: target.collection, filter, projection, batchSize: 1_000_000 });
  const ranked = rows.map((row) => ({ id: Number(row['_id']), rank: rankOf(row, other, owner) }));
  return ranked.sort((a, b) => (a.rank ?? -Infinity) - (b.rank ?? -Infinity) || a.id - b.id);
}

/** The documents that link to an entry by an attribute. */
function linking(other: LinkAttribute | MorphAttribute, { type, id }: Owner): Match {
  const { name } = other;
  if (other.kind !== 'morph') return { [name]: id };
  return other.many ? { [name]: withElement({ __type: type.uid, id }) } : { [`${name}.__type`]: type.uid, [`${name}.id`]: id };
}

function rankOf(row: StoredDocument, other: LinkAttribute | MorphAttribute, { type, id }: Owner): number | null {
  if (other.kind === 'morph')
    return morphLinks(row[other.name]).find((link) => link.__type === type.uid && link.id === id)?.rank ?? null;
  const rank = storedRank(row, other.name);
  const own: unknown = other.many ? (rank as StoredDocument | undefined)?.[String(id)] : rank; // written in this form
  return typeof own === 'number' ? own : null;
}

/** Has an entry link to the owner, at a place. Does nothing if it holds as many links as it may. */
export function linkOne(other: LinkAttribute, entry: number, { id }: Owner, rank: number): Document {
  const { name } = other;
  if (!other.many) return changeOne({ _id: entry }, { set: { [name]: id, [rankPath(name)]: rank } });
  const room = matchesAny({ [name]: id }, { [`${name}.${String(maximumLinks - 1)}`]: absent });
  return changeOne({ _id: entry, ...room }, { add: { [name]: id }, set: { [rankPath(name, id)]: rank } });
}

/** The same for a polymorphic attribute; one to one links to what was written last. */
export function linkOneMorph(other: MorphAttribute, entry: number, owner: Owner, rank: number): Document[] {
  const link = { __type: owner.type.uid, id: owner.id, rank };
  if (!other.many) return [changeOne({ _id: entry }, { set: { [other.name]: link } })];
  return [unlinkOne(other, entry, owner), changeOne({ _id: entry }, { append: { [other.name]: link } })];
}

/** Has one entry no longer link to the owner. */
export const unlinkOne = (other: LinkAttribute | MorphAttribute, entry: number, owner: Owner): Document =>
  changeOne({ _id: entry }, unlinking(other, owner));

/** Has all entries of a match, or all that do, no longer link to the owner. */
export const unlinkMany = (other: LinkAttribute | MorphAttribute, owner: Owner, match = linking(other, owner)): Document =>
  changeMany(match, unlinking(other, owner));

function unlinking(other: LinkAttribute | MorphAttribute, { type, id }: Owner): Change {
  const { name, many } = other;
  if (other.kind === 'morph') return many ? { take: { [name]: { __type: type.uid, id } } } : { set: { [name]: null } };
  return many ? { take: { [name]: id }, unset: [rankPath(name, id)] } : { set: { [name]: null }, unset: [rankPath(name)] };
}
