import { setTimeout as delay } from 'node:timers/promises';
import type { Jobs } from '../../jobs.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import { type Database, forJob } from '../send/database.js';
import { ensureCollections, storedCollections } from '../send/ensure-collections.js';
import { completeDocuments } from './complete-documents.js';
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
  readonly jobs: Jobs;
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

  constructor(input: PreparationInput) {
    this.#input = input;
  }

  /** Completes entries and begins to build indexes. Resolves when the types can be served. */
  async prepare(types: readonly ContentType[], registry: Registry, locale: string): Promise<Prepared> {
    const { database, jobs, indexes, searches } = this.#input;
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
    const { database, jobs } = this.#input;
    const times = completionDelays.map((milliseconds) => new Date(Date.now() + milliseconds));
    const name = 'entry completion';
    jobs.start({
      name,
      at: () => times.shift() ?? null,
      failure: 'entries written during a model change could not be completed',
      run: () => completeDocuments(types, { registry, defaultLocale: locale }, forJob(database, name)),
    });
  }
}
