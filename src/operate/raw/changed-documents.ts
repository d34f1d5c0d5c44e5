import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BSON, type ClientSession, type Document, Long, MongoServerError, type Timestamp } from 'mongodb';
import { endedBy, waited } from '#base/limits/timers.js';
import { collections } from '#model/schema/collections.js';
import type { Database } from '#store/send/database.js';
import { isBackedUp, outsideOfBackups } from './backed-up.js';
import { isAway, isCursorLost, patience, patiently } from './patiently.js';
import type { RawDocument } from './raw-documents.js';
import { keyOf } from './scan-documents.js';

/** Milliseconds that the server waits for a change, and between two reads: under load one read returns many changes. */
const longestWait = 1_000;
const pace = 25;

/** Number of changed documents beyond which no further changes are read before these are taken. */
const mostChanged = 50_000;

/** The documents that have changed, by collection: documents that have only an id. */
export type ChangedIds = ReadonlyMap<string, readonly RawDocument[]>;

interface Event {
  readonly operationType: string;
  readonly clusterTime: Timestamp;
  readonly ns?: { readonly coll?: string };
  readonly to?: { readonly coll?: string };
  readonly documentKey?: { readonly _id?: unknown };
}

interface Batch {
  readonly id: unknown;
  readonly firstBatch?: readonly Event[];
  readonly nextBatch?: readonly Event[];
  readonly postBatchResumeToken?: unknown;
}

/** A collection was replaced or dropped, so that its documents have changed without an event for each. */
class Replaced extends Error {}

/** Gathers the ids of the documents that change while a backup reads them, from a change stream. */
export class ChangedDocuments {
  readonly #database: Database;
  /** The beginning of the ids of marks, which are written to find out how far the stream is. */
  readonly #mark = `backup ${randomUUID()}`;
  readonly #stopped = new AbortController();
  readonly #following: Promise<void>;
  readonly #begun: Timestamp;
  /** The bytes of the ids as strings, by collection. */
  #ids = new Map<string, Set<string>>();
  #size = 0;
  #heardCount = 0;
  #marks = 0;
  #token: unknown = null;
  #failure: Error | null = null;
  /** The time of the last change that was heard of. */
  time: Timestamp;

  private constructor(database: Database, time: Timestamp) {
    this.#database = database;
    this.#begun = time;
    this.time = time;
    this.#following = this.#follow().catch((error: unknown) => {
      const message = `the changes during the backup could not be read: ${String(error)}`;
      this.#failure = error instanceof Replaced ? error : new Error(message, { cause: error });
    });
  }

  /** Begins to gather changes. Everything that is read after `time` of the result is as old as the first change, or newer. */
  static async begin(database: Database): Promise<ChangedDocuments> {
    return new ChangedDocuments(database, await timeOf(database));
  }

  /** The number of changed documents that were not taken. */
  get size(): number {
    return this.#size;
  }

  /** Throws an Error if changes were missed. */
  check(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  /** Returns the documents that have changed since the last call. Throws an Error if changes were missed. */
  take(): ChangedIds {
    this.check();
    const taken = this.#ids;
    this.#ids = new Map();
    this.#size = 0;
    return new Map([...taken].map(([name, ids]) => [name, Array.from(ids, (key) => Buffer.from(key, 'latin1'))]));
  }

  /**
   * Returns the present time of the server when all changes until then were heard of; null if there are too many. Throws an Error if
   * changes were missed.
   */
  async catchUp(): Promise<Timestamp | null> {
    const time = await timeOf(this.#database);
    const mark = (this.#marks += 1);
    const marks = this.#database.db.collection<{ _id: string; until: Date }>(collections.claims);
    // The server deletes what a killed backup has left: the collection has an index of the field.
    const write = () => marks.updateOne({ _id: this.#idOf(mark) }, { $set: { until: new Date() } }, { upsert: true });
    await patiently(write);
    const end = performance.now() + patience;
    while (this.#heardCount < mark && this.#failure === null) {
      if (performance.now() > end) throw new Error('the change stream does not report what was written a minute ago');
      if (this.#size >= mostChanged) return null;
      await delay(pace);
    }
    this.check();
    return time;
  }

  /** Ends. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#following;
    const ids = Array.from({ length: this.#marks }, (_, index) => this.#idOf(index + 1));
    const marks = this.#database.db.collection<{ _id: string }>(collections.claims);
    await marks.deleteMany({ _id: { $in: ids } }).catch(() => undefined);
  }

  readonly #idOf = (mark: number): string => `${this.#mark} ${String(mark)}`;

  /** Follows the stream until the end. Opens it again where it was after a failover, and if nothing was read for long. */
  async #follow(): Promise<void> {
    let broken: number | null = null;
    while (!this.#stopped.signal.aborted)
      try {
        await this.#database.client.withSession({ causalConsistency: false }, (session) =>
          this.#followOne(session, () => (broken = null)),
        );
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        broken ??= performance.now();
        if (!(isAway(error) || isCursorLost(error)) || performance.now() - broken > patience) throw error;
        await waited(longestWait / 2, this.#stopped.signal);
      }
  }

  async #followOne(session: ClientSession, hears: () => void): Promise<void> {
    const send = async (command: Document): Promise<Batch> => {
      const exact = { session, promoteValues: false, bsonRegExp: true };
      const { cursor } = await this.#database.db.command(command, exact).catch(withNumber);
      return cursor as Batch; // the form of every reply of a change stream
    };
    const begin = this.#token === null ? { startAtOperationTime: this.#begun } : { resumeAfter: this.#token };
    const first = await send({ aggregate: 1, pipeline: [{ $changeStream: begin }, ...this.#stages()], cursor: {} });
    const getMore = Long.fromString(String(first.id));
    const kill = () => send({ killCursors: '$cmd.aggregate', cursors: [getMore] }).catch(() => undefined);
    await endedBy([this.#stopped.signal], kill, async () => {
      for (let batch = first; ;) {
        hears();
        for (const event of batch.nextBatch ?? batch.firstBatch ?? []) this.#hear(event);
        this.#token = batch.postBatchResumeToken ?? this.#token;
        while (this.#size >= mostChanged && !this.#stopped.signal.aborted) await waited(pace, this.#stopped.signal);
        if (String(batch.id) === '0' || !(await waited(pace, this.#stopped.signal))) return;
        batch = await send({ getMore, collection: '$cmd.aggregate', maxTimeMS: longestWait });
      }
    });
  }

  #stages(): Document[] {
    const { names, pattern } = outsideOfBackups(this.#database);
    const isOwn = { 'ns.coll': collections.claims, 'documentKey._id': { $regex: `^${this.#mark}` } };
    const isInside = { 'ns.coll': { $nin: names, $not: { $regex: pattern } } };
    const $match = { $or: [isInside, isOwn, { 'to.coll': { $exists: true } }] };
    return [{ $match }, { $project: { operationType: 1, clusterTime: 1, 'ns.coll': 1, 'to.coll': 1, 'documentKey._id': 1 } }];
  }

  #hear({ operationType, clusterTime, ns, to, documentKey }: Event): void {
    if (clusterTime.lessThanOrEqual(this.#begun)) return; // the first reads see it
    const name = ns?.coll;
    if (documentKey === undefined || name === undefined) {
      const { ownCollections } = this.#database;
      const replaced = [name, to?.coll].find((one) => one !== undefined && isBackedUp(one, ownCollections));
      if (replaced === undefined && operationType !== 'dropDatabase') return;
      throw new Replaced(`${replaced ?? 'the database'} was replaced or dropped meanwhile; run the backup again`);
    }
    if (name === collections.claims) {
      this.#heardCount = Number(String(documentKey._id).split(' ').at(-1));
      return;
    }
    this.time = clusterTime;
    const ids = this.#ids.get(name) ?? new Set<string>();
    const before = ids.size;
    this.#ids.set(name, ids.add(keyOf(BSON.serialize({ _id: documentKey._id }))));
    this.#size += ids.size - before;
  }
}

/** Throws an error of the server with its code as a number, which is a value of BSON if values are exact. */
function withNumber(error: unknown): never {
  if (error instanceof MongoServerError && error.code !== undefined) error.code = Number(error.code);
  throw error;
}

/** Returns the present time of the server. */
async function timeOf({ db }: Database): Promise<Timestamp> {
  const { operationTime } = await patiently(() => db.command({ ping: 1 }));
  return operationTime as Timestamp; // of every reply of a replica set
}
