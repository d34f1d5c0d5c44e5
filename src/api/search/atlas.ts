import type { Database } from '#store/send/database.js';
import { atlasSearch } from '#store/stores/atlas-search.js';
import type { EngineIndex, EngineSearch, SearchEngine } from './engine.js';

/** The search of MongoDB Atlas in the database of the service. It follows the entries by itself. */
export class Atlas implements SearchEngine {
  readonly name = 'atlas';
  readonly isFed = false;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  search(index: EngineIndex, search: EngineSearch): Promise<readonly number[]> {
    return atlasSearch.search(this.#database, index, search);
  }

  create(index: EngineIndex): Promise<void> {
    return atlasSearch.create(this.#database, index, index.attributes);
  }

  isReady(index: EngineIndex): Promise<boolean> {
    return atlasSearch.isReady(this.#database, index);
  }

  isThere(index: EngineIndex): Promise<boolean> {
    return atlasSearch.isThere(this.#database, index);
  }

  put(): Promise<void> {
    return Promise.resolve();
  }

  remove(): Promise<void> {
    return Promise.resolve();
  }

  drop(index: EngineIndex): Promise<void> {
    return atlasSearch.drop(this.#database, index);
  }

  version(): Promise<string> {
    return Promise.resolve('of the database');
  }
}
