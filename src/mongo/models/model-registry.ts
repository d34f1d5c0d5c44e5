import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ModelSettings } from '../../schema/build-content-type.js';
import { buildRegistry, changedTypes, type RegistryBuild } from '../../schema/build-registry.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import { reportModels, type ModelReport } from '../../schema/report-models.js';
import { asksForMore, completeDocuments } from './complete-documents.js';
import type { Logger } from '../../logger.js';
import type { Database } from '../database.js';
import { ensureCollections } from '../ensure-collections.js';
import { IndexBuilds } from './index-builds.js';
import { readLocales, type Locales } from '../stores/locale-store.js';
import { createModelReader } from '../stores/model-store.js';
import { findForeign, recordServed } from './served-collections.js';
import { shardNewTypes } from './shard-types.js';
import { ModelStatus } from './model-status.js';
import { RequiredChecks } from './required-nulls.js';
import { SearchBuilds } from './search-builds.js';

type StoredModels = Awaited<ReturnType<ReturnType<typeof createModelReader>>>;

/** A new type waits this long, in milliseconds, for its unique indexes. After that it is served, and only writes to it wait for them. */
const indexPatience = 250;

/**
 * Milliseconds after a change of a model at which its entries are completed again: requests under way and instances with the former
 * snapshot still write entries in the former form.
 */
const completionDelays = [250, 1000, 5000];

/** Entries that lack required values may be repaired without a change of the models. In milliseconds. */
const recountEvery = 300_000;

/** The content types in force, and the locales. A request takes the snapshot that it finds. */
interface Snapshot {
  readonly registry: Registry;
  readonly locales: Locales;
}

/**
 * Holds the snapshot of all content types and replaces it as a whole when `_models` changes. A model that fails its check
 * leaves the old one in force; the reason is logged and kept in `_model_status`.
 */
export class ModelRegistry {
  readonly #database: Database;
  readonly #settings: ModelSettings;
  readonly #logger: Logger;
  readonly #status: ModelStatus;
  readonly #listeners = new Set<(registry: Registry) => void>();
  /** What is in force. Replaced as a whole, never changed. */
  snapshot: Snapshot;
  #build: RegistryBuild;
  #stored: StoredModels | null = null;
  #loading: Promise<void> | null = null;
  #again = false;
  #background: Promise<unknown> = Promise.resolve();
  readonly #required: RequiredChecks;
  readonly #searches: SearchBuilds;
  readonly #indexes: IndexBuilds;
  readonly #recounting: NodeJS.Timeout;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #readModels = createModelReader();

  constructor(database: Database, settings: ModelSettings, logger: Logger) {
    this.#database = database;
    this.#settings = settings;
    this.#logger = logger;
    this.#status = new ModelStatus(database, logger);
    this.#indexes = new IndexBuilds({
      database,
      logger,
      report: (uid, problems) => this.#status.reportIndexes(uid, problems),
      reportBuilding: (uid, indexesBuilding) => this.#status.reportIndexState(uid, { indexesBuilding }),
      reportUnused: (uid, unusedIndexes) => this.#status.reportIndexState(uid, { unusedIndexes }),
    });
    this.#searches = new SearchBuilds({
      database,
      logger,
      hasOthers: () => this.#status.hasOthers(),
      report: (uid, state) => this.#status.reportSearch(uid, state),
    });
    this.#required = new RequiredChecks(database, (uid, nulls) => this.#status.reportRequiredNulls(uid, nulls));
    this.#recounting = setInterval(() => void this.#lookAgain(), recountEvery).unref();
    this.#build = buildRegistry([], settings);
    this.snapshot = { registry: this.#build.registry, locales: { codes: ['en'], default: 'en' } };
  }

  /** Returns the snapshot with the models that it was built from. */
  inForce(): RegistryBuild {
    return this.#build;
  }

  /** Reads the stored models. They are not checked; those that stay as they are stay the same objects. */
  readStored(): Promise<StoredModels> {
    return this.#readModels(this.#database);
  }

  /** Returns the state of each model, causes first. */
  reports(): readonly ModelReport[] {
    return reportModels(this.#build);
  }

  /** Calls the listener with every new snapshot. */
  onChange(listener: (registry: Registry) => void): void {
    this.#listeners.add(listener);
  }

  /** Reads models and locales again; calls that come while one is under way share the next. */
  load(): Promise<void> {
    if (this.#loading !== null) {
      this.#again = true;
      return this.#loading;
    }
    this.#loading = this.#loadUntilSettled().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** Stores why the GraphQL schema of the snapshot could not be built; null if it is in force. */
  reportSchema(problem: string | null): Promise<void> {
    return this.#status.reportSchema(problem);
  }

  /** Resolves when all indexes of the snapshot are built, and entries that lack required values are counted. */
  async settled(): Promise<void> {
    await this.#background;
  }

  /** Counts again how many entries lack required values, for `_model_status`. */
  recount(): Promise<void> {
    return this.#required.recount().catch(this.#warnUncounted);
  }

  async close(): Promise<void> {
    clearInterval(this.#recounting);
    this.#searches.close();
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#loading?.catch(() => undefined);
    await this.#background.catch(() => undefined);
    await this.#status.clear();
  }

  async #loadUntilSettled(): Promise<void> {
    do {
      this.#again = false;
      await this.#loadOnce();
    } while (this.#again);
  }

  async #loadOnce(): Promise<void> {
    const [stored, locales] = await Promise.all([this.readStored(), readLocales(this.#database)]);
    this.snapshot = { ...this.snapshot, locales };
    if (this.#stored !== null && isDeepStrictEqual(stored, this.#stored)) return;
    const previous = this.#stored === null ? null : this.#build.registry;
    const foreign = await findForeign(stored, this.#database, previous);
    const build = buildRegistry(stored, { ...this.#settings, foreign }, this.#build);
    const changed = changedTypes(build.registry, previous);
    await recordServed(build.registry, this.#database, previous);
    await this.#prepare(changed, build.registry);
    this.#stored = stored;
    this.#searches.keep(build.registry);
    this.#replace(build);
    this.#completeStragglers(changed.filter((type) => asksForMore(type, previous?.types.get(type.uid))));
    await this.#status.report(build);
    const check = () => this.#required.check(changed, build.registry);
    this.#background = this.#background.then(check).catch(this.#warnUncounted);
    this.#background = this.#background.then(() => this.#searches.build(changed)).catch(this.#warnUnsearched);
  }

  readonly #warnUnsearched = (error: unknown): void => {
    this.#logger.warn({ err: error }, 'what searches use could not be built');
  };

  async #lookAgain(): Promise<void> {
    await this.recount();
    await this.#searches.resume().catch(this.#warnUnsearched);
    await this.#indexes.reportUnused(this.snapshot.registry).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'unused indexes could not be looked for');
    });
  }

  readonly #warnUncounted = (error: unknown): void => {
    this.#logger.warn({ err: error }, 'entries that lack required values could not be counted');
  };

  /** Prepares a type before it is served: completes entries, and builds the indexes that keep values unique. */
  async #prepare(types: readonly ContentType[], registry: Registry): Promise<void> {
    this.#searches.suspend(types);
    const names = types.map(({ collection }) => collection);
    await ensureCollections(names, this.#database);
    for (const refusal of await shardNewTypes(types, registry, this.#database)) this.#logger.warn({}, refusal);
    await completeDocuments(types, this.snapshot.locales.default, this.#database);
    const { unique, all } = this.#indexes.begin(types, registry);
    this.#background = Promise.all([this.#background, all]);
    const patience = new AbortController();
    await Promise.race([unique, delay(indexPatience, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
  }

  #completeStragglers(types: readonly ContentType[]): void {
    if (types.length === 0) return;
    for (const milliseconds of completionDelays) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        completeDocuments(types, this.snapshot.locales.default, this.#database).catch((error: unknown) => {
          this.#logger.warn({ err: error }, 'entries written during a model change could not be completed');
        });
      }, milliseconds);
      this.#timers.add(timer);
    }
  }

  #replace(build: RegistryBuild): void {
    this.#build = build;
    this.snapshot = { ...this.snapshot, registry: build.registry };
    for (const listener of this.#listeners) listener(build.registry);
  }
}
