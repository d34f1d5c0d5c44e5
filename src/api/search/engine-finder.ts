import type { Finder, TextSearch } from '#content/finder.js';
import { withinTime } from '#base/limits/clock.js';
import type { Observer } from '#base/observe/observer.js';
import type { FoundEntries } from '#model/query/ast.js';
import { cacheUntilChanged } from '#store/changes/cached-reads.js';
import type { Backend } from '#store/models/open-backend.js';
import { EngineRefusal } from './call-engine.js';
import { indexCollection } from './declaration.js';
import type { SearchEngine } from './engine.js';
import { type IndexState, readIndexes } from './index-rows.js';
import { indexOf, searchedTypes } from './searched-types.js';
import type { SearchSettings } from './settings.js';

/** Maximum number of ids that are taken from an engine. One more is asked for, which tells that there are more. */
export const mostIds = 10_000;

/** Milliseconds for which an engine that has failed is not asked again. */
const pause = 5_000;

interface FinderParts {
  readonly backend: Backend;
  readonly engine: SearchEngine;
  readonly settings: SearchSettings;
  readonly observer: Observer;
}

/** Finds entries by an engine. If it fails, or has no complete index, the database must search. */
export class EngineFinder implements Finder {
  readonly #parts: FinderParts;
  readonly #indexes: () => Promise<IndexState>;
  /** The time, by `performance.now()`, before which the engine is not asked; null if it has not failed. */
  #pausedUntil: number | null = null;

  constructor(parts: FinderParts) {
    const { changes, database } = parts.backend.store;
    this.#parts = parts;
    this.#indexes = cacheUntilChanged(changes, [indexCollection], () => readIndexes(database));
  }

  async find(search: TextSearch): Promise<FoundEntries | null> {
    const { engine, observer, backend, settings } = this.#parts;
    const searched = searchedTypes(backend.models.snapshot.registry, settings).get(search.type.collection);
    if (searched === undefined || searched.type !== search.type || !hasWord.test(search.text)) return null;
    const begun = performance.now();
    const note = (result: 'found' | 'failed' | 'paused' | 'no index'): null => {
      observer.observe({ kind: 'engine searched', engine: engine.name, result, ms: performance.now() - begun });
      return null;
    };
    if (this.#pausedUntil !== null && begun < this.#pausedUntil) return note('paused');
    try {
      const index = (await this.#indexes()).indexes.get(search.type.collection)?.index ?? null;
      if (index?.form !== searched.form) return note('no index');
      const ends = new AbortController();
      const wanted = { ...search, limit: mostIds + 1 };
      const ids = await withinTime(settings.timeout, () =>
        engine.search(indexOf(searched, index.name), wanted, ends.signal),
      ).finally(() => {
        ends.abort();
      });
      this.#succeed();
      note('found');
      return { ids: ids.slice(0, mostIds), isTruncated: ids.length > mostIds, by: engine.name };
    } catch (err) {
      this.#fail(err);
      return note('failed');
    }
  }

  #succeed(): void {
    if (this.#pausedUntil !== null) this.#parts.observer.observe({ kind: 'engine found' });
    this.#pausedUntil = null;
  }

  #fail(err: unknown): void {
    if (err instanceof EngineRefusal && err.status < 500 && ![401, 403].includes(err.status)) return; // of this search alone
    if (this.#pausedUntil === null) this.#parts.observer.observe({ kind: 'engine lost', err });
    this.#pausedUntil = performance.now() + pause;
  }
}

/** Engines ignore all else, or take it for an operator: Typesense finds everything by `*`. */
const hasWord = /[\p{L}\p{N}]/u;
