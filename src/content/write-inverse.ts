import { readAll, type Database } from '../mongo/database.js';
import { bulkWrite } from '../mongo/write-entries.js';
import { applyLinkInput } from '../schema/parse-link-input.js';
import type { ContentType, LinkAttribute } from '../schema/content-type.js';
import { maximumLinks, tooManyLinks, type ExclusiveLinks, type InverseLinks } from './build-write.js';
import type { ContentContext } from './content-context.js';
import { planRanks, type Ranked } from './link-ranks.js';
import type { StoredDocument } from '../mongo/loaded.js';
import { keepingRules } from './row-rules.js';
import { writeMorphInverse, type Owner } from './write-morph-inverse.js';

/**
 * Writes links that are stored with the related entries: those that leave lose this entry, those that come get it with a rank,
 * those that move get a new rank. One read and one command; runs inside a transaction.
 */
export async function writeInverse(owner: Owner, links: InverseLinks, context: ContentContext): Promise<void> {
  if (links.link.storage.kind === 'morph') return writeMorphInverse(owner, links, context);
  const { link, input } = links;
  const { id } = owner;
  const target = context.bind.registry.types.get(link.target);
  const other = link.storage.kind === 'inverse' ? target?.attributes.get(link.storage.field) : undefined;
  if (target === undefined || other?.kind !== 'relation') return;
  const stored = await readStored(id, target, other, context.store.database);
  const ids = applyLinkInput(
    stored.map((ranked) => ranked.id),
    input,
  );
  const wanted = link.many ? ids : ids.slice(-1);
  const ranks = planRanks(wanted.map((entry) => stored.find((ranked) => ranked.id === entry) ?? { id: entry, rank: null }));
  const gone = stored.filter((ranked) => !wanted.includes(ranked.id));
  const operations = [
    ...gone.map((ranked) => unlinkOne(other, ranked.id, id)),
    ...[...ranks].map(([entry, rank]) => linkOne(other, entry, id, rank)),
  ];
  const changed = [
    ...gone.map((ranked) => ranked.id),
    ...wanted.filter((entry) => stored.every((ranked) => ranked.id !== entry)),
  ];
  await keepingRules({ type: target, names: [other.name], filter: { _id: { $in: changed } } }, context, async () => {
    const matched = await bulkWrite(context.store, target.collection, operations);
    if (other.many && matched < operations.length) throw tooManyLinks(other);
  });
}

/** The related entries as they are now, in the order seen from this entry. */
async function readStored(id: number, target: ContentType, other: LinkAttribute, database: Database): Promise<Ranked[]> {
  const rows = await readAll(database, {
    find: target.collection,
    filter: { [other.name]: id },
    projection: { _id: 1, [`_ranks.${other.name}`]: 1 },
    batchSize: 1_000_000,
  });
  const ranked = rows.map((row) => ({ id: Number(row['_id']), rank: rankOf(row, other, id) }));
  return ranked.sort((a, b) => (a.rank ?? -Infinity) - (b.rank ?? -Infinity) || a.id - b.id);
}

function rankOf(row: StoredDocument, other: LinkAttribute, id: number): number | null {
  const rank = (row['_ranks'] as StoredDocument | undefined)?.[other.name]; // written in this form
  const own: unknown = other.many ? (rank as StoredDocument | undefined)?.[String(id)] : rank;
  return typeof own === 'number' ? own : null;
}

function linkOne(other: LinkAttribute, entry: number, id: number, rank: number): object {
  const path = `_ranks.${other.name}`;
  if (!other.many) return { updateOne: { filter: { _id: entry }, update: { $set: { [other.name]: id, [path]: rank } } } };
  const filter = {
    _id: entry,
    $or: [{ [other.name]: id }, { [`${other.name}.${String(maximumLinks - 1)}`]: { $exists: false } }],
  };
  return { updateOne: { filter, update: { $addToSet: { [other.name]: id }, $set: { [`${path}.${String(id)}`]: rank } } } };
}

function unlinkOne(other: LinkAttribute, entry: number, id: number): object {
  return { updateOne: { filter: { _id: entry }, update: unlinkUpdate(other, id) } };
}

/** Takes one id out of an owning relation, with its rank. */
export function unlinkUpdate(other: LinkAttribute, id: number): Record<string, object> {
  const path = `_ranks.${other.name}`;
  if (!other.many) return { $set: { [other.name]: null }, $unset: { [path]: '' } };
  return { $pull: { [other.name]: id }, $unset: { [`${path}.${String(id)}`]: '' } };
}

/** Takes the target of a one-to-one relation from any other entry that has it. */
export async function writeExclusive(
  id: number,
  type: ContentType,
  { link, target }: ExclusiveLinks,
  context: ContentContext,
): Promise<void> {
  const filter = { [link.name]: target, _id: { $ne: id } };
  await keepingRules({ type, names: [link.name], filter }, context, async () => {
    await bulkWrite(context.store, type.collection, [{ updateMany: { filter, update: unlinkUpdate(link, target) } }]);
  });
}
