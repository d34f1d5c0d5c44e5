import { MongoServerError } from 'mongodb';
import { commentIn, type Database, forJob } from '../send/database.js';
import { withinTime } from '#base/limits/clock.js';
import { ifLonger } from '#base/limits/timers.js';
import type { BuildingIndex } from './model-states.js';
import type { ModelWork } from './model-status.js';

/** Indexes of a collection that one command builds. */
interface Build {
  readonly uid: string;
  readonly collection: string;
  readonly names: readonly string[];
}

/** A build whose indexes are reported. */
interface LongBuild extends Build {
  /** Resolves when the indexes that were reported last are written. */
  written: Promise<void>;
}

/** Duration of a build, in milliseconds, after which its indexes are reported. */
const longBuild = 1_000;

/** Milliseconds between two looks at the progress of all builds. */
const lookEvery = 3_000;

/** Maximum duration of a look, in milliseconds. */
const longestLook = 1_000;

/** Reports indexes that are being built, with their progress, if that takes long. */
export class BuildReports {
  readonly #input: ModelWork;
  readonly #builds = new Set<LongBuild>();
  #stopLooking: (() => Promise<void>) | null = null;
  /** Whether the user of the connection may read the progress, as far as is known. */
  #mayLook = true;

  constructor(input: ModelWork) {
    this.#input = input;
  }

  /** Runs a build and reports its indexes until it has ended. */
  async during<Result>(build: Build, work: () => Promise<Result>): Promise<Result> {
    const long: LongBuild = { ...build, written: Promise.resolve() };
    try {
      return await ifLonger(longBuild, () => this.#begin(long), work);
    } finally {
      if (this.#builds.delete(long)) await this.#report(long, []);
      if (this.#builds.size === 0) this.#endLooks();
    }
  }

  #begin(build: LongBuild): void {
    this.#builds.add(build);
    void this.#report(build, withProgress(build, []));
    if (this.#mayLook)
      this.#stopLooking ??= this.#input.jobs.start({ name: 'index progress', every: lookEvery, run: () => this.#look() });
  }

  #endLooks(): void {
    void this.#stopLooking?.();
    this.#stopLooking = null;
  }

  /** Reads the progress of all builds by one command, and reports it. */
  async #look(): Promise<void> {
    try {
      const operations = await withinTime(longestLook, () => readOperations(forJob(this.#input.database, 'index progress')));
      await Promise.all([...this.#builds].map((build) => this.#report(build, withProgress(build, operations))));
    } catch (error) {
      // other failures pass, and the progress is not important enough for the log
      if (!(error instanceof MongoServerError) || error.code !== unauthorized) return;
      this.#mayLook = false;
      this.#endLooks();
    }
  }

  /** Writes the indexes after those that were reported before. */
  #report(build: LongBuild, indexesBuilding: readonly BuildingIndex[]): Promise<void> {
    const { jobs, status } = this.#input;
    const { uid } = build;
    const write = () => status.set(uid, { indexesBuilding });
    build.written = build.written.then(write).then(
      () => undefined,
      (err: unknown) => {
        jobs.observer.observe({ kind: 'failed', work: 'index state', about: { uid }, err });
      },
    );
    return build.written;
  }
}

/** The code of the error for a user without a privilege. */
const unauthorized = 13;

/** A build on the server. On a sharded cluster there is one for each shard that holds a part of the collection. */
interface Operation {
  readonly collection: string;
  readonly names: readonly string[];
  readonly progress: { readonly done: number; readonly total: number };
}

/** Returns the builds in a database. The server runs them as a user of its own, so the privilege `inprog` is needed to see them. */
function readOperations(database: Database): Promise<readonly Operation[]> {
  const isBuild = { 'command.createIndexes': { $exists: true }, progress: { $exists: true } };
  const pipeline = [
    { $currentOp: { allUsers: true } },
    { $match: { ...isBuild, 'command.$db': database.db.databaseName } },
    { $project: { _id: 0, collection: '$command.createIndexes', names: '$command.indexes.name', progress: 1 } },
  ];
  const options = { maxTimeMS: longestLook, ...commentIn(database) };
  return database.client.db('admin').aggregate<Operation>(pipeline, options).toArray();
}

const withProgress = ({ collection, names }: Build, operations: readonly Operation[]): readonly BuildingIndex[] =>
  names.map((name) => {
    const own = operations.filter((operation) => operation.collection === collection && operation.names.includes(name));
    if (own.length === 0) return { name };
    const sum = (key: 'done' | 'total'): number => own.reduce((total, { progress }) => total + progress[key], 0);
    return { name, done: sum('done'), total: sum('total') };
  });
