import { type ClientSession, type Db, type Document, Long, type MongoClient } from 'mongodb';
import type { Budget } from '../query/budget.js';
import { nextTurn, type Sender, type Queue } from '../queue.js';
import type { AbandonedTransactions } from './abandoned.js';
import { inReadTime, type Sessions } from './calls.js';
import { CommandTurns, type Replies } from './command-turns.js';
import type { SearchIndexes, UniqueBuilds } from './index-state.js';
import { requestTime, untilAnswered, WaitTime } from './within-time.js';

/** A stored document, for readers outside of this folder. */
export type { Document } from 'mongodb';

/**
 * A connected database with the scope of the commands that are sent to it:
 * - the connection and its server: `client`, `db`, `maxTimeMS`, `isReplicated`, `isSharded`
 * - the transaction, if there is one: `session`, `order`, `later`, `undo`
 * - the request, if there is one: `budget`, `time`, `turns`, `sender`
 * - shared by all requests: `sessions`, `scans`, `replies`, `searches`, `uniques`, `abandoned`
 * - the kind of command: `isScanned`
 *
 * `forRequest`, `asScanned` and `inTransaction` return copies with another scope.
 */
export interface Database {
  readonly client: MongoClient;
  readonly db: Db;
  /** Milliseconds after which the server gives up on a read or a write. */
  readonly maxTimeMS: { readonly read: number; readonly write: number };
  /** False on a standalone server, which has neither transactions nor change streams. */
  readonly isReplicated: boolean;
  /** Whether the server is a mongos: the data lie on several shards. */
  readonly isSharded: boolean;
  /** The transaction that commands belong to, if any. */
  readonly session: ClientSession | null;
  /** The queue of a transaction: its commands run one after the other, as the server requires. */
  readonly order?: Queue;
  /** Work that runs after the commit of the transaction. */
  readonly later?: (() => Promise<void>)[];
  /** Work that runs if the transaction is not committed. */
  readonly undo?: (() => void)[];
  /** What the request may still read; unlimited without a request. */
  readonly budget: Budget;
  /** The time that the request may wait for its commands and transactions; endless without a request. */
  readonly time: WaitTime;
  /** The read commands of the request that are under way; null without a request. */
  readonly turns: CommandTurns | null;
  /** The client of the request; null without a request. */
  readonly sender: Sender | null;
  /** The sessions of commands outside of transactions. */
  readonly sessions: Sessions;
  /** The queue of commands that may scan whole collections. It leaves connections to other commands. */
  readonly scans: Queue;
  /** The sizes of replies, by collection, and the queue of further replies. */
  readonly replies: Replies;
  /** The attributes that are indexed for searches. */
  readonly searches: SearchIndexes;
  /** The index builds that writes wait for. */
  readonly uniques: UniqueBuilds;
  /** Ends transactions of instances that have died. */
  readonly abandoned: AbandonedTransactions;
  /** Commands may scan whole collections and go through the queue `scans`. */
  readonly isScanned?: boolean;
}

/** The database as one request sees it. */
export const forRequest = (database: Database, budget: Budget, sender: Sender): Database => ({
  ...database,
  budget,
  sender,
  time: new WaitTime(requestTime(database.maxTimeMS)),
  turns: new CommandTurns(),
});

/** The same database for commands that may scan whole collections. */
export const asScanned = (database: Database): Database => ({ isScanned: true, ...database });

/** The option by which a call of the driver belongs to the transaction, if there is one. */
export const inSession = (session: ClientSession | null): { readonly session?: ClientSession } =>
  session === null ? {} : { session };

interface CursorReply {
  readonly cursor: { readonly firstBatch: readonly Document[]; readonly id: unknown };
}

/**
 * Runs a find or aggregate command and returns all its documents. One reply carries them unless they exceed its 16 MB:
 * reading `firstBatch` costs a third of what a driver cursor does (280 against 800 us for 25 documents). Further replies belong to the
 * session of the first one. A command may have a lower `maxTimeMS` than others, which only the server keeps to.
 */
export const readAll = (database: Database, command: Document): Promise<readonly Document[]> =>
  inTurn(database, command, () => withSession(database, (session) => readIn(session, database, command)));

/** Runs a call of the driver with the session of the transaction, or one of its own if there is none. */
export const withSession = <Result>(
  { session, sessions }: Database,
  call: (session: ClientSession) => Promise<Result>,
): Promise<Result> => (session === null ? sessions.run(call) : call(session));

async function readIn(session: ClientSession, database: Database, command: Document): Promise<readonly Document[]> {
  const collection = String(command['find'] ?? command['aggregate']);
  const batchSize = database.replies.batchSize(collection);
  const size =
    'find' in command
      ? { batchSize: (command['batchSize'] as unknown) ?? batchSize }
      : { cursor: { batchSize, ...command['cursor'] } };
  const reply = (await send(database, command, { session, size })) as unknown as CursorReply; // the form of every cursor command's reply
  const { firstBatch, id } = reply.cursor;
  // of a command with a size of its own the documents are not whole
  const whole = 'batchSize' in command ? null : collection;
  if (String(id) !== '0') return readOn({ collection, whole, id, firstBatch, session }, database);
  charge(database, whole, firstBatch);
  return firstBatch;
}

/** Charges the documents of a reply to the request. `whole`: the collection; null if they are not whole. */
function charge({ budget, replies }: Database, whole: string | null, documents: readonly Document[]): void {
  if (budget.left('bytesRead') < Infinity) budget.spend('bytesRead', replies.measure(whole, documents));
}

/** Returns the number of documents of a collection from its metadata, which takes the same time for any size. */
export const countStored = async (collection: string, database: Database): Promise<number> =>
  Number((await runRead(database, { count: collection }))['n']);

/** Runs a read command within its time limit and, if there is one, the transaction. */
export const runRead = (database: Database, command: Document): Promise<Document> =>
  inTurn(database, command, () => withSession(database, (session) => send(database, command, { session })));

/** Commands of a transaction come one after the other, and the same one may find something else. */
function inTurn<Reply>(
  { session, order, turns, scans, sender, isScanned }: Database,
  command: Document,
  run: () => Promise<Reply>,
): Promise<Reply> {
  if (session !== null) return order === undefined ? run() : order.run(run);
  const send = isScanned === true ? () => scans.run(run, sender ?? undefined) : run;
  return turns === null ? send() : turns.run(command, send);
}

/** Runs a command when the transaction that it belongs to has no other one under way. */
export const inOrder = <Reply>({ session, order }: Database, run: () => Promise<Reply>): Promise<Reply> =>
  session === null || order === undefined ? run() : order.run(run);

interface Sending {
  readonly session: ClientSession;
  /** The bounds of the reply of a cursor. */
  readonly size?: Document;
}

/** The command is copied once, by `Object.assign`: objects that a spread adds keys to have a shape each, which is slow to serialize. */
function send(database: Database, command: Document, { session, size }: Sending): Promise<Document> {
  const { db, maxTimeMS, session: transaction, budget } = database;
  if (budget.exceeded !== null) return Promise.reject(budget.exceeded);
  const limited = Object.assign({}, command, size, { maxTimeMS: (command['maxTimeMS'] as unknown) ?? maxTimeMS.read });
  const run = (): Promise<Document> => db.command(limited, readOptions(session));
  return inReadTime(database, transaction === null ? (limit) => untilAnswered(limit, run) : run);
}

/**
 * What this service stores is valid UTF-8. The check of replies is a loop over all characters, which takes a third of the time to decode
 * long texts; without it, broken bytes of other software are read as U+FFFD.
 */
const readOptions = (session: ClientSession) => ({ session, enableUtf8Validation: false });

interface FirstReply extends Pick<CursorReply['cursor'], 'id' | 'firstBatch'> {
  readonly collection: string;
  /** The same, or null if the documents are not whole. */
  readonly whole: string | null;
  readonly session: ClientSession;
}

/**
 * Reads all further replies. A request stops here once it has read more than may be sent. Without a transaction it waits for its turn
 * first: of many requests that read much, two are read to their end, while each would otherwise be read to a part, and be in memory for
 * nothing once there is no more of it. What the service reads for itself does not wait, since it may be long.
 */
async function readOn(first: FirstReply, database: Database): Promise<readonly Document[]> {
  const { replies, sender, session } = database;
  const cursor = { collection: first.collection, id: first.id };
  try {
    charge(database, first.whole, first.firstBatch);
    const read = (): Promise<readonly Document[]> => readRest(first, cursor, database);
    return await (session === null && sender !== null ? replies.inTurn(read, sender) : read());
  } catch (error) {
    if (isOpen(cursor.id))
      await database.db.command({ killCursors: cursor.collection, cursors: [longOf(cursor.id)] }).catch(() => undefined);
    throw error;
  }
}

/** A cursor of the server, with the id that its last reply had. */
interface Cursor {
  readonly collection: string;
  id: unknown;
}

const isOpen = (id: unknown): boolean => String(id) !== '0';

/** The driver makes numbers of longs that are small enough, which the server does not take for an id. */
const longOf = (id: unknown): Long => Long.fromString(String(id));

async function readRest(
  { firstBatch, session, whole }: FirstReply,
  cursor: Cursor,
  database: Database,
): Promise<readonly Document[]> {
  const batches = [firstBatch];
  while (isOpen(cursor.id)) {
    const { id, nextBatch } = await readFurther(cursor, session, database);
    cursor.id = id;
    batches.push(nextBatch);
    charge(database, whole, nextBatch);
    // Others are answered before the next reply is worked on.
    if (database.session === null) await nextTurn();
  }
  return batches.flat();
}

interface FurtherReply {
  readonly id: unknown;
  readonly nextBatch: readonly Document[];
}

async function readFurther({ id, collection }: Cursor, session: ClientSession, database: Database): Promise<FurtherReply> {
  const { db, replies } = database;
  const command = { getMore: longOf(id), collection, batchSize: 2 * replies.batchSize(collection) };
  const { cursor } = await inReadTime(database, () => db.command(command, readOptions(session)));
  return cursor as FurtherReply; // the form of every getMore reply
}
