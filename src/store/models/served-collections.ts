import { collections } from '#model/schema/collections.js';
import { builtinModels } from '#model/schema/builtin-models.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { collectionNamePattern, collectionOf, type ModelDocument } from '#model/schema/model.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
import { storedCollections } from '../send/ensure-collections.js';
import { listIndexes } from './indexes.js';
import { ownIndexes } from '../read/plan-indexes.js';
import { findStored, isStored } from '../stored.js';
import { is } from '../form/matches.js';

/** A document of `_collections`: a collection that was served once belongs to the service, even after its model is deleted. */
interface ServedCollection {
  readonly _id: string;
  /** The type that was served first. */
  readonly uid: string;
  readonly since: Date;
  /** The places whose values are hashes of passwords, also of attributes that were removed since. */
  readonly passwords?: readonly string[];
}

type Types = Pick<Registry, 'types'>;

/**
 * Returns the collections of these models that have documents and were never served, so that they may belong to another
 * application. If the first record is incomplete, the database may be older than the record. In this case the collections of
 * active models, and those with indexes of the service, count as served. `inForce` are types whose collections are recorded.
 */
async function findForeign(
  models: readonly ModelDocument[],
  database: Database,
  inForce: Types | null = null,
): Promise<ReadonlySet<string>> {
  const unknown = namesOf(models, inForce);
  const stored = [...(await storedCollections(unknown, database))];
  const recorded = await readRecorded(stored, database);
  const open = stored.filter((name) => !recorded.has(name));
  const filled = await filterNames(open, (name) => isStored(database, name));
  if (filled.length === 0) return new Set();
  // Read again: another instance records a collection before it serves it, so its clients may have written the documents.
  const recordedNames = await readRecorded([...filled, lastRecorded], database);
  const unrecorded = filled.filter((name) => !recordedNames.has(name));
  if (recordedNames.has(lastRecorded)) return new Set(unrecorded);
  const active = new Set(namesOf(await readActive(models, database)));
  return new Set(await filterNames(unrecorded, async (name) => !active.has(name) && !(await hasIndexes(name, database))));
}

/** Returns the names for which a test resolves to true. */
async function filterNames(names: readonly string[], test: (name: string) => Promise<boolean>): Promise<readonly string[]> {
  const passing = await Promise.all(names.map(async (name) => ((await test(name)) ? [name] : [])));
  return passing.flat();
}

const builtinUids: ReadonlySet<string> = new Set(builtinModels.map(({ uid }) => uid));

/** The collection that is recorded last, which shows that the first record is complete. */
const lastRecorded = collections.users;

/**
 * Returns the collections of content types, except for those of types in force and of built-in types. Models with an invalid
 * collection name are left out, because they are not in force.
 */
function namesOf(models: readonly ModelDocument[], inForce: Types | null = null): readonly string[] {
  const named = models.filter(({ uid }) => uid.includes('::') && !builtinUids.has(uid));
  const names = named.filter((model) => !isServed(model.uid, collectionOf(model), inForce)).map(collectionOf);
  return [...new Set(names)].filter((name) => isName.test(name));
}

/** Returns whether a type in force has the collection. Collections of other types are looked up in the record. */
const isServed = (uid: string, name: string, inForce: Types | null): boolean => inForce?.types.get(uid)?.collection === name;

const isName = new RegExp(collectionNamePattern);

/** Returns those of the names that are recorded. */
async function readRecorded(names: readonly string[], database: Database): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await findStored(database, collections.servedCollections, { match: { _id: is.oneOf(names) }, fields: ['_id'] });
  return new Set(rows.map(({ _id }) => String(_id)));
}

/** Returns those of the models that are in force on some instance of the service. */
async function readActive(models: readonly ModelDocument[], database: Database): Promise<readonly ModelDocument[]> {
  const states = await findStored(database, collections.modelStatus, { match: { state: is.oneOf(['active', 'moving']) } });
  const active = new Set(states.map(({ uid }) => uid as unknown));
  return models.filter(({ uid }) => active.has(uid));
}

const hasIndexes = async (name: string, { db }: Database): Promise<boolean> =>
  (await listIndexes(db, name)).some(({ name: index = '' }) => index.startsWith(ownIndexes));

/**
 * Number of names up to which all are written without reading the record first, because a repeated write costs no more than the
 * read.
 */
const fewNames = 10;

/** Records the collections of these types. `inForce` are types whose collections are recorded. */
async function recordServed(types: Iterable<ContentType>, database: Database, inForce: Types | null = null): Promise<void> {
  const unknown = [...types].filter(({ uid, kind, collection }) => kind !== 'component' && !isServed(uid, collection, inForce));
  const names = unknown.map(({ collection }) => collection);
  const recorded = names.length > fewNames ? await readRecorded(names, database) : new Set<string>();
  const missing = unknown
    .filter(({ collection }) => !recorded.has(collection))
    .sort((a, b) => Number(a.collection === lastRecorded) - Number(b.collection === lastRecorded));
  if (missing.length === 0) return;
  const since = new Date();
  const operations = missing.map(({ uid, collection }) => ({
    updateOne: { filter: { _id: collection }, update: { $setOnInsert: { uid, since } }, upsert: true },
  }));
  const records = database.db.collection<ServedCollection>(collections.servedCollections);
  await inWriteTime(database, () => records.bulkWrite(operations, inScope(database)));
}

/** Returns the collections with documents that were served once, and that no model has any more. */
async function findLeftCollections(registry: Registry, database: Database): Promise<readonly string[]> {
  const served = new Set([...registry.types.values()].map(({ collection }) => collection));
  const recorded = await findStored(database, collections.servedCollections, { fields: ['_id'] });
  const left = recorded.map(({ _id }) => String(_id)).filter((name) => !served.has(name));
  return filterNames(left, (name) => isStored(database, name));
}

/** The collections that types have had, by which those of other software are told apart. */
export const servedCollections = {
  findForeign,
  record: recordServed,
  findLeft: findLeftCollections,
};
