import { type Collection, type Document, MongoBulkWriteError } from 'mongodb';
import { waited } from '#base/limits/timers.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { Queue } from '#base/limits/queue.js';
import { optionDefaults } from '#model/schema/added-attributes.js';
import { sharedUniquePaths } from '#model/schema/attribute-places.js';
import { commentIn, type Database, forJob } from '../send/database.js';
import { ensureCollections, storedCollections } from '../send/ensure-collections.js';
import { translating } from '../send/driver-errors.js';
import { localeGroup } from '../form/layout.js';
import { eachReply } from '../stored.js';
import type { IndexBuilds } from './index-builds.js';
import type { ModelWork } from './model-status.js';
import type { SearchBuilds } from './search-builds.js';
import { shardNewTypes } from './shard-types.js';

/** Milliseconds that a new type waits for its unique indexes before it is served. After that only writes to it wait for them. */
const indexPatience = 250;

/**
 * Milliseconds after a change of a model when its entries are completed again, because requests under way and instances with the
 * former snapshot still write entries in the former form.
 */
const completionDelays = [250, 1000, 5000];

interface Preparing extends Pick<ModelWork, 'database' | 'jobs'> {
  readonly indexes: IndexBuilds;
  readonly searches: SearchBuilds;
}

interface Prepared {
  /** The collections of the types that existed before. */
  readonly stored: ReadonlySet<string>;
  /** Resolves when all indexes are built. */
  readonly indexed: Promise<void>;
}

/**
 * Brings stored entries and indexes in line with new and changed types: completes entries and begins to build indexes. Resolves when
 * the types can be served.
 */
export async function prepareTypes(
  types: readonly ContentType[],
  completion: Completion,
  { database, jobs, indexes, searches }: Preparing,
): Promise<Prepared> {
  const { registry } = completion;
  searches.suspend(types);
  const names = types.map(({ collection }) => collection);
  const stored = await storedCollections(names, database);
  await ensureCollections(
    names.filter((name) => !stored.has(name)),
    database,
  );
  for (const text of await shardNewTypes(types, registry, database))
    jobs.observer.observe({ kind: 'warned', topic: 'database', text });
  const older = types.filter(({ collection }) => stored.has(collection));
  await completeDocuments(older, completion, database);
  const { unique, all } = indexes.begin(types, registry, stored);
  const patience = new AbortController();
  await Promise.race([unique, waited(indexPatience, patience.signal)]);
  patience.abort();
  return { stored, indexed: all };
}

/** Completes entries again that are written in the former form after the types are served. */
export function completeLater(
  types: readonly ContentType[],
  completion: Completion,
  { database, jobs }: Pick<ModelWork, 'database' | 'jobs'>,
): void {
  if (types.length === 0) return;
  const name = 'entry completion';
  repeatLater(name, jobs, () => completeDocuments(types, completion, forJob(database, name)));
}

/** Does the work on entries that are written in the former form after the types are served. */
export function repeatLater(name: string, jobs: Preparing['jobs'], run: () => Promise<void>): void {
  const times = completionDelays.map((milliseconds) => new Date(Date.now() + milliseconds));
  const failure = 'entries written during a model change could not be completed';
  jobs.start({ name, at: () => times.shift() ?? null, failure, run });
}

/** Returns whether entries of the former type lack fields that the type needs. */
export function needsMoreFields(type: ContentType, registry: Registry, before: Registry | null): boolean {
  const former = before?.types.get(type.uid);
  if (before === null || former === undefined) return false;
  const needsLeads = sharedUniquePaths(type, registry).length > 0 && sharedUniquePaths(former, before).length === 0;
  const needsOptions = Object.keys(optionDefaults(type)).some((name) => !former.attributes.has(name));
  return (type.draftAndPublish && !former.draftAndPublish) || (type.localized && !former.localized) || needsLeads || needsOptions;
}

/** Maximum number of collections that are completed at once, so that connections remain for requests. */
const atOnce = 8;

/** The types in force, and the locale of entries without one. */
interface Completion {
  readonly registry: Registry;
  readonly defaultLocale: string;
}

/**
 * Adds the fields that entries lack because they are older than an option of their type. Draft & publish sets their publication
 * date to that of their creation, localization sets the default locale and a new group, and unique values that all locales share
 * let one entry of each group lead it. Attributes of other options have their defaults. Idempotent.
 */
async function completeDocuments(types: readonly ContentType[], completion: Completion, database: Database): Promise<void> {
  const optional = types.filter((type) => type.draftAndPublish || type.localized || Object.keys(optionDefaults(type)).length > 0);
  const turns = new Queue({ atOnce });
  await Promise.all(optional.map((type) => turns.run(() => completeType(type, completion, database))));
}

async function completeType(type: ContentType, { registry, defaultLocale }: Completion, database: Database): Promise<void> {
  const { kind, collection, draftAndPublish, localized } = type;
  const { db } = database;
  const published = { publishedAt: { $ifNull: ['$createdAt', '$$NOW'] } };
  const alone = { locale: defaultLocale, _group: kind === 'singleType' ? 1 : '$_id' };
  const updates: readonly (readonly [Document, Document])[] = [
    ...(draftAndPublish ? [[{ publishedAt: { $exists: false } }, published] as const] : []),
    ...(localized ? [[{ locale: { $exists: false } }, alone] as const] : []),
    ...Object.entries(optionDefaults(type)).map(
      ([name, value]) => [{ [name]: { $exists: false } }, { [name]: { $literal: value } }] as const,
    ),
  ];
  for (const [filter, set] of updates)
    await translating(() => db.collection(collection).updateMany(filter, [{ $set: set }], commentIn(database)));
  if (sharedUniquePaths(type, registry).length > 0) await translating(() => completeLeads(db.collection(collection)));
}

type Entries = Collection<Document & { readonly _id: number }>;

/** Number of groups that are written at once. */
const batch = 1000;

/** Lets the oldest entry lead in each group in which none does. */
async function completeLeads(collection: Entries): Promise<void> {
  const leads = { $max: { $eq: [`$${localeGroup.leadField}`, true] } };
  const groups = [{ $group: { _id: localeGroup.number, leads, first: { $min: '$_id' } } }, { $match: { leads: false } }];
  const cursor = collection.aggregate<{ readonly first: number }>(groups, { allowDiskUse: true, batchSize: batch });
  await eachReply(cursor, (rows) =>
    setLeads(
      collection,
      rows.map(({ first }) => first),
    ),
  );
}

/** Lets entries lead, except for those whose values other groups have, which other programs can only have stored meanwhile. */
async function setLeads(collection: Entries, ids: readonly number[]): Promise<void> {
  const operations = ids.map((_id) => ({ updateOne: { filter: { _id }, update: { $set: localeGroup.leading } } }));
  await collection.bulkWrite(operations, { ordered: false }).catch((error: unknown) => {
    if (!(error instanceof MongoBulkWriteError && error.code === 11000)) throw error;
  });
}
