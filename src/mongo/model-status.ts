import type { AnyBulkWriteOperation } from 'mongodb';
import type { RegistryBuild } from '../schema/build-registry.js';
import type { Database } from './database.js';
import type { Logger } from './logger.js';

interface StatusDocument {
  readonly _id: string;
  readonly uid: string;
  readonly instance: string;
  readonly state?: 'active' | 'refused';
  readonly problems?: readonly string[];
  readonly indexProblems?: readonly string[];
  readonly at: Date;
}

/** What this instance has made of each model, in `_model_status`, for operators and the admin API; never in the model itself. */
export class ModelStatus {
  readonly #database: Database;
  readonly #instance: string;
  #reported = new Map<string, string>();

  constructor(database: Database, instance: string) {
    this.#database = database;
    this.#instance = instance;
  }

  /** Writes the state of models whose state has changed, and logs what is wrong with them. */
  async report({ models, problems }: RegistryBuild, logger: Logger): Promise<void> {
    const uids = new Set([...models.keys(), ...problems.keys()]);
    const changed = [...uids].filter((uid) => this.#reported.get(uid) !== stateOf(problems.get(uid)));
    for (const uid of changed) {
      this.#reported.set(uid, stateOf(problems.get(uid)));
      const found = problems.get(uid);
      if (found !== undefined) logger.warn({ uid, problems: found }, `model ${uid} is not in force: ${found.join('; ')}`);
    }
    const gone = [...this.#reported.keys()].filter((uid) => !uids.has(uid));
    for (const uid of gone) this.#reported.delete(uid);
    await this.#write(
      changed.map((uid) =>
        this.#set(uid, { state: problems.has(uid) ? 'refused' : 'active', problems: problems.get(uid) ?? [] }),
      ),
    );
    if (gone.length > 0) await this.#collection().deleteMany({ instance: this.#instance, uid: { $in: gone } });
  }

  async reportIndexes(uid: string, indexProblems: readonly string[]): Promise<void> {
    await this.#write([this.#set(uid, { indexProblems })]);
  }

  /** An instance that has stopped has no state. */
  async clear(): Promise<void> {
    await this.#collection()
      .deleteMany({ instance: this.#instance })
      .catch(() => undefined);
  }

  #collection() {
    return this.#database.db.collection<StatusDocument>('_model_status');
  }

  #set(uid: string, values: Pick<StatusDocument, 'state' | 'problems'> | Pick<StatusDocument, 'indexProblems'>) {
    const update = { $set: { uid, instance: this.#instance, ...values, at: new Date() } };
    return { updateOne: { filter: { _id: `${uid}@${this.#instance}` }, update, upsert: true } };
  }

  async #write(operations: readonly AnyBulkWriteOperation<StatusDocument>[]): Promise<void> {
    if (operations.length > 0) await this.#collection().bulkWrite(operations, { ordered: false });
  }
}

const stateOf = (problems: readonly string[] | undefined): string => (problems === undefined ? 'active' : problems.join('\n'));
