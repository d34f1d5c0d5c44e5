import type { MongoClient, TopologyDescription, TopologyDescriptionChangedEvent } from 'mongodb';
import { collections } from '#model/schema/collections.js';
import type { DatabaseConfig } from '#settings/config.js';
import type { ModelSettings } from '#model/schema/build-content-type.js';
import { connectDatabase, describeDatabase } from '../send/connection.js';
import type { OwnCollection } from '../send/own-collections.js';
import { leasesIn } from '../stores/claim.js';
import { localeStore } from '../stores/locale-store.js';
import { Jobs } from '#base/jobs.js';
import { Alarm } from '#base/limits/timers.js';
import type { Observer } from '#base/observe/observer.js';
import { Instances } from './instances.js';
import { ModelRegistry } from './model-registry.js';
import { isStatusError } from './model-status.js';
import { createStore, type Store } from '../store.js';
import type { Change, ChangeBus } from '../changes/changes.js';
import { watchChanges } from '../changes/watch-changes.js';

/** The back end, connected and with its models loaded. */
export interface Backend {
  readonly store: Store;
  readonly models: ModelRegistry;
  readonly instances: Instances;
  /** The settings that the models are read with. */
  readonly settings: ModelSettings;
  /** The background work of the service. It ends when the backend is closed. */
  readonly jobs: Jobs;
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
  /** The collections of features. */
  readonly collections: readonly OwnCollection[];
  /** Code of the locale that an empty database begins with. */
  readonly firstLocale: string;
  readonly observer: Observer;
}

/** Connects, loads the models and follows their changes. Rejects if no server answers. */
export async function openBackend(input: BackendInput): Promise<Backend> {
  const { uri, config, settings, firstLocale, observer } = input;
  const database = await connectDatabase(uri, config, input);
  if (!database.isReplicated) observer.observe({ kind: 'warned', topic: 'database', text: withoutReplicas });
  const jobs = new Jobs(observer, leasesIn(database));
  try {
    await localeStore.createFirst(database, firstLocale);
    const models = new ModelRegistry(database, settings, jobs);
    const store = createStore(database, () => models.snapshot.registry.types, observer);
    const instances = new Instances({ database, jobs, status: models.status }, store.changes);
    await instances.announce();
    await models.load();
    return createBackend({ store, models, instances, jobs, settings });
  } catch (error) {
    await jobs.close();
    await database.client.close();
    throw error;
  }
}

const withoutReplicas =
  'MongoDB is not a replica set: no transactions, model changes are polled for, totals are counted every time';

/** Returns the backend of an open database. */
function createBackend(parts: Pick<Backend, 'store' | 'models' | 'instances' | 'jobs' | 'settings'>): Backend {
  const { store, models, jobs } = parts;
  const { database, changes } = store;
  const stopReading = readAfterChanges(models, changes, jobs);
  // An import may insert entries with the ids that were reserved.
  changes.onChange([collections.imports], () => {
    store.ids.forget();
  });
  const watch = watchChanges(database, changes, jobs);
  const stopWatching = watchAvailability(database.client, jobs.observer);
  return {
    ...parts,
    description: describeDatabase(database),
    forget: () => {
      store.ids.forget();
      changes.forget();
    },
    close: async () => {
      stopReading();
      await jobs.close();
      await watch.close();
      await models.close();
      stopWatching();
      await database.client.close();
    },
  };
}

/** The pause after which models that could not be loaded are loaded again, in milliseconds. */
const readAgainAfter = 2_000;

/**
 * Reads the models again after each change of their collections, and retries until that succeeds. Returns a function that stops
 * the retries.
 */
function readAfterChanges(models: ModelRegistry, changes: ChangeBus, { observer }: Jobs): () => void {
  const retry = new Alarm(() => read(() => models.load([])), { ref: false });
  let isOver = false;
  const read = (load: () => Promise<void>): void => {
    load().catch((err: unknown) => {
      if (isOver) return;
      observer.observe({ kind: 'failed', work: isStatusError(err) ? 'model state' : 'model load', err });
      retry.cancel();
      retry.set(readAgainAfter);
    });
  };
  changes.onChange([collections.models], (change) => read(() => models.loadModels(uidsOf(change))));
  changes.onChange([collections.settings, collections.locales], () => read(() => models.load([])));
  return () => {
    isOver = true;
    retry.cancel();
  };
}

/** Returns the uids of the models that were written; null if they are not known. */
const uidsOf = (change: Change): readonly string[] | null =>
  'ids' in change && change.ids?.every((id) => typeof id === 'string') === true ? change.ids : null;

/**
 * Reports when the service loses its connection to a MongoDB server that accepts writes, and when there is one again. Returns a function
 * that stops this.
 */
function watchAvailability(client: MongoClient, observer: Observer): () => void {
  let wasAvailable = true;
  const compare = ({ newDescription }: TopologyDescriptionChangedEvent): void => {
    const isAvailable = hasWritable(newDescription);
    if (isAvailable === wasAvailable) return;
    wasAvailable = isAvailable;
    observer.observe(isAvailable ? { kind: 'database found' } : { kind: 'database lost', err: errorOf(newDescription) });
  };
  client.on('topologyDescriptionChanged', compare);
  return () => client.off('topologyDescriptionChanged', compare);
}

const hasWritable = ({ servers }: TopologyDescription): boolean => [...servers.values()].some(({ isWritable }) => isWritable);

/** Returns the error of the first server that has one; null if the servers answer, as during an election. */
const errorOf = ({ servers }: TopologyDescription): Error | null =>
  [...servers.values()].find(({ error }) => error !== null)?.error ?? null;
