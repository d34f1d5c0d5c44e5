import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../logger.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { Database } from '../database.js';
import { ensureCollections, storedCollections } from '../ensure-collections.js';
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
