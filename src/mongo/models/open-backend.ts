import { collections } from '../../schema/collections.js';
import type { Config, DatabaseConfig } from '../../config/config.js';
import type { ModelSettings } from '../../schema/build-content-type.js';
import { connectDatabase, describeDatabase } from '../connection.js';
import { createFirstLocale } from '../stores/locale-store.js';
import type { Logger } from '../../logger.js';
import { ModelRegistry } from './model-registry.js';
import { isStatusError } from './model-status.js';
import { createStore, type Store } from '../store.js';
import type { Change, ChangeBus } from '../changes.js';
import { logAvailability } from '../log-availability.js';
import { watchChanges } from '../watch-changes.js';

/** The back end, connected and with its models loaded. */
export interface Backend {
  readonly store: Store;
  readonly models: ModelRegistry;
  /** Host and database, for display. */
  readonly description: string;
  /** Drops all caches. Called after the data were replaced without the service. */
  forget(): void;
  close(): Promise<void>;
}

interface BackendInput {
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
  graphql: plugins.graphql.enabled,
  customFields: api.customFields,
  paths: pathsBelow(api.rest.prefix, [...servicePaths, plugins.graphql.config.endpoint]),
});

/** Paths of routes outside of the REST API, which do not depend on its prefix. */
const servicePaths = [
  ...['/admin/api', '/docs/files', '/uploads', '/_health'],
  ...['/content-manager', '/content-type-builder', '/email'],
];

/** Returns the first segments, below a prefix, of the paths that begin with it. */
const pathsBelow = (prefix: string, paths: readonly string[]): string[] =>
  paths.filter((path) => path.startsWith(`${prefix}/`)).map((path) => path.slice(prefix.length + 1).split('/')[0] ?? '');

/** Connects, loads the models and follows their changes. Rejects if no server answers. */
export async function openBackend({ uri, config, settings, firstLocale, logger }: BackendInput): Promise<Backend> {
  const database = await connectDatabase(uri, config);
  if (!database.isReplicated)
    logger.warn({}, 'MongoDB is not a replica set: no transactions, model changes are polled for, totals are counted every time');
  await createFirstLocale(database, firstLocale);
  const models = new ModelRegistry(database, settings, logger);
  const store = createStore(database, () => models.snapshot.registry.types);
  await models.load();
  return createBackend(store, models, logger);
}

/** Returns the backend of an open database. */
function createBackend(store: Store, models: ModelRegistry, logger: Logger): Backend {
  const { database, changes } = store;
  const stopReading = readAfterChanges(models, changes, logger);
  // An import may insert entries with the ids that were reserved.
  changes.onChange([collections.imports], () => {
    store.ids.forget();
  });
  const watch = watchChanges(database, changes);
  const stopLogging = logAvailability(database.client, logger);
  return {
    store,
    models,
    description: describeDatabase(database),
    forget: () => {
      store.ids.forget();
      changes.forget();
    },
    close: async () => {
      await watch.close();
      stopReading();
      await models.close();
      stopLogging();
      await database.client.close();
    },
  };
}

const modelsNotLoaded = 'models could not be loaded, the former ones remain in force for now';
const stateNotWritten = 'the state of the models could not be written to _model_status';

/** The pause after which models that could not be loaded are loaded again, in milliseconds. */
const readAgainAfter = 2_000;

/**
 * Reads the models again after each change of their collections, and retries until that succeeds. Returns a function that stops
 * the retries.
 */
function readAfterChanges(models: ModelRegistry, changes: ChangeBus, logger: Logger): () => void {
  let retry: NodeJS.Timeout | undefined;
  let isOver = false;
  const read = (load: () => Promise<void>): void => {
    load().catch((err: unknown) => {
      if (isOver) return;
      logger.warn({ err }, isStatusError(err) ? stateNotWritten : modelsNotLoaded);
      clearTimeout(retry);
      retry = setTimeout(() => read(() => models.load([])), readAgainAfter).unref();
    });
  };
  changes.onChange([collections.models], (change) => read(() => models.loadModels(uidsOf(change))));
  changes.onChange([collections.settings, collections.locales], () => read(() => models.load([])));
  return () => {
    isOver = true;
    clearTimeout(retry);
  };
}

/** Returns the uids of the models that were written; null if they are not known. */
const uidsOf = (change: Change): readonly string[] | null =>
  'ids' in change && change.ids?.every((id) => typeof id === 'string') === true ? change.ids : null;
