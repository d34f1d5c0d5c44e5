import { createHash, randomUUID } from 'node:crypto';
import { oncePer } from '#base/caches.js';
import { changeLog, collections } from '#model/schema/collections.js';
import type { ChangeBus } from './changes.js';
import { Alarm } from '#base/limits/timers.js';
import { inReadTime, inWriteTime } from '../send/calls.js';
import type { Database } from '../send/database.js';

/** Small collections that are compared as a whole: after their changes the registry is rebuilt, or ids are reserved anew. */
const compared: readonly string[] = [
  collections.models,
  collections.settings,
  collections.locales,
  collections.imports,
  collections.webhooks,
];

/** Collections of built-in types that are cached for requests. */
const cached = [collections.roles, collections.permissions, collections.users];

/** Returns the other collections whose changes are followed. Their caches are dropped after each poll. */
const rereadOf = ({ ownCollections }: Database): readonly string[] => {
  const followed = [...ownCollections.values()].filter(({ isFollowed }) => isFollowed === true).map(({ name }) => name);
  return [...cached, ...followed.filter((name) => name !== changeLog && !compared.includes(name))];
};

/**
 * Returns a function that finds changes by reading: it reports what has changed since its last call, and rejects if the database does
 * not answer. `marks` has the writes of other instances to other collections; null if nothing of these is cached.
 */
export function pollChanges(database: Database, changes: ChangeBus, marks: WriteMarks | null): () => Promise<void> {
  const digests = new Map<string, string>();
  const reread = rereadOf(database);
  const hasChanged = async (collection: string): Promise<boolean> => {
    const digest = await digestOf(collection, database);
    const former = digests.get(collection);
    digests.set(collection, digest);
    return former !== digest;
  };
  return async () => {
    const [marked, ...differs] = await Promise.all([marks?.read() ?? [], ...compared.map(hasChanged)]);
    const changed = compared.filter((_, index) => differs[index]);
    for (const collection of new Set([...changed, ...marked, ...reread])) changes.changed(collection);
  };
}

/** Hashes the documents of a collection without decoding them, which takes 3 µs for a model. */
async function digestOf(collection: string, database: Database): Promise<string> {
  const options = { raw: true, maxTimeMS: database.maxTimeMS.read } as const;
  const stored = database.db.collection(collection).find({}, options).sort({ _id: 1 });
  const documents = await inReadTime(database, () => stored.toArray());
  const hash = createHash('sha1');
  for (const document of documents) hash.update(document as unknown as Buffer); // what `raw` returns
  return hash.digest('base64');
}

/** The writes of one instance: a number for each collection that increases with each write. */
interface MarkDocument {
  readonly _id: string;
  readonly writes: Readonly<Record<string, number>>;
  /** The time of the last write. */
  readonly at: Date;
}

/** Milliseconds during which writes are collected. If every write updated the mark, all would wait for that document. */
const gathering = 100;

/** Seconds after the last write of an instance until its document expires. */
const lifetime = 3600;

/** Creates the index that deletes old marks, with the first mark of an instance. */
const expiring = oncePer<WriteMarks>();

/**
 * The collections that each instance has written to, for the totals that others cache. Each instance has a document of its own,
 * so that instances do not wait for each other. A mark is written after the commit, and is lost if the instance dies in between.
 * The change stream reports that write too.
 */
export class WriteMarks {
  readonly #database: Database;
  readonly #instance = randomUUID();
  readonly #marks = new Map<string, number>();
  #unwritten = new Set<string>();
  readonly #due = new Alarm(() => void this.#write());
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Database, changes: ChangeBus) {
    this.#database = database;
    changes.onWrite((collection) => {
      this.#unwritten.add(collection);
      this.#due.set(gathering);
    });
  }

  /** Returns the collections that other instances have written to since the last call. */
  async read(): Promise<string[]> {
    const options = { projection: { writes: 1 }, maxTimeMS: this.#database.maxTimeMS.read };
    const others = this.#collection().find({ _id: { $ne: this.#instance } }, options);
    const marks = await inReadTime(this.#database, () => others.toArray());
    const keys = marks.flatMap(({ _id, writes }) =>
      Object.entries(writes).map(([name, count]) => ({ key: `${_id} ${name}`, name, count })),
    );
    const changed = keys.filter(({ key, count }) => this.#marks.get(key) !== count);
    this.#marks.clear();
    for (const { key, count } of keys) this.#marks.set(key, count);
    return changed.map(({ name }) => name);
  }

  /** Writes the marks that are still pending. */
  async close(): Promise<void> {
    await (this.#due.cancel() ? this.#write() : this.#writing);
  }

  #write(): Promise<void> {
    const names = [...this.#unwritten];
    this.#unwritten = new Set();
    this.#writing = this.#writing.then(() => this.#raise(names)).catch(() => this.#postpone(names));
    return this.#writing;
  }

  async #raise(names: readonly string[]): Promise<void> {
    const expire = () => this.#collection().createIndex({ at: 1 }, { expireAfterSeconds: lifetime });
    await inWriteTime(this.#database, () => expiring(this, expire));
    const $inc = Object.fromEntries(names.map((name) => [`writes.${name}`, 1]));
    const options = { upsert: true, maxTimeMS: this.#database.maxTimeMS.write };
    const update = { $inc, $currentDate: { at: true } } as const;
    await inWriteTime(this.#database, () => this.#collection().updateOne({ _id: this.#instance }, update, options));
  }

  /** Keeps the names for the next write. */
  #postpone(names: readonly string[]): void {
    for (const name of names) this.#unwritten.add(name);
  }

  #collection() {
    return this.#database.db.collection<MarkDocument>(collections.writeMarks);
  }
}
