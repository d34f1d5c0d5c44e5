import { BSON, type ClientSession, type Document, Long } from 'mongodb';
import { nextTurn } from '#base/limits/queue.js';
import { inReadTime, untilAnswered } from './calls.js';
import { type Database, withComment } from './database.js';
import { overlaid } from './overlay.js';
import { sortsTwoLists, withoutLists } from './sort-lists.js';

/** The documents of a reply, as they were sent. */
type Batch = readonly Uint8Array[];

interface CursorReply {
  readonly cursor: { readonly firstBatch?: Batch; readonly nextBatch?: Batch; readonly id: unknown };
}

/**
 * Runs a find or aggregate command, which needs no `cursor`, and returns all its documents. Usually the first reply contains all of
 * them. Reading `firstBatch` takes a third of the time of a driver cursor (280 against 800 µs for 25 documents). Further replies
 * belong to the session of the first one. A command may have a lower `maxTimeMS` than others, which only the server applies.
 */
export function readAll(database: Database, given: Document): Promise<readonly Document[]> {
  const command = overlaid(given, database.overlay);
  return inTurn(database, command, (session) =>
    readIn(session, database, command).catch((error: unknown) => {
      if (!sortsTwoLists(error)) throw error;
      return readIn(session, database, withoutLists(command));
    }),
  );
}

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
  const reply = (await send(database, command, session, size)) as unknown as CursorReply; // the form of every cursor command's reply
  const { firstBatch = [], id } = reply.cursor;
  const documents = decode(firstBatch);
  // commands that set a batch size read only parts of documents
  const whole = 'batchSize' in command || 'cursor' in command ? null : collection;
  if (isOpen(id)) return readOn({ collection, whole, id, documents, session }, database);
  charge(database, whole, documents);
  return documents;
}

/** Charges the documents of a reply to the budget. `whole` is the collection; null if they are only parts of documents. */
function charge({ budget, replies }: Database, whole: string | null, documents: readonly Document[]): void {
  if (budget.remaining('bytesRead') < Infinity) budget.spend('bytesRead', replies.measure(whole, documents));
}

const decode = (batch: Batch): readonly Document[] => batch.map((bytes) => BSON.deserialize(bytes, unchecked));

/**
 * The check of replies for valid UTF-8 is off, because it takes a third of the time to decode long texts, and the service stores
 * only valid UTF-8. Invalid bytes of other software are read as U+FFFD.
 */
const unchecked = { validation: { utf8: false } } as const;

/**
 * Returns the number of documents of a collection that meet a query, up to a limit if there is one. Without a query it is that of the
 * metadata, which takes the same time for any size; a transaction does not allow that.
 */
export async function countDocuments(
  collection: string,
  database: Database,
  counted: { readonly query?: Document; readonly limit?: number } = {},
): Promise<number> {
  const { query, limit } = counted;
  if (query === undefined || (database.overlay?.get(collection) ?? null) === null)
    return Number((await runReadCommand(database, { count: collection, ...counted }))['n']);
  const pipeline = [{ $match: query }, ...(limit === undefined ? [] : [{ $limit: limit }]), { $count: 'n' }];
  const [row] = await readAll(database, { aggregate: collection, pipeline });
  return Number(row?.['n'] ?? 0);
}

/** Runs a read command within its time limit and, if there is one, the transaction. */
export const runReadCommand = (database: Database, command: Document): Promise<Document> =>
  inTurn(database, command, (session) => send(database, command, session));

/**
 * Runs a command in the queue that it belongs to, with a session. Commands of a transaction run one after the other and do not share
 * replies, because an equal command may find something else later.
 */
function inTurn<Reply>(
  { session, order, turns, scans, sender, isScanned, sessions }: Database,
  command: Document,
  call: (session: ClientSession) => Promise<Reply>,
): Promise<Reply> {
  if (session !== null) return order === undefined ? call(session) : order.run(() => call(session));
  const run = (): Promise<Reply> => sessions.run(call);
  const send = isScanned === true ? () => scans.run(run, sender ?? undefined) : run;
  return turns === null ? send() : turns.run(command, send);
}

/** Runs a command after the other commands of its transaction have ended. */
export const inOrder = <Reply>({ session, order }: Database, run: () => Promise<Reply>): Promise<Reply> =>
  session === null || order === undefined ? run() : order.run(run);

/**
 * Sends a command; `size` is the bounds of the reply of a cursor. It is copied by one `Object.assign`, because a spread before further
 * keys gives each object a hidden class of its own, which is slow to serialize.
 */
function send(database: Database, command: Document, session: ClientSession, size?: Document): Promise<Document> {
  const { db, maxTimeMS, session: transaction, budget, concern } = database;
  if (budget.exceeded !== null) return Promise.reject(budget.exceeded);
  const limited = Object.assign({}, command, size, { maxTimeMS: (command['maxTimeMS'] as unknown) ?? maxTimeMS.read });
  if (concern !== undefined) Object.assign(limited, { readConcern: concern });
  database.reads?.noteCommand(command);
  database.trace?.onCommand?.({ ...limited });
  const sent = withComment(database, limited);
  const run = (): Promise<Document> => db.command(sent, readOptions(session));
  return inReadTime(database, transaction === null ? (limit) => untilAnswered(limit, run) : run);
}

/** Returns the options of a read. The driver leaves documents as bytes, because it would decode them twice if commands are observed. */
const readOptions = (session: ClientSession) => ({ session, enableUtf8Validation: false, fieldsAsRaw: ofCursors });

const ofCursors = { firstBatch: true, nextBatch: true };

/** A cursor of the server. */
interface Cursor {
  readonly collection: string;
  /** The collection; null if the documents are only parts. */
  readonly whole: string | null;
  readonly session: ClientSession;
  /** As in the last reply. */
  id: unknown;
  /** Those of the first reply. */
  readonly documents: readonly Document[];
}

/**
 * Reads all further replies. Throws once the request has read more than may be sent. Outside of a transaction it waits for its
 * turn: only two large reads run at once and finish, whereas many at once would all be kept partly in memory, and all fail when
 * memory runs out. Reads of the service itself do not wait, because they may take long.
 */
async function readOn(cursor: Cursor, database: Database): Promise<readonly Document[]> {
  const { replies, sender, session } = database;
  try {
    charge(database, cursor.whole, cursor.documents);
    const read = (): Promise<readonly Document[]> => readRest(cursor, database);
    return await (session === null && sender !== null ? replies.inTurn(read, sender) : read());
  } catch (error) {
    if (isOpen(cursor.id))
      await database.db
        .command(withComment(database, { killCursors: cursor.collection, cursors: [longOf(cursor.id)] }))
        .catch(() => undefined);
    throw error;
  }
}

const isOpen = (id: unknown): boolean => String(id) !== '0';

/** Returns the id of a cursor as a Long. The driver converts small ones to numbers, which the server does not accept as ids. */
const longOf = (id: unknown): Long => Long.fromString(String(id));

async function readRest(cursor: Cursor, database: Database): Promise<readonly Document[]> {
  const { db, replies } = database;
  const { collection, session, whole } = cursor;
  const read = [cursor.documents];
  while (isOpen(cursor.id)) {
    const batchSize = 2 * replies.batchSize(collection);
    const command = withComment(database, { getMore: longOf(cursor.id), collection, batchSize });
    const reply = (await inReadTime(database, () => db.command(command, readOptions(session)))) as unknown as CursorReply; // the form of every getMore reply
    const { nextBatch = [], id } = reply.cursor;
    cursor.id = id;
    const documents = decode(nextBatch);
    read.push(documents);
    charge(database, whole, documents);
    // Lets other requests proceed before the next reply is read.
    if (database.session === null) await nextTurn();
  }
  return read.flat();
}
