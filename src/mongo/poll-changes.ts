import { createHash } from 'node:crypto';
import { collections } from '../schema/collections.js';
import type { ChangeBus } from './changes.js';
import type { Database } from './database.js';
import type { WriteMarks } from './write-marks.js';

/** Small collections whose change makes the registry be built again, or ids be reserved again: they are compared, whoever writes them. */
const compared = [collections.models, collections.settings, collections.locales, collections.imports];

/** Collections that are read for requests: what is kept of them is read again after each look. */
const reread = [collections.roles, collections.permissions, collections.tokens, collections.users];

/**
 * Finds out by reading what has changed. The documents of a model take 3 µs to hash; they are not decoded. `marks`: the writes to other
 * collections by other instances; null if nothing is kept of those.
 */
export class ChangePoll {
  readonly #database: Database;
  readonly #changes: ChangeBus;
  readonly #marks: WriteMarks | null;
  readonly #digests = new Map<string, string>();

  constructor(database: Database, changes: ChangeBus, marks: WriteMarks | null) {
    this.#database = database;
    this.#changes = changes;
    this.#marks = marks;
  }

  /** Reports what has changed since the last look. Rejects if the database does not answer. */
  async look(): Promise<void> {
    const [marked, ...differs] = await Promise.all([
      this.#marks?.read() ?? [],
      ...compared.map((name) => this.#hasChanged(name)),
    ]);
    const changed = compared.filter((_, index) => differs[index]);
    for (const collection of new Set([...changed, ...marked, ...reread])) this.#changes.changed(collection);
  }

  async #hasChanged(collection: string): Promise<boolean> {
    const { db, maxTimeMS } = this.#database;
    const options = { raw: true, maxTimeMS: maxTimeMS.read } as const;
    const documents = await db.collection(collection).find({}, options).sort({ _id: 1 }).toArray();
    const hash = createHash('sha1');
    for (const document of documents) hash.update(document as unknown as Buffer); // what `raw` returns
    const digest = hash.digest('base64');
    const former = this.#digests.get(collection);
    this.#digests.set(collection, digest);
    return former !== digest;
  }
}
