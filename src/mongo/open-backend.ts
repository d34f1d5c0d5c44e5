import type { Config, DatabaseConfig } from '../config/config.js';
import type { ModelSettings } from '../schema/build-content-type.js';
import { connect, describeDatabase } from './connect.js';
import { IdAllocator } from './id-allocator.js';
import { createFirstLocale } from './locale-store.js';
import type { Logger } from './logger.js';
import { ModelRegistry } from './model-registry.js';
import type { Store } from './store.js';
import { TotalCache } from './total-cache.js';
import { watchChanges } from './watch-changes.js';

/** The back end, connected and with its models loaded. */
export interface Backend {
  readonly store: Store;
  readonly models: ModelRegistry;
  /** Host and database, for people. */
  readonly description: string;
  /** Calls back when something was written to a collection, by this or another instance, or may have been. */
  onChange(collections: readonly string[], listener: () => void): void;
  /** Whether `onChange` hears of all writes; while it does not, nothing should be kept. */
  isListening(): boolean;
  /** Drops everything that is kept in memory besides the models: the data were replaced behind our back. */
  forget(): void;
  close(): Promise<void>;
}

export interface BackendInput {
  readonly uri: string;
  readonly config: DatabaseConfig;
  readonly settings: ModelSettings;
  /** Code of the locale that an empty database begins with. */
  readonly firstLocale: string;
  readonly logger: Logger;
}

/** The settings of the service that shape content types. */
export const modelSettings = ({ api, plugins }: Config): ModelSettings => ({
  privateAttributes: api.responses.privateAttributes,
  localization: plugins.i18n.enabled,
  customFields: api.customFields,
});

/** Connects, loads the models and follows their changes. Rejects where no server answers. */
export async function openBackend({ uri, config, settings, firstLocale, logger }: BackendInput): Promise<Backend> {
  const database = await connect(uri, config);
  if (!database.isReplicated)
    logger.warn({}, 'MongoDB is not a replica set: no transactions, model changes are polled for, totals are counted every time');
  await createFirstLocale(database, firstLocale);
  const listeners: Listeners = new Map();
  const totals = new TotalCache((collection) => {
    callAll(listeners.get(collection) ?? []);
  });
  const store: Store = { database, ids: new IdAllocator(), totals };
  const models = new ModelRegistry(database, settings, logger);
  await models.load();
  return follow(store, models, listeners, logger);
}

/** Whom to call when a collection was written to. */
type Listeners = Map<string, Set<() => void>>;

function callAll(called: Iterable<() => void>): void {
  for (const listener of called) listener();
}

const everyListener = (listeners: Listeners): Set<() => void> => new Set([...listeners.values()].flatMap((set) => [...set]));

/** Collections whose change means that the registry must be read again. */
const modelCollections: ReadonlySet<string> = new Set(['_models', '_settings', 'i18n_locales']);

function follow(store: Store, models: ModelRegistry, listeners: Listeners, logger: Logger): Backend {
  const { database } = store;
  const reload = (): void => {
    models.load().catch((error: unknown) => {
      logger.warn({ err: error }, 'models could not be read, the former ones stay in force');
    });
  };
  const watch = watchChanges(database, {
    changed: (collection) => {
      store.totals.invalidate(collection);
      if (modelCollections.has(collection)) reload();
    },
    listening: (listening) => {
      store.totals.listen(listening);
      if (!listening) return;
      reload();
      callAll(everyListener(listeners));
    },
  });
  return {
    store,
    models,
    description: describeDatabase(database),
    onChange: (collections, listener) => {
      for (const collection of collections) listeners.set(collection, (listeners.get(collection) ?? new Set()).add(listener));
    },
    isListening: () => store.totals.isListening,
    forget: () => {
      store.ids.forget();
      store.totals.clear();
      callAll(everyListener(listeners));
    },
    close: async () => {
      await watch.close();
      await models.close();
      await database.client.close();
    },
  };
}
