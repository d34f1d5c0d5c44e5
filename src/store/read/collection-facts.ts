import type { Db, Document, IndexDescriptionInfo } from 'mongodb';
import { BoundedCache, memoize } from '#base/caches.js';
import { commentIn, type Database, ofNoRequest } from '../send/database.js';
import { countDocuments, readAll } from '../send/read-commands.js';
import { type Leading, leadingOf } from './is-served.js';

/**
 * Number of entries that are few. Reading all of so small a collection is as good as a choice between indexes, and so many entries
 * may be kept while a page is read.
 */
export const fewEntries = 1_000;

/** Assumed number of links in a relation to many. */
export const linksOfEntry = 3;

/** What is read about a collection. */
interface Subject {
  readonly collection: string;
  /** The condition that entries meet, if only some of them are meant. */
  readonly match?: Document;
  /** The number up to which entries are counted; all by default. */
  readonly limit?: number;
  /** Whether its entries have locales; false by default. */
  readonly localized?: boolean;
}

interface Fact<Value> {
  readonly value: Promise<Value>;
  readonly until: number;
}

/** Milliseconds for which a fact is cached. */
export const factLifetime = 60_000;

/** Milliseconds that reading a fact, or a page by an index that was chosen by such facts, may take. */
export const factTimeout = 1_000;

/** Bounds of a cache of facts. Conditions consist of publication state and locales, so there are few. */
export const factBounds = { entries: 5_000, bytes: 5_000_000 };

type Read<Value> = (subject: Subject, database: Database) => Promise<Value>;

/** Returns a function that reads a fact about a collection, and caches it for a minute. */
function cacheFacts<Value>(read: Read<Value>): Read<Value> {
  const factsOf = memoize<Db, BoundedCache<Fact<Value>>>(() => new BoundedCache(factBounds));
  return (subject, database) => {
    const facts = factsOf(database.db);
    const key = JSON.stringify([subject.collection, subject.match, subject.limit]);
    const fact = facts.get(key);
    if (fact !== undefined && fact.until > Date.now()) return fact.value;
    const value = read(subject, shared(database));
    facts.set(key, { value, until: Date.now() + factLifetime }, 100);
    value.catch(() => {
      facts.delete(key);
    });
    return value;
  };
}

/** Returns the database outside of the scope of the request, because all requests share the result. */
export const shared = (database: Database): Database => ({
  ...database,
  ...ofNoRequest,
  ...commentIn(database),
  isScanned: false,
  trace: null,
});

/** Returns the approximate number of entries of a collection, which may be a minute old. */
export const estimateSize = cacheFacts(({ collection }, database) => countDocuments(collection, database));

const limited = (database: Database): Database => ({ ...database, maxTimeMS: { ...database.maxTimeMS, read: factTimeout } });

/** Returns the number of entries that meet a condition, up to a limit, which may be a minute old; null if counting takes long. */
export const estimateCount = cacheFacts<number | null>(({ collection, match = {}, limit }, database) =>
  countDocuments(collection, limited(database), { query: match, ...(limit !== undefined && { limit }) }).catch(() => null),
);

/**
 * Returns the first paths of all indexes of a collection, including those that operators have made. The result may be a minute
 * old. Throws a MongoServerError if the collection does not exist.
 */
export const readLeading = cacheFacts<Leading>(async ({ collection, localized = false }, database) => {
  const indexes = (await readAll(limited(database), { listIndexes: collection })) as readonly IndexDescriptionInfo[]; // the form of every index
  const usable = indexes.filter(({ hidden, collation }) => hidden !== true && collation === undefined);
  return leadingOf(usable, { localized });
});
