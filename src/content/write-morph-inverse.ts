import { readAll } from '../mongo/database.js';
import { morphLinks } from '../mongo/loaded.js';
import { bulkWrite } from '../mongo/write-entries.js';
import { applyLinkInput } from '../schema/parse-link-input.js';
import type { ContentType, MorphAttribute } from '../schema/content-type.js';
import type { InverseLinks } from './build-write.js';
import type { ContentContext } from './content-context.js';
import { planRanks, type Ranked } from './link-ranks.js';

/** The entry whose links are written. */
export interface Owner {
  readonly type: ContentType;
  readonly id: number;
}

/**
 * Writes a morphOne or morphMany relation: its links are `{ __type, id, rank }` in the polymorphic attribute of the related
 * entries. A polymorphic to-one attribute links to what was written last. One read and one command, inside a transaction.
 */
export async function writeMorphInverse(owner: Owner, { link, input }: InverseLinks, context: ContentContext): Promise<void> {
  const target = context.bind.registry.types.get(link.target);
  const other = link.storage.kind === 'morph' ? target?.attributes.get(link.storage.field) : undefined;
  if (target === undefined || other?.kind !== 'morph') return;
  const stored = await readLinked(owner, target, other, context);
  const ids = applyLinkInput(
    stored.map(({ id }) => id),
    input,
  );
  const wanted = link.many ? ids : ids.slice(-1);
  const ranks = planRanks(wanted.map((id) => stored.find((ranked) => ranked.id === id) ?? { id, rank: null }));
  const gone = stored.filter(({ id }) => !wanted.includes(id));
  const operations = [
    ...gone.map(({ id }) => ({ updateOne: { filter: { _id: id }, update: unlink(owner, other) } })),
    ...[...ranks].flatMap(([id, rank]) => linkOne(owner, other, id, rank)),
  ];
  await bulkWrite(context.store, target.collection, operations);
}

async function readLinked(
  { type, id }: Owner,
  target: ContentType,
  other: MorphAttribute,
  { store }: ContentContext,
): Promise<Ranked[]> {
  const filter = { [other.name]: { $elemMatch: { __type: type.uid, id } } };
  const single = { [`${other.name}.__type`]: type.uid, [`${other.name}.id`]: id };
  const command = {
    find: target.collection,
    filter: other.many ? filter : single,
    projection: { [other.name]: 1 },
    batchSize: 1_000_000,
  };
  const rows = await readAll(store.database, command);
  const ranked = rows.map((row) => {
    const own = morphLinks(row[other.name]).find((entry) => entry.__type === type.uid && entry.id === id);
    return { id: Number(row['_id']), rank: own?.rank ?? null };
  });
  return ranked.sort((a, b) => (a.rank ?? -Infinity) - (b.rank ?? -Infinity) || a.id - b.id);
}

function unlink({ type, id }: Owner, { name, many }: MorphAttribute): object {
  return many ? { $pull: { [name]: { __type: type.uid, id } } } : { $set: { [name]: null } };
}

function linkOne(owner: Owner, other: MorphAttribute, id: number, rank: number): object[] {
  const link = { __type: owner.type.uid, id: owner.id, rank };
  if (!other.many) return [{ updateOne: { filter: { _id: id }, update: { $set: { [other.name]: link } } } }];
  return [
    { updateOne: { filter: { _id: id }, update: unlink(owner, other) } },
    { updateOne: { filter: { _id: id }, update: { $push: { [other.name]: link } } } },
  ];
}
