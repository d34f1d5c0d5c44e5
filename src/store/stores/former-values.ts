import { MongoServerError } from 'mongodb';
import type { Database } from '../send/database.js';
import { inReadTime } from '../send/calls.js';
import { commentIn, withComment } from '../send/database.js';
import type { Change, FieldsOf } from './change-log.js';

/** Milliseconds that a change of a collection waits for open transactions, because requests wait behind it. */
const longestWait = 2_000;

/** Error code of a command for which the user of the database lacks the right. */
const unauthorized = 13;

/** Error code of a command that has to wait until an index is built. */
const indexIsBuilt = 12_587;

const kept = { changeStreamPreAndPostImages: { enabled: true } };

interface FormerValuesInput {
  readonly database: Database;
  readonly warn: (text: string) => void;
  /** Milliseconds after which a change of a collection that failed is tried again. */
  readonly pause?: number;
}

/** Has the server keep documents as they were before their changes, for the collections whose former values are logged. */
export class FormerValues {
  readonly #input: Required<FormerValuesInput>;
  /** When a collection is tried again after a failure, by `performance.now()`: never if the right is missing. */
  readonly #failed = new Map<string, number>();

  constructor(input: FormerValuesInput) {
    this.#input = { pause: 10_000, ...input };
  }

  /** Tells the server to keep the documents of collections with recorded fields, unless it does. */
  async keep(followed: FieldsOf): Promise<void> {
    const now = performance.now();
    const names = [...followed].flatMap(([name, { size }]) => (size > 0 && (this.#failed.get(name) ?? 0) <= now ? [name] : []));
    if (names.length === 0) return;
    const { database } = this.#input;
    const isKept = { 'options.changeStreamPreAndPostImages.enabled': true };
    const filter = { name: { $in: names }, $nor: [isKept] };
    const missing = await inReadTime(database, () => database.db.listCollections(filter, commentIn(database)).toArray());
    for (const { name } of missing) await this.#enable(name);
  }

  /** Does the same for collections that were replaced meanwhile, so that the server did not know the former values, or have failed. */
  async miss(changes: readonly Change[], followed: FieldsOf): Promise<void> {
    const names = new Set([
      ...this.#failed.keys(),
      ...changes.flatMap(({ former, collection }) => (former === null && collection !== null ? [collection] : [])),
    ]);
    if (names.size > 0) await this.keep(new Map([...followed].filter(([name]) => names.has(name))));
  }

  async #enable(name: string): Promise<void> {
    const { database, warn, pause } = this.#input;
    try {
      await database.db.command(withComment(database, { collMod: name, ...kept, maxTimeMS: longestWait }));
      this.#failed.delete(name);
    } catch (error) {
      const code = error instanceof MongoServerError ? error.code : null;
      if (code === indexIsBuilt) {
        this.#failed.set(name, performance.now());
        return;
      }
      const lacksRight = code === unauthorized;
      const remedy = lacksRight ? 'grant the action collMod to the user of the database' : 'it is tried again';
      if (lacksRight || !this.#failed.has(name))
        warn(
          `MongoDB does not keep former values of ${name} (${String(error)}), so clients of sync begin anew after a deletion: ${remedy}`,
        );
      this.#failed.set(name, lacksRight ? Infinity : performance.now() + pause);
    }
  }
}
