import { randomUUID } from 'node:crypto';
import { type ClientSession, Long, MongoServerError, type Timestamp } from 'mongodb';
import { withinTime } from '#base/limits/clock.js';
import { endedBy } from '#base/limits/timers.js';
import { type Database, type Document, withComment } from '../send/database.js';
import { DuplicateKey, isInterrupted } from '../send/driver-errors.js';
import { appendChanges, prepareLog } from './append-changes.js';
import { type Change, type FieldsOf, type LogState, syncLog } from './change-log.js';
import { changesIn, streamOptions, streamStages } from './changes-in.js';
import { FormerValues } from './former-values.js';

/** What the writer of the log needs to know. */
interface LogWriting {
  /**
   * Returns the collections whose changes are logged now, each with the fields whose former values are. Without any collection, the
   * writer ends.
   */
  readonly followed: () => Promise<FieldsOf>;
  /** Seconds for which a change is kept. */
  readonly retention: number;
  readonly signal: AbortSignal;
  /** Told that the server refuses to keep the former values of a collection. */
  readonly warn: (text: string) => void;
}

/** Milliseconds that the server waits for a change before it returns an empty batch. */
const longestWait = 1_000;

/** Milliseconds after which the position of a stream without changes is stored. */
const idleTime = 10_000;

/** Maximum number of changes in one transaction. */
const mostAtOnce = 1_000;

/** Errors of an open stream that cannot be continued at its position: its changes are no longer in the oplog, or cannot be read. */
const lostPosition: ReadonlySet<number> = new Set([260, 280, 286, 10_334]);

/** Errors that say nothing about the position: lacking rights, and time limits. */
const ofOtherCauses: ReadonlySet<number> = new Set([13, 18, 50]);

/** A stream cannot be opened at its position. */
class PositionLost extends Error {}

/**
 * Writes the log from one change stream until the signal aborts, or nothing is followed any more. Throws if the stream or a write
 * fails, or another writer has written meanwhile; the next call continues where the log ends. If the stream cannot be continued
 * there, or the log has changes behind its end, as after a restore, a new epoch begins.
 */
export async function writeChanges(database: Database, writing: LogWriting): Promise<void> {
  await prepareLog(database, writing.retention);
  let state = await syncLog.readState(database);
  while (!writing.signal.aborted) {
    const followed = await writing.followed();
    if (followed.size === 0) return;
    try {
      state = await database.client.withSession({ causalConsistency: false }, (session) =>
        new Stream({ database, session, followed }, writing).write(state),
      );
    } catch (error) {
      if (state === null || !(error instanceof DuplicateKey || isLost(error))) throw error;
      state = { ...state, position: null };
    }
  }
}

const isLost = (error: unknown): boolean =>
  error instanceof PositionLost ||
  (error instanceof MongoServerError &&
    (lostPosition.has(Number(error.code)) || error.hasErrorLabel('NonResumableChangeStreamError')));

interface Batch {
  readonly id: unknown;
  readonly firstBatch?: readonly Document[];
  readonly nextBatch?: readonly Document[];
  readonly postBatchResumeToken: { readonly _data: string };
}

interface StreamInput {
  readonly database: Database;
  readonly session: ClientSession;
  readonly followed: FieldsOf;
}

/** One change stream, and the log that is written from it. */
class Stream {
  readonly #database: Database;
  readonly #session: ClientSession;
  readonly #writing: LogWriting;
  readonly #followed: FieldsOf;
  readonly #former: FormerValues;

  constructor({ database, session, followed }: StreamInput, writing: LogWriting) {
    this.#database = database;
    this.#session = session;
    this.#writing = writing;
    this.#followed = followed;
    this.#former = new FormerValues({ database, warn: writing.warn });
  }

  /** Writes what the stream reports until other collections are to be followed. Returns the state of the log. */
  async write(before: LogState | null): Promise<LogState> {
    const { signal } = this.#writing;
    await this.#former.keep(this.#followed);
    const reply = await this.#open(before?.position ?? null);
    const batch = batchOf(reply);
    const cursor = Long.fromString(String(batch.id));
    let killed: Promise<unknown> | null = null;
    const kill = () => (killed ??= this.#send({ killCursors: '$cmd.aggregate', cursors: [cursor] }).catch(() => undefined));
    try {
      return await endedBy([signal], kill, async () => this.#follow(await this.#begin(before, reply), batch, cursor));
    } finally {
      await kill();
    }
  }

  /** Opens the stream at a position; null: now. Throws PositionLost if the server cannot. */
  #open(position: unknown): Promise<Document> {
    const begin = { ...streamOptions(this.#followed), ...(position !== null && { resumeAfter: position }) };
    const pipeline = [{ $changeStream: begin }, ...streamStages(this.#followed)];
    return this.#send({ aggregate: 1, pipeline, cursor: {} }).catch((error: unknown) => {
      const isOfPosition = error instanceof MongoServerError && !isInterrupted(error) && !ofOtherCauses.has(Number(error.code));
      throw position !== null && isOfPosition ? new PositionLost(error.message, { cause: error }) : error;
    });
  }

  /** Logs that a stream has begun, if it is a new epoch or follows further collections. */
  #begin(before: LogState | null, reply: Document): Promise<LogState> | LogState {
    const time = reply['operationTime'] as Timestamp; // of every reply of a replica set
    const position = batchOf(reply).postBatchResumeToken;
    const begun = { database: this.#database, before, followed: this.#followed };
    if (before === null || before.position === null) {
      const reset: Change = { collection: null, kind: 'reset', token: `${position._data} ${randomUUID()}`, time };
      return appendChanges(begun, [reset], { position, epoch: randomUUID() });
    }
    const added = [...this.#followed.keys()].filter((name) => !before.followed.includes(name));
    if (added.length === 0 && isSame(this.#followed, syncLog.fieldsIn(before))) return before;
    const resets = added.map((collection): Change => {
      const token = `${(before.position as Batch['postBatchResumeToken'])._data} ${randomUUID()}`; // of the stream before
      return { collection, kind: 'reset', token, time };
    });
    return appendChanges(begun, resets, { position: before.position });
  }

  async #follow(begun: LogState, first: Batch, cursor: Long): Promise<LogState> {
    const { signal, followed } = this.#writing;
    const { maxTimeMS } = this.#database;
    let state = begun;
    for (let batch = first; ;) {
      state = await this.#store(state, batch);
      if (signal.aborted || String(batch.id) === '0' || !isSame(await followed(), this.#followed)) return state;
      const next = { getMore: cursor, collection: '$cmd.aggregate', maxTimeMS: longestWait };
      batch = batchOf(await withinTime(longestWait + maxTimeMS.read, () => this.#send(next)));
    }
  }

  /** Stores the changes of a batch, or from time to time the position of a stream without changes. */
  async #store(state: LogState, { firstBatch, nextBatch = firstBatch ?? [], postBatchResumeToken }: Batch): Promise<LogState> {
    const last = (state.position as Batch['postBatchResumeToken'])._data; // stored by this class
    // a stream that reports changes again has gone back
    const changes = changesIn(nextBatch, this.#followed).filter(({ token }) => token > last);
    await this.#former.miss(changes, this.#followed);
    const writing = { database: this.#database, followed: this.#followed };
    let stored = state;
    for (let from = 0; from < changes.length; from += mostAtOnce) {
      const part = changes.slice(from, from + mostAtOnce);
      const isLast = from + mostAtOnce >= changes.length;
      const position = isLast ? postBatchResumeToken : { _data: part.at(-1)?.token };
      stored = await appendChanges({ ...writing, before: stored }, part, { position });
    }
    const isIdle = changes.length === 0 && Date.now() - state.written.getTime() > idleTime;
    return isIdle ? appendChanges({ ...writing, before: stored }, [], { position: postBatchResumeToken }) : stored;
  }

  #send(command: Document): Promise<Document> {
    return this.#database.db.command(withComment(this.#database, command), { session: this.#session });
  }
}

const batchOf = (reply: Document): Batch => reply['cursor'] as Batch; // the form of every reply of a change stream

const isSame = (one: FieldsOf, other: FieldsOf): boolean =>
  one === other || (syncLog.isWithin(one, other) && syncLog.isWithin(other, one));
