import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { collections } from '../../schema/collections.js';
import { memoize } from '../../caches.js';
import { packageVersion as version } from '../../package-root.js';
import type { RegistryBuild } from '../../schema/build-registry.js';
import type { Model } from '../../schema/model.js';
import { describeReport, reportModels, warningText, type ModelReport } from '../../schema/report-models.js';
import type { Jobs } from '../../jobs.js';
import type { Observer } from '../../observe/observer.js';
import { inReadTime, inWriteTime } from '../send/calls.js';
import { type Database, jobComment } from '../send/database.js';
import type { FoundViolations } from './required-nulls.js';
import { type ModelState, revisionOf, stateLifetime, processSpace } from './model-states.js';
import type { SearchState } from './search-builds.js';

interface StatusDocument extends ModelState {
  readonly _id: string;
}

/** What was written last about a model. */
interface Reported {
  readonly state: string;
  readonly revision: string | null;
}

/** Milliseconds between two heartbeats. */
const heartbeat = 300_000;

/** The errors of writes to `_model_status`. */
const failedWrites = new WeakSet<Error>();

/** Returns whether a write to `_model_status` has failed with this error. */
export const isStatusError = (error: unknown): boolean => error instanceof Error && failedWrites.has(error);

/** The state of each model on this instance, in `_model_status`, for operators and the admin API. */
export class ModelStatus {
  readonly #database: Database;
  readonly #observer: Observer;
  /** The name of this instance, which no other one has. */
  readonly instance = `${hostname()}:${String(process.pid)}:${randomBytes(2).toString('hex')}`;
  readonly #reported = new Map<string, Reported>();
  /** The uids of models with indexes that could not be built. */
  readonly #withoutIndexes = new Set<string>();
  #expiring: Promise<unknown> | null = null;
  /** The problem that was written last; undefined if none was written yet. */
  #schemaProblem: string | null | undefined;

  constructor(database: Database, jobs: Jobs) {
    this.#database = database;
    this.#observer = jobs.observer;
    const name = 'model status';
    const own = { comment: jobComment(name) };
    const alive = () => ({ $set: { expiresAt: expiry() } });
    const run = () => this.#change((states) => states.updateMany({ instance: this.instance }, alive(), own));
    const failure = 'the state of the models could not be kept alive';
    jobs.start({ name, every: heartbeat, failure, run });
  }

  /** Writes the state of models whose state or revision has changed. Logs the problems of a changed state, causes first. */
  async report(build: RegistryBuild, moving?: ReadonlySet<string>): Promise<void> {
    const reports = reportModels(build, moving);
    const changed = reports.flatMap((report) => {
      const model = build.models.get(report.uid);
      const now = { state: stateOf(report), revision: model === undefined ? null : revisionOfModel(model) };
      const before = this.#reported.get(report.uid);
      if (before?.state !== now.state) this.#log(report);
      return before?.state === now.state && before.revision === now.revision ? [] : [{ report, now }];
    });
    const known = new Set(reports.map(({ uid }) => uid));
    const gone = [...this.#reported.keys()].filter((uid) => !known.has(uid));
    await this.#write(changed.map(({ report, now }) => this.#set(report.uid, { ...statusOf(report), revision: now.revision })));
    for (const { report, now } of changed) this.#reported.set(report.uid, now);
    if (gone.length > 0) await this.#change((states) => states.deleteMany({ instance: this.instance, uid: { $in: gone } }));
    for (const uid of gone) this.#reported.delete(uid);
  }

  #log(report: ModelReport): void {
    const text = describeReport(report);
    if (text !== null) this.#observer.observe({ kind: 'model refused', uid: report.uid, text });
  }

  /** Writes a line for each index that could not be built. An empty list is written only after one that was not empty. */
  async reportIndexes(uid: string, indexProblems: readonly string[]): Promise<void> {
    if (indexProblems.length > 0) this.#withoutIndexes.add(uid);
    else if (!this.#withoutIndexes.delete(uid)) return;
    await this.#write([this.#set(uid, { indexProblems })]);
  }

  /** Writes the indexes that are being built, the names of those that no read has used for a month, or the renames that are followed. */
  async reportIndexState(
    uid: string,
    state: Pick<StatusDocument, 'indexesBuilding' | 'unusedIndexes' | 'renames'>,
  ): Promise<void> {
    await this.#write([this.#set(uid, state)]);
  }

  async reportSearch(uid: string, search: SearchState): Promise<void> {
    await this.#write([this.#set(uid, { search })]);
  }

  /** Returns whether other instances of the service run. */
  async hasOthers(): Promise<boolean> {
    const others = { instance: { $ne: this.instance }, expiresAt: { $gt: new Date() } };
    return (await inReadTime(this.#database, () => this.#collection().countDocuments(others, { limit: 1 }))) > 0;
  }

  /** Writes and logs how many entries lack required values, or have values that do not fit their attributes. */
  async reportViolations(uid: string, { requiredNulls, unfitValues }: FoundViolations): Promise<void> {
    for (const found of requiredNulls) this.#observer.observe({ kind: 'entries unfit', problem: 'null', uid, ...found });
    for (const found of unfitValues) this.#observer.observe({ kind: 'entries unfit', problem: 'type', uid, ...found });
    await this.#write([this.#set(uid, { requiredNulls, unfitValues })]);
  }

  /**
   * Writes the reason why the GraphQL schema of the models in force could not be built, so that the former one is still used;
   * null if it is in force.
   */
  async reportSchema(problem: string | null): Promise<void> {
    if (problem === this.#schemaProblem) return;
    const state = problem === null ? 'active' : 'refused';
    await this.#write([this.#set('graphql', { state, problems: problem === null ? [] : [problem] })]);
    this.#schemaProblem = problem;
  }

  /** Removes the states of this instance when it stops. */
  async clear(): Promise<void> {
    await this.#change((states) => states.deleteMany({ instance: this.instance })).catch(() => undefined);
  }

  /** Creates the index that deletes old states. Called with the first state, and again if it failed. */
  #expire(): Promise<unknown> {
    return this.#change((states) => states.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 })).catch((error: unknown) => {
      this.#expiring = null;
      throw error;
    });
  }

  /** Writes within the time limit of writes, because the next report waits for it. */
  async #change(write: (states: Collection<StatusDocument>) => Promise<unknown>): Promise<void> {
    try {
      await inWriteTime(this.#database, () => write(this.#collection()));
    } catch (error) {
      if (error instanceof Error) failedWrites.add(error);
      throw error;
    }
  }

  #collection() {
    return this.#database.db.collection<StatusDocument>(collections.modelStatus);
  }

  #set(uid: string, values: Partial<ModelState>) {
    const update = { $set: { uid, ...shared, instance: this.instance, ...values, at: new Date(), expiresAt: expiry() } };
    return { updateOne: { filter: { _id: `${uid}@${this.instance}` }, update, upsert: true } };
  }

  async #write(operations: readonly AnyBulkWriteOperation<StatusDocument>[]): Promise<void> {
    if (operations.length === 0) return;
    await (this.#expiring ??= this.#expire());
    await this.#change((states) => states.bulkWrite(operations, { ordered: false }));
  }
}

/** What all states of this process have. */
const shared = { version, space: processSpace };

const expiry = (): Date => new Date(Date.now() + stateLifetime);

const statusOf = ({ state, problems, warnings, affects }: ModelReport) => ({
  state,
  problems,
  warnings: warnings.map(warningText),
  affects,
});

/** Returns a report as a string for comparison: only the state for most models, which are active without problems. */
const stateOf = (report: ModelReport): string => {
  const { state, problems, warnings, affects } = report;
  return problems.length + warnings.length + affects.length === 0 ? state : JSON.stringify(statusOf(report));
};

/** Unchanged models are the same objects in each build. */
const revisionOfModel = memoize((model: Model): string => revisionOf(model));
