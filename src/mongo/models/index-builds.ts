import type { ContentType, Registry } from '../../schema/content-type.js';
import { Queue } from '../../queue.js';
import type { Database, Logger } from '../database.js';
import type { IndexPlan } from '../read/plan-indexes.js';
import { buildIndexes, type IndexProblems, removeStaleIndexes } from './ensure-indexes.js';

/** Types whose indexes are built at a time: the pool of connections is there for requests. */
const atOnce = 4;

interface BuildsInput {
  readonly database: Database;
  readonly logger: Logger;
  /** Called with indexes that could not be built. */
  readonly report: (uid: string, problems: IndexProblems) => Promise<void>;
}

/** Builds that were begun. Both resolve, whatever fails. */
interface BegunBuilds {
  /** When the indexes are there that keep values unique. */
  readonly unique: Promise<void>;
  readonly all: Promise<void>;
}

/**
 * Brings indexes in line with the models in force while requests are answered: of all types first those that keep values unique, which
 * writes to the type wait for.
 */
export class IndexBuilds {
  readonly #input: BuildsInput;
  readonly #turns = new Queue({ atOnce });

  constructor(input: BuildsInput) {
    this.#input = input;
  }

  begin(types: readonly ContentType[], registry: Registry): BegunBuilds {
    const unique = types.map((type) => this.#beginUnique(type, registry));
    const all = types.map((type, index) => this.#buildOthers(type, unique[index] ?? Promise.resolve(null)));
    return { unique: settle(unique), all: settle(all) };
  }

  /** Resolves to what is left to do; null if the indexes could not be looked at. */
  #beginUnique(type: ContentType, registry: Registry): Promise<LeftIndexes | null> {
    const { database, logger } = this.#input;
    const build = this.#turns
      .run(async () => {
        const missing = await removeStaleIndexes(database.db, type, registry);
        const uniques = missing.filter(isUnique);
        const problems = await buildIndexes(database.db, type.collection, uniques);
        return { problems, others: missing.filter((plan) => !isUnique(plan)) };
      })
      .catch((err: unknown) => {
        logger.warn({ uid: type.uid, err }, 'indexes could not be checked');
        return null;
      });
    database.uniques.begin(type.collection, settle([build]));
    return build;
  }

  async #buildOthers(type: ContentType, unique: Promise<LeftIndexes | null>): Promise<void> {
    const { database, logger, report } = this.#input;
    const left = await unique;
    if (left === null) return;
    try {
      await this.#turns.run(async () => {
        const problems = [...left.problems, ...(await buildIndexes(database.db, type.collection, left.others))];
        for (const problem of problems) logger.warn({ uid: type.uid }, problem);
        await report(type.uid, problems);
      });
    } catch (err) {
      logger.warn({ uid: type.uid, err }, 'indexes could not be built');
    }
  }
}

interface LeftIndexes {
  /** The unique indexes that could not be built. */
  readonly problems: IndexProblems;
  readonly others: readonly IndexPlan[];
}

const isUnique = ({ options }: IndexPlan): boolean => options.unique === true;

const settle = async (builds: readonly Promise<unknown>[]): Promise<void> => void (await Promise.allSettled(builds));
