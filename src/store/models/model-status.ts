import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { Collection } from 'mongodb';
import { collections } from '#model/schema/collections.js';
import { memoize, oncePer } from '#base/caches.js';
import { packageVersion as version } from '#base/package-root.js';
import type { RegistryBuild } from '#model/schema/build-registry.js';
import type { Model } from '#model/schema/model.js';
import { describeReport, reportModels, warningText, type ModelReport } from '#model/schema/report-models.js';
import type { Jobs } from '#base/jobs.js';
import type { Observer } from '#base/observe/observer.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, jobComment } from '../send/database.js';
import { processSpace } from '#base/processes.js';
import { type ModelState, revisionOf, runningInstances, stateLifetime } from './model-states.js';

interface StatusDocument extends ModelState {
  readonly _id: string;
}

type StateValues = Partial<ModelState>;

/** What the background work on models needs. */
export interface ModelWork {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly status: ModelStatus;
}

/** Milliseconds between two heartbeats. */
const heartbeat = 300_000;

const heartbeatName = 'model status';

/** The uid of the state of the GraphQL schema. */
const graphqlState = 'graphql';

/** The uid of the state that an instance has from its beginning, whatever its models are. */
const instanceState = 'instance';

/** The errors of writes to `_model_status`. */
const failedWrites = new WeakSet<Error>();

/** Returns whether a write to `_model_status` has failed with this error. */
export const isStatusError = (error: unknown): boolean => error instanceof Error && failedWrites.has(error);

/** Creates the index that deletes old states, with the first state of an instance. */
const expiring = oncePer<ModelStatus>();

/** The state of each model on this instance, in `_model_status`, for operators and the admin API. */
export class ModelStatus {
  readonly #database: Database;
  readonly #observer: Observer;
  /** The name of this instance, which no other one has. */
  readonly instance = `${hostname()}:${String(process.pid)}:${randomBytes(2).toString('hex')}`;
  /** What is written, by uid. */
  readonly #written = new Map<string, StateValues>();

  constructor(database: Database, jobs: Jobs) {
    this.#database = database;
    this.#observer = jobs.observer;
    const failure = 'the state of the models could not be kept alive';
    jobs.start({ name: heartbeatName, every: heartbeat, failure, run: () => this.keepAlive() });
  }

  /** Postpones the end of the states of this instance. Writes all again if some are deleted, because it was suspended for long. */
  async keepAlive(): Promise<void> {
    const alive = { $set: { expiresAt: expiry() } };
    const own = { comment: jobComment(heartbeatName) };
    const { matchedCount } = await this.#change((states) => states.updateMany({ instance: this.instance }, alive, own));
    if (matchedCount >= this.#written.size) return;
    // a state that is written at the same time is newer
    const missing = [...this.#written].map((state) => this.#operation(state, '$setOnInsert'));
    await this.#change((stored) => stored.bulkWrite(missing, { ordered: false, ...own }));
  }

  /** Writes the state of models whose state or revision has changed. Logs the problems of a changed state, causes first. */
  async report(build: RegistryBuild, moving?: ReadonlySet<string>): Promise<void> {
    const states = reportModels(build, moving).map((report) => {
      const { uid } = report;
      const state = statusOf(report);
      const model = build.models.get(uid);
      if (!this.#isWritten(uid, state)) this.#log(report);
      return [uid, { ...state, revision: model === undefined ? null : revisionOfModel(model) }] as const;
    });
    await this.#write(states.filter(([uid, values]) => !this.#isWritten(uid, values)));
    const uids = new Set([graphqlState, ...states.map(([uid]) => uid)]);
    const gone = [...this.#written].filter(([uid, { state }]) => state !== undefined && !uids.has(uid));
    if (gone.length > 0) await this.#remove(gone);
  }

  /** Forgets states first, so that a heartbeat does not write them again. */
  async #remove(states: readonly (readonly [uid: string, values: StateValues])[]): Promise<void> {
    const uids = states.map(([uid]) => uid);
    for (const uid of uids) this.#written.delete(uid);
    try {
      await this.#change((stored) => stored.deleteMany({ instance: this.instance, uid: { $in: uids } }));
    } catch (error) {
      for (const [uid, values] of states) this.#written.set(uid, values);
      throw error;
    }
  }

  #log(report: ModelReport): void {
    const text = describeReport(report);
    if (text !== null) this.#observer.observe({ kind: 'model refused', uid: report.uid, text });
  }

  /**
   * Writes values of the state of a model. Returns false, without writing them, if all are written already. Null and empty lists count
   * as written if there is no other value.
   */
  async set(uid: string, values: StateValues): Promise<boolean> {
    if (this.#isWritten(uid, values)) return false;
    await this.#write([[uid, values]]);
    return true;
  }

  /**
   * Writes the reason why the GraphQL schema of the models in force could not be built, so that the former one is still used;
   * null if it is in force.
   */
  async reportSchema(problem: string | null): Promise<void> {
    await this.set(
      graphqlState,
      problem === null ? { state: 'active', problems: [] } : { state: 'refused', problems: [problem] },
    );
  }

  /** Lets other instances know of this one. */
  announce(): Promise<void> {
    return this.#write([[instanceState, {}]]);
  }

  /** Returns whether other instances of the service run. */
  async hasOthers(): Promise<boolean> {
    return (await runningInstances(this.#database)).some((name) => name !== this.instance);
  }

  /** Returns whether all of these ids of states are those of this instance. */
  areOwn(ids: readonly unknown[]): boolean {
    return ids.every((id) => String(id).endsWith(`@${this.instance}`));
  }

  /** Removes the states of this instance when it stops. */
  async clear(): Promise<void> {
    this.#written.clear();
    await this.#change((states) => states.deleteMany({ instance: this.instance })).catch(() => undefined);
  }

  /** Writes within the time limit of writes, because the next report waits for it. */
  async #change<Result>(write: (states: Collection<StatusDocument>) => Promise<Result>): Promise<Result> {
    try {
      return await inWriteTime(this.#database, () => write(this.#collection()));
    } catch (error) {
      if (error instanceof Error) failedWrites.add(error);
      throw error;
    }
  }

  #collection() {
    return this.#database.db.collection<StatusDocument>(collections.modelStatus);
  }

  #isWritten(uid: string, values: StateValues): boolean {
    const written: StateValues = this.#written.get(uid) ?? {};
    return Object.entries(values).every(([name, value]) => {
      const before = written[name as keyof StateValues]; // a name of one
      return before === undefined ? isNone(value) : isDeepStrictEqual(before, value);
    });
  }

  /** A search state of null is removed, because earlier versions cannot show it. */
  #operation([uid, { search, ...values }]: readonly [uid: string, values: StateValues], operator: '$set' | '$setOnInsert') {
    const state = { ...values, ...(search && { search }), at: new Date(), expiresAt: expiry() };
    const removed = search === null && operator === '$set' ? ({ $unset: { search: true } } as const) : {};
    const update = { [operator]: { uid, ...shared, instance: this.instance, ...state }, ...removed };
    return { updateOne: { filter: { _id: `${uid}@${this.instance}` }, update, upsert: true } };
  }

  async #write(states: readonly (readonly [uid: string, values: StateValues])[]): Promise<void> {
    if (states.length === 0) return;
    await expiring(this, () => this.#change((stored) => stored.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 })));
    const operations = states.map((state) => this.#operation(state, '$set'));
    await this.#change((stored) => stored.bulkWrite(operations, { ordered: false }));
    for (const [uid, values] of states) this.#written.set(uid, { ...this.#written.get(uid), ...values });
  }
}

const isNone = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** What all states of this process have. */
const shared = { version, space: processSpace };

const expiry = (): Date => new Date(Date.now() + stateLifetime);

const statusOf = ({ state, problems, warnings, affects }: ModelReport) => ({
  state,
  problems,
  warnings: warnings.map(warningText),
  affects,
});

/** Unchanged models are the same objects in each build. */
const revisionOfModel = memoize((model: Model): string => revisionOf(model));
