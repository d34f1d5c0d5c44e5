import { setTimeout as delay } from 'node:timers/promises';
import { type Collection, type Document, MongoBulkWriteError } from 'mongodb';
import type { Logger } from '../../logger.js';
import { Queue } from '../../queue.js';
import { sharedUniquePaths } from '../../schema/attribute-places.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import { translating } from '../calls.js';
import type { Database } from '../database.js';
import { ensureCollections, storedCollections } from '../ensure-collections.js';
import { groupNumber, leadField, leading } from '../layout.js';
import type { IndexBuilds } from './index-builds.js';
import type { SearchBuilds } from './search-builds.js';
import { shardNewTypes } from './shard-types.js';

/** Milliseconds that a new type waits for its unique indexes before it is served. After that only writes to it wait for them. */
const indexPatience = 250;

/**
 * Milliseconds after a change of a model when its entries are completed again, because requests under way and instances with the
 * former snapshot still write entries in the former form.
 */
const completionDelays = [250, 1000, 5000];

interface PreparationInput {
  readonly database: Database;
  readonly logger: Logger;
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
 * Brings stored entries and indexes in line with new and changed types, before the types are served and for a while after that.
 */
export class TypePreparation {
  readonly #input: PreparationInput;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(input: PreparationInput) {
    this.#input = input;
  }

  /** Completes entries and begins to build indexes. Resolves when the types can be served. */
  async prepare(types: readonly ContentType[], registry: Registry, locale: string): Promise<Prepared> {
    const { database, logger, indexes, searches } = this.#input;
    searches.suspend(types);
    const names = types.map(({ collection }) => collection);
    const stored = await storedCollections(names, database);
    await ensureCollections(
      names.filter((name) => !stored.has(name)),
      database,
    );
    for (const refusal of await shardNewTypes(types, registry, database)) logger.warn({}, refusal);
    const older = types.filter(({ collection }) => stored.has(collection));
    await completeDocuments(older, { registry, defaultLocale: locale }, database);
    const { unique, all } = indexes.begin(types, registry, stored);
    const patience = new AbortController();
    await Promise.race([unique, delay(indexPatience, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
    return { stored, indexed: all };
  }

  /** Completes entries again that are written in the former form after the types are served. */
  completeLater(types: readonly ContentType[], registry: Registry, locale: string): void {
    if (types.length === 0) return;
    const { database, logger } = this.#input;
    for (const milliseconds of completionDelays) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        completeDocuments(types, { registry, defaultLocale: locale }, database).catch((error: unknown) => {
          logger.warn({ err: error }, 'entries written during a model change could not be completed');
        });
      }, milliseconds);
      this.#timers.add(timer);
    }
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

/** A type in the registry that is in force. */
interface Registered {
  readonly type: ContentType;
  readonly registry: Registry;
}

/** Returns whether entries of the former type lack fields that the type needs. */
export function asksForMore({ type, registry }: Registered, before: Registry | null): boolean {
  const former = before?.types.get(type.uid);
  if (before === null || former === undefined) return false;
  const needsLeads = sharedUniquePaths(type, registry).length > 0 && sharedUniquePaths(former, before).length === 0;
  return (type.draftAndPublish && !former.draftAndPublish) || (type.localized && !former.localized) || needsLeads;
}

/** Maximum number of collections that are completed at once, so that connections remain for requests. */
const atOnce = 8;

interface Completion {
  readonly registry: Registry;
  readonly defaultLocale: string;
}

/**
 * Adds the fields that entries lack because they are older than an option of their type. Draft & publish sets their publication
 * date to that of their creation, localization sets the default locale and a new group, and unique values that all locales share
 * let one entry of each group lead it. Idempotent.
 */
async function completeDocuments(types: readonly ContentType[], completion: Completion, database: Database): Promise<void> {
  const optional = types.filter(({ draftAndPublish, localized }) => draftAndPublish || localized);
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
  ];
  for (const [filter, set] of updates) await translating(() => db.collection(collection).updateMany(filter, [{ $set: set }]));
  if (sharedUniquePaths(type, registry).length > 0) await translating(() => completeLeads(db.collection(collection)));
}

type Entries = Collection<Document & { readonly _id: number }>;

/** Number of groups that are written at once. */
const batch = 1000;

/** Lets the oldest entry lead in each group in which none does. */
async function completeLeads(collection: Entries): Promise<void> {
  const leads = { $max: { $eq: [`$${leadField}`, true] } };
  const groups = [{ $group: { _id: groupNumber, leads, first: { $min: '$_id' } } }, { $match: { leads: false } }];
  const cursor = collection.aggregate<{ readonly first: number }>(groups, { allowDiskUse: true, batchSize: batch });
  let open: number[] = [];
  for await (const { first } of cursor) {
    open.push(first);
    if (open.length === batch) {
      await setLeads(collection, open);
      open = [];
    }
  }
  await setLeads(collection, open);
}

/** Lets entries lead, except for those whose values other groups have, which other programs can only have stored meanwhile. */
async function setLeads(collection: Entries, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const operations = ids.map((_id) => ({ updateOne: { filter: { _id }, update: { $set: leading } } }));
  await collection.bulkWrite(operations, { ordered: false }).catch((error: unknown) => {
    if (!(error instanceof MongoBulkWriteError && error.code === 11000)) throw error;
  });
}
