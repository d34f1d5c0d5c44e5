import { isDeepStrictEqual } from 'node:util';
import type { ModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry, changedTypes, notInForce, type RegistryBuild } from '#model/schema/build-registry.js';
import type { Registry } from '#model/schema/content-type.js';
import type { ModelDocument } from '#model/schema/model.js';
import { reportModels, type ModelReport } from '#model/schema/report-models.js';
import { settlePasswords } from './password-places.js';
import { needsMoreFields, completeLater, prepareTypes, repeatLater } from './type-preparation.js';
import type { Jobs } from '#base/jobs.js';
import type { Work } from '#base/observe/observation.js';
import type { Database } from '../send/database.js';
import { IndexBuilds } from './index-builds.js';
import { type Locales, localeStore } from '../stores/locale-store.js';
import { StoredModels } from '../stores/model-store.js';
import { servedCollections } from './served-collections.js';
import { ModelStatus, type ModelWork } from './model-status.js';
import { Renames } from './renames.js';
import { RequiredChecks } from './required-nulls.js';
import { SearchBuilds } from './search-builds.js';

type Documents = readonly ModelDocument[];

/** Milliseconds between two counts of entries that lack required values, which may be repaired without a change of the models. */
const recountEvery = 300_000;

/** The content types in force, and the locales. A request keeps the snapshot that was current when it began. */
interface Snapshot {
  readonly registry: Registry;
  readonly locales: Locales;
}

/** A build of models that are about to be stored. */
export interface ExpectedModels {
  readonly stored: Documents;
  /** The build that was in force. */
  readonly before: RegistryBuild;
  readonly after: RegistryBuild;
}

/**
 * Holds the snapshot of all content types, and replaces it as a whole when `_models` changes. If a model fails its check, the
 * previous one stays in force, and the reason is logged and stored in `_model_status`.
 */
export class ModelRegistry {
  readonly #work: ModelWork;
  readonly #settings: ModelSettings;
  /** What `_model_status` says about this instance. */
  readonly status: ModelStatus;
  readonly #listeners = new Set<(registry: Registry) => void>();
  readonly #localeListeners = new Set<() => void>();
  /** The snapshot in force. It is immutable and replaced as a whole. */
  snapshot: Snapshot;
  #build: RegistryBuild;
  #stored: Documents | null = null;
  #expected: ExpectedModels | null = null;
  #staleLocales = true;
  #loading: Promise<void> | null = null;
  #again = false;
  #background: Promise<unknown> = Promise.resolve();
  readonly #required: RequiredChecks;
  readonly #searches: SearchBuilds;
  readonly #indexes: IndexBuilds;
  readonly #models: StoredModels;
  /** The renames of attributes and types that models ask for. */
  readonly renames: Renames;

  constructor(database: Database, settings: ModelSettings, jobs: Jobs) {
    this.#models = new StoredModels(database);
    this.#settings = settings;
    this.status = new ModelStatus(database, jobs);
    this.#work = { database, jobs, status: this.status };
    this.renames = new Renames({ ...this.#work, settings });
    this.#indexes = new IndexBuilds({ ...this.#work, awaitingNames: (registry) => this.renames.awaitingNames(registry) });
    this.#searches = new SearchBuilds(this.#work);
    this.#required = new RequiredChecks(this.#work);
    jobs.start({ name: 'model recount', every: recountEvery, run: () => this.#lookAgain() });
    this.#build = buildRegistry([], settings);
    this.snapshot = { registry: this.#build.registry, locales: { codes: ['en'], default: 'en' } };
  }

  /** Returns the snapshot with the models that it was built from. */
  readonly inForce = (): RegistryBuild => this.#build;

  /** Reads the stored models without checks. Unchanged models are the same objects as before. */
  readStored(): Promise<Documents> {
    this.#models.invalidate(null);
    return this.#models.read();
  }

  /** Returns the state of each model, causes first. */
  reports(): readonly ModelReport[] {
    return reportModels(this.#build, this.renames.moving());
  }

  /** Calls the listener with every new registry. */
  onChange(listener: (registry: Registry) => void): void {
    this.#listeners.add(listener);
  }

  /** Calls the listener when the snapshot has other locales, or another default one. */
  onLocales(listener: () => void): void {
    this.#localeListeners.add(listener);
  }

  /** Reads locales and all models again, or only the named ones. Calls during a load share the next one. */
  load(uids: readonly string[] | null = null): Promise<void> {
    this.#staleLocales = true;
    return this.loadModels(uids);
  }

  /**
   * Reads the named models again, or all if `uids` is null. If the stored models are the expected ones, their build is put in
   * force without building again.
   */
  loadModels(uids: readonly string[] | null, expected: ExpectedModels | null = null): Promise<void> {
    this.#models.invalidate(uids);
    this.#expected = expected ?? this.#expected;
    if (this.#loading !== null) {
      this.#again = true;
      return this.#loading;
    }
    this.#loading = this.#loadUntilSettled().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** Resolves when all indexes of the snapshot are built, and entries that lack required values are counted. */
  async settled(): Promise<void> {
    await this.#background;
  }

  /** Counts the entries that lack required values again, for `_model_status`. */
  recount(): Promise<void> {
    return this.#required.recount().catch(this.#report('required count'));
  }

  async close(): Promise<void> {
    this.#searches.close();
    await this.#loading?.catch(() => undefined);
    await this.#background.catch(() => undefined);
    await this.status.clear();
  }

  async #loadUntilSettled(): Promise<void> {
    do {
      this.#again = false;
      await this.#loadOnce();
    } while (this.#again);
  }

  async #loadOnce(): Promise<void> {
    const [written] = await Promise.all([this.#models.read(), this.#loadLocales()]);
    const stored = await this.renames.served(written);
    const expected = this.#expected;
    this.#expected = null;
    if (this.#stored !== null && isDeepStrictEqual(stored, this.#stored)) {
      await this.renames.follow(this.#build.registry);
      await this.status.report(this.#build, this.renames.moving()); // writes what could not be written before
      return;
    }
    const previous = this.#stored === null ? null : this.#build.registry;
    const build = await this.#buildOf(stored, expected);
    const changed = changedTypes(build.registry, previous);
    await servedCollections.record(changed, this.#work.database, previous);
    const settleLate = await settlePasswords(changed, build.registry, this.#work.database);
    const completion = { registry: build.registry, defaultLocale: this.snapshot.locales.default };
    const preparing = { ...this.#work, indexes: this.#indexes, searches: this.#searches };
    const { stored: older, indexed } = await prepareTypes(changed, completion, preparing);
    this.#background = Promise.all([this.#background, indexed]);
    await this.#searches.keep(build.registry);
    this.#stored = stored;
    this.#replace(build);
    await this.renames.follow(build.registry);
    const incomplete = changed.filter((type) => needsMoreFields(type, build.registry, previous));
    completeLater(incomplete, completion, this.#work);
    if (settleLate !== null) repeatLater('password completion', this.#work.jobs, () => settleLate(this.snapshot.registry));
    const check = () => this.#required.check(changed, build.registry, older);
    this.#background = this.#background.then(check).catch(this.#report('required count'));
    this.#background = this.#background.then(() => this.#searches.build(changed)).catch(this.#report('search build'));
    await this.status.report(build, this.renames.moving());
  }

  async #loadLocales(): Promise<void> {
    if (!this.#staleLocales) return;
    this.#staleLocales = false;
    try {
      const before = this.snapshot.locales;
      const locales = await localeStore.read(this.#work.database);
      this.snapshot = { ...this.snapshot, locales };
      if (!isDeepStrictEqual(locales, before)) for (const listener of this.#localeListeners) listener();
    } catch (error) {
      this.#staleLocales = true;
      throw error;
    }
  }

  async #buildOf(stored: Documents, expected: ExpectedModels | null): Promise<RegistryBuild> {
    if (expected?.before === this.#build && isDeepStrictEqual(stored, expected.stored)) return expected.after;
    const inForce = this.#stored === null ? null : this.#build.registry;
    const foreign = await servedCollections.findForeign(notInForce(stored, this.#build), this.#work.database, inForce);
    return buildRegistry(stored, { ...this.#settings, foreign }, this.#build);
  }

  async #lookAgain(): Promise<void> {
    await this.recount();
    await this.#searches.resume().catch(this.#report('search build'));
    await this.#indexes.reportUnused(this.snapshot.registry).catch(this.#report('unused indexes'));
  }

  readonly #report = (work: Work) => (err: unknown) => {
    this.#work.jobs.observer.observe({ kind: 'failed', work, err });
  };

  #replace(build: RegistryBuild): void {
    this.#build = build;
    this.snapshot = { ...this.snapshot, registry: build.registry };
    for (const listener of this.#listeners) listener(build.registry);
  }
}
