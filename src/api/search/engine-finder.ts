import type { Finder, TextSearch } from '#content/finder.js';
import { withinTime } from '#base/limits/clock.js';
import type { Observer } from '#base/observe/observer.js';
import type { FoundEntries } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { cacheUntilChanged } from '#store/changes/changes.js';
import type { Backend } from '#store/models/open-backend.js';
import { EngineRefusal } from './call-engine.js';
import { indexCollection } from './declaration.js';
import type { EngineIndex, SearchEngine } from './engine.js';
import { EngineHealth, EngineTimeout } from './engine-health.js';
import { type IndexState, readIndexes } from './index-rows.js';
import { reportLostIndex } from './lost-indexes.js';
import { indexOf, type SearchedType, searchedTypes } from './searched-types.js';
import type { SearchSettings } from './settings.js';

/** Maximum number of ids that are taken from an engine. One more is asked for, which tells that there are more. */
export const mostIds = 10_000;

interface FinderParts {
  readonly backend: Backend;
  readonly engine: SearchEngine;
  readonly settings: SearchSettings;
  readonly observer: Observer;
}

type Result = 'found' | 'failed' | 'paused' | 'busy' | 'no index';

/** Finds entries by an engine. If it fails, or has no complete index, the database must search. */
export class EngineFinder implements Finder {
  readonly #parts: FinderParts;
  readonly #indexes: () => Promise<IndexState>;
  readonly #health: EngineHealth;

  constructor(parts: FinderParts) {
    const { changes, database } = parts.backend.store;
    this.#parts = parts;
    this.#health = new EngineHealth(parts.observer);
    this.#indexes = cacheUntilChanged(changes, [indexCollection], () => readIndexes(database));
  }

  covers(type: ContentType): boolean {
    return this.#searchedAs(type) !== null;
  }

  #searchedAs(type: ContentType): SearchedType | null {
    const { backend, settings } = this.#parts;
    const searched = searchedTypes(backend.models.snapshot.registry, settings).get(type.collection);
    return searched?.type === type ? searched : null;
  }

  async find(search: TextSearch): Promise<FoundEntries | null> {
    const { engine, observer } = this.#parts;
    const searched = this.#searchedAs(search.type);
    if (searched === null) return null;
    const begun = performance.now();
    const { result, ids } = await this.#search(search, searched);
    observer.observe({ kind: 'engine searched', engine: engine.name, result, ms: performance.now() - begun });
    return ids && { ids: ids.slice(0, mostIds), isTruncated: ids.length > mostIds, by: engine.name };
  }

  async #search(
    search: TextSearch,
    searched: SearchedType,
  ): Promise<{ readonly result: Result; readonly ids: readonly number[] | null }> {
    const index = await this.#indexFor(searched);
    if (index === null) return { result: 'no index', ids: null };
    const refusal = this.#health.begin();
    if (refusal !== null) return { result: refusal, ids: null };
    try {
      const wanted = { ...search, limit: mostIds + 1 };
      const ids = await this.#ask((engine, ends) => engine.search(index, wanted, ends));
      this.#health.end(null);
      return { result: 'found', ids };
    } catch (err) {
      const state = await this.#stateAfter(err, index);
      this.#health.end(state === 'unknown' ? err : null);
      return { result: state === 'lost' ? 'no index' : 'failed', ids: null };
    }
  }

  /** Returns the complete index of a type; null if there is none, or the database fails, whose own search then says so. */
  async #indexFor(searched: SearchedType): Promise<EngineIndex | null> {
    const { indexes = null } = (await this.#indexes().catch(() => null)) ?? {};
    const index = indexes?.get(searched.type.collection)?.index;
    return index?.form === searched.form ? indexOf(searched, index.name) : null;
  }

  #ask<Answer>(ask: (engine: SearchEngine, ends: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const { engine, settings } = this.#parts;
    const ends = new AbortController();
    const late = (): Error => new EngineTimeout(`${engine.name} took longer than ${String(settings.timeout)} ms`);
    return withinTime(settings.timeout, () => ask(engine, ends.signal), late).finally(() => {
      ends.abort();
    });
  }

  /**
   * Returns what a failure says. An engine refuses searches in an index that it has lost, or has created anew by itself. If the index is
   * there, a 400 is about the text of the search alone.
   */
  async #stateAfter(err: unknown, index: EngineIndex): Promise<'lost' | 'well' | 'unknown'> {
    if (!(err instanceof EngineRefusal) || (err.status !== 400 && err.status !== 404)) return 'unknown';
    const isThere = await this.#ask((engine, ends) => engine.isThere(index, ends)).catch(() => null);
    if (isThere === true && err.status === 400) return 'well';
    if (isThere !== false) return 'unknown';
    const { backend, observer } = this.#parts;
    await reportLostIndex(index, { database: backend.store.database, observer }).catch(() => undefined); // the next search does it again
    return 'lost';
  }
}
