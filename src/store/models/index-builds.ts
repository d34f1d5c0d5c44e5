import type { ContentType, Registry } from '#model/schema/content-type.js';
import { Queue } from '#base/limits/queue.js';
import { type Database, forJob } from '../send/database.js';
import { indexesLeftOut, type IndexPlan, keepsUnique, ownIndexes, planIndexes } from '../read/plan-indexes.js';
import { readAll } from '../send/read-commands.js';
import { BuildReports } from './build-reports.js';
import type { ModelWork } from './model-status.js';
import { buildIndexes, compareIndexes, dropIndexes, type IndexDifferences, type IndexProblems } from './indexes.js';

/** Maximum number of types whose indexes are built at once, so that connections remain for requests. */
const atOnce = 4;

const day = 86_400_000;

interface BuildsInput extends ModelWork {
  /** Returns the types for which indexes of names that are not served yet may be built meanwhile. */
  readonly awaitingNames: (registry: Registry) => readonly ContentType[];
}

/** Builds that were begun. Both resolve, even if builds fail. */
interface BegunBuilds {
  /** Resolves when the unique indexes are built. */
  readonly unique: Promise<void>;
  readonly all: Promise<void>;
}

/**
 * Brings indexes in line with the models in force while requests are answered. Begins with the unique indexes of all types,
 * because writes to a type wait for them.
 */
export class IndexBuilds {
  readonly #input: BuildsInput;
  #lookedForUnused = 0;
  readonly #turns = new Queue({ atOnce });
  readonly #reports: BuildReports;

  constructor(input: BuildsInput) {
    this.#input = input;
    this.#reports = new BuildReports(input);
  }

  /** Reports once a day which indexes no read has used for a month. */
  async reportUnused({ types }: Registry): Promise<void> {
    if (Date.now() - this.#lookedForUnused < day) return;
    this.#lookedForUnused = Date.now();
    const { database, status } = this.#input;
    for (const type of types.values()) {
      const unusedIndexes = type.collection === '' ? [] : await findUnused(type, forJob(database, 'model recount'));
      await status.set(type.uid, { unusedIndexes });
    }
  }

  /**
   * Begins to build the missing indexes of types. `stored` are the collections that existed before the types were prepared;
   * others have no indexes yet.
   */
  begin(types: readonly ContentType[], registry: Registry, stored: ReadonlySet<string>): BegunBuilds {
    const { database, awaitingNames } = this.#input;
    const awaiting = awaitingNames(registry);
    const missingOf = async (type: ContentType): Promise<MissingIndexes> => {
      if (!stored.has(type.collection)) return { missing: planIndexes(type, registry), isNew: true };
      const { stale, ...found } = await compareIndexes(database.db, type, registry);
      if (!awaiting.includes(type)) await dropIndexes(database.db, type.collection, stale);
      return found;
    };
    const unique = types.map((type) => this.#beginUnique(type, missingOf));
    const all = types.map((type, index) => this.#buildOthers(type, registry, unique[index] ?? Promise.resolve(null)));
    return { unique: settle(unique), all: settle(all) };
  }

  /** Builds the unique indexes of a type. Resolves to the other indexes to build; null if the indexes could not be listed. */
  #beginUnique(type: ContentType, missingOf: (type: ContentType) => Promise<MissingIndexes>): Promise<LeftIndexes | null> {
    const { database, jobs } = this.#input;
    const build = this.#turns
      .run(async () => {
        const { missing, isNew } = await missingOf(type);
        // without entries all indexes are built at once
        const first = missing.filter((plan) => isNew || keepsUnique(plan));
        const problems = await this.#watched(type, first);
        return { problems, others: missing.filter((plan) => !first.includes(plan)) };
      })
      .catch((err: unknown) => {
        jobs.observer.observe({ kind: 'failed', work: 'index check', about: { uid: type.uid }, err });
        return null;
      });
    database.uniques.begin(type.collection, settle([build]));
    return build;
  }

  async #buildOthers(type: ContentType, registry: Registry, unique: Promise<LeftIndexes | null>): Promise<void> {
    const { status } = this.#input;
    const { observer } = this.#input.jobs;
    const leftIndexes = await unique;
    if (leftIndexes === null) return;
    try {
      await this.#turns.run(async () => {
        const leftOut = indexesLeftOut(type, registry).map(describeLeftOut);
        const problems = [...leftIndexes.problems, ...leftOut, ...(await this.#watched(type, leftIndexes.others))];
        for (const text of problems) observer.observe({ kind: 'index refused', uid: type.uid, text });
        await status.set(type.uid, { indexProblems: problems });
      });
    } catch (err) {
      observer.observe({ kind: 'failed', work: 'index build', about: { uid: type.uid }, err });
    }
  }

  /** Builds indexes, and reports them as being built if that takes long. */
  async #watched({ uid, collection }: ContentType, plans: readonly IndexPlan[]): Promise<IndexProblems> {
    const { database, jobs } = this.#input;
    const names = plans.map(({ name }) => name);
    const begun = performance.now();
    const build = (): Promise<IndexProblems> => database.abandoned.endWhile(() => buildIndexes(database.db, collection, plans));
    const problems = await this.#reports.during({ uid, collection, names }, build);
    if (names.length > 0) jobs.observer.observe({ kind: 'indexes built', uid, names, ms: performance.now() - begun });
    return problems;
  }
}

type MissingIndexes = Pick<IndexDifferences, 'missing' | 'isNew'>;

interface LeftIndexes {
  /** Indexes that could not be built. */
  readonly problems: IndexProblems;
  readonly others: readonly IndexPlan[];
}

const describeLeftOut = ({ name }: IndexPlan): string =>
  `index ${name} is not built: the model needs more indexes than a collection can have`;

const settle = async (builds: readonly Promise<unknown>[]): Promise<void> => void (await Promise.allSettled(builds));

/** The usage of an index: how many reads have used it since it was built or the server was started. */
interface IndexUse {
  readonly name: string;
  readonly spec?: { readonly unique?: boolean };
  readonly accesses: { readonly ops: number | bigint; readonly since: Date };
}

/** Milliseconds after which an index without a use counts as unused. */
const patience = 30 * 86_400_000;

/**
 * Returns the indexes of a type that no read has used for a month. Unique indexes are left out, because they are needed without
 * reads. Returns none if the user of the connection lacks the role `clusterMonitor`, and behind mongos, where each shard has its
 * own statistics.
 */
export async function findUnused({ collection }: ContentType, database: Database, now = Date.now()): Promise<readonly string[]> {
  if (database.isSharded) return [];
  const uses = await readAll(database, { aggregate: collection, pipeline: [{ $indexStats: {} }] }).catch(() => []);
  return unusedAmong(uses as unknown as readonly IndexUse[], now); // the form of this stage
}

/** Returns the names of unused indexes. `now` is the current time in milliseconds. */
export const unusedAmong = (uses: readonly IndexUse[], now: number): readonly string[] =>
  uses
    .filter(({ name, spec, accesses: { ops, since } }) => {
      const isOwn = name.startsWith(ownIndexes) && spec?.unique !== true;
      return isOwn && Number(ops) === 0 && now - since.getTime() > patience;
    })
    .map(({ name }) => name);
