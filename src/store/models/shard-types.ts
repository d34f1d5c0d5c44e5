import { MongoServerError } from 'mongodb';
import { addedAs } from '#model/schema/added-attributes.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { translating } from '../send/driver-errors.js';
import type { Database } from '../send/database.js';
import { ensureCollections } from '../send/ensure-collections.js';
import { localeGroup } from '../form/layout.js';
import { keepsUnique, planIndexes } from '../read/plan-indexes.js';
import { isStored } from '../stored.js';

/** The effects of the shard key of a type, one line each, for operators. */
interface ShardReport {
  /** The reasons why the type cannot be sharded by its key. */
  readonly problems: readonly string[];
  /** The effects on requests if it is sharded. */
  readonly notes: readonly string[];
}

/** Returns the effects of a shard key on a type. Empty if the type has none. */
export function reportShard(type: ContentType, registry: Registry): ShardReport {
  const { shard } = type;
  if (shard === null) return { problems: [], notes: [] };
  const fields = Object.keys(shard);
  const key = JSON.stringify(shard);
  return {
    problems: [
      ...(type.kind === 'singleType' ? ['a single type has one entry, which is on one shard'] : []),
      ...fields
        .filter((field) => !canBeKey(type, field))
        .map((field) => `${field} is not an attribute that a shard key can have`),
      ...uniqueProblems(type, registry, fields),
    ],
    notes: [
      `unique: ${key} is the key; only an index that begins with it can keep values unique`,
      ...notesOnReads(type, fields),
      ...notesOnLinks(type, registry, fields),
    ],
  };
}

/**
 * Returns whether a shard key can have an attribute: a scalar of the entry itself, or a relation to one that is stored in the
 * entry.
 */
function canBeKey({ attributes }: ContentType, field: string): boolean {
  if (field === '_id') return true;
  const attribute = attributes.get(field);
  if (attribute?.kind === 'scalar') return scalarTypes[attribute.type].shardKey === true;
  return attribute?.kind === 'relation' && !attribute.many && attribute.storage.kind === 'own';
}

/**
 * Returns the unique values that the key does not keep unique. A shard only keeps values unique among its own entries, so all
 * entries that could have the same value must be on the same shard.
 */
function uniqueProblems(type: ContentType, registry: Registry, fields: readonly string[]): string[] {
  const isHashed = Object.values(type.shard ?? {}).includes('hashed');
  const uniques = planIndexes(type, registry).filter(keepsUnique);
  const broken = uniques.filter(({ key }) => isHashed || fields.some((field, index) => Object.keys(key)[index] !== field));
  const problems = broken.map(({ key }) => {
    const what = Object.keys(key).filter(
      (field) => field !== localeGroup.leadField && (addedAs(type, field) !== 'locale' || '_group' in key),
    );
    if (what.includes('_group')) return 'a localized entry has each locale once, which a single shard cannot guarantee';
    return `${what.join(', ')} is unique, which only a key of { "${what[0] ?? ''}": 1 } can guarantee`;
  });
  return [...new Set(problems)];
}

function notesOnReads({ uid }: ContentType, fields: readonly string[]): string[] {
  const byId = fields[0] === '_id' ? 'one shard' : 'all shards, because the key does not begin with the id';
  return [
    `reads: an entry of ${uid} by its id asks ${byId}; a list asks all shards unless a filter names ${fields.join(' and ')} with $eq or $in`,
    'sorts: each shard sorts and sends start + limit entries, of which all but limit are dropped: late pages cost all shards',
  ];
}

/** Returns which shards a populate reads, which depends on where the links are stored. */
function notesOnLinks(type: ContentType, { types }: Registry, fields: readonly string[]): string[] {
  const others = [...types.values()].filter(({ kind }) => kind !== 'component');
  const leading = others.flatMap((owner) =>
    [...owner.attributes.values()].flatMap((link) =>
      link.kind === 'relation' && link.target === type.uid && link.storage.kind !== 'localizations' ? [{ owner, link }] : [],
    ),
  );
  return leading.map(({ owner, link: { name, storage } }) => {
    const field = storage.kind === 'own' ? '_id' : storage.kind === 'localizations' ? '_group' : storage.field;
    const scope = fields[0] === field ? 'the shards of those entries' : 'all shards';
    return `relations: ${owner.uid} populates ${name} by ${field}, and a $lookup does so for each parent: ${scope}`;
  });
}

/**
 * Shards the collection of a type by its key. Has no effect if it is sharded by that key already. The cluster distributes stored
 * entries in the background. Throws an Error with the reason if the cluster refuses.
 */
export async function shardType({ collection, shard }: ContentType, database: Database): Promise<void> {
  if (shard === null) return;
  const { client, db } = database;
  await ensureCollections([collection], database);
  await translating(() => db.collection(collection).createIndex({ ...shard }));
  await translating(() => client.db('admin').command({ shardCollection: `${db.databaseName}.${collection}`, key: { ...shard } }));
}

/** Shards the types whose collections are still empty. Returns a line for each refusal. */
export async function shardNewTypes(types: readonly ContentType[], registry: Registry, database: Database): Promise<string[]> {
  if (!database.isSharded) return [];
  const keyed = types.filter(({ shard }) => shard !== null);
  const refusals = await Promise.all(keyed.map((type) => shardNewType(type, registry, database)));
  return refusals.flat();
}

async function shardNewType(type: ContentType, registry: Registry, database: Database): Promise<string[]> {
  const refused = (reasons: readonly string[]) => reasons.map((reason) => `${type.uid} is not sharded: ${reason}`);
  const { problems } = reportShard(type, registry);
  if (problems.length > 0) return refused(problems);
  if (await isStored(database, type.collection)) return [];
  try {
    await shardType(type, database);
    return [];
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error;
    return refused([error.message]);
  }
}
