import type { Backend } from '#store/models/open-backend.js';
import { Atlas } from './atlas.js';
import type { SearchEngine } from './engine.js';
import { mostIds } from './engine-finder.js';
import { Meilisearch } from './meilisearch.js';
import type { SearchSettings } from './settings.js';
import { Typesense } from './typesense.js';

const engines = {
  meilisearch: ({ url, key }: SearchSettings) => new Meilisearch({ url: url ?? '', key }, mostIds + 1),
  typesense: ({ url, key }: SearchSettings) => new Typesense({ url: url ?? '', key }),
  atlas: (_settings: SearchSettings, database: Backend['store']['database']) => new Atlas(database),
} as const;

/** Returns the engine of the settings. It is not reached before it is asked. */
export function openEngine(settings: SearchSettings, database: Backend['store']['database']): SearchEngine {
  const { engine } = settings;
  if (engine === 'mongodb') throw new Error('MongoDB is no search engine'); // `searchSettingsOf` leaves it out
  return engines[engine](settings, database);
}
