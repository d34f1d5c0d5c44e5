import { BSON, type ClientSession, type Db, type Document, Long, type MongoClient } from 'mongodb';
import { isDeepStrictEqual } from 'node:util';
import type { Budget } from '../query/budget.js';
import { Queue, type Asker } from '../queue.js';
import { unavailableError } from '../errors.js';
import { isInterrupted, markTransient, translateDriverError } from './driver-errors.js';
import type { SearchIndexes } from './search-indexes.js';
import type { UniqueBuilds } from './unique-builds.js';

/** A stored document, for readers outside of this folder. */
export type { Document } from 'mongodb';

/** A connected database and the time limits of its commands. */
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
  /** The work of a transaction that waits for its commit. */
  readonly later?: (() => Promise<void>)[];
  /** The work of a transaction that is undone if it is not committed. */
  readonly undo?: (() => void)[];
  /** The budget of the request that commands belong to. */
  readonly budget: Budget;
  /** The read commands of that request; null if they belong to none. */
  readonly turns: CommandTurns | null;
  /** Who sent that request; null if commands belong to none. */
  readonly asker: Asker | null;
  /** The queue of commands of all requests that may scan whole collections. It leaves connections to the others. */
  readonly scans: Queue;
  /** The parts of the content that are indexed for searches. */
  readonly searches: SearchIndexes;
  /** The index builds that writes wait for. */
  readonly uniques: UniqueBuilds;
  /** Whether commands go through that queue. */
  readonly isScanned?: true;
}

/** The database as one request sees it. */
export const forRequest = (database: Database, budget: Budget, asker: Asker): Database => ({
  ...database,
  budget,
  asker,
  turns: new CommandTurns(),
});

/** The same database for commands that may look through whole collections. */
export const asScanned = (database: Database): Database => ({ isScanned: true, ...database });

/** The option by which a call of the driver belongs to the transaction, if there is one. */
export const inSession = (session: ClientSession | null): { readonly session?: ClientSession } =>
  session === null ? {} : { session };

interface CursorReply {
  readonly cursor: { readonly firstBatch: readonly Document[]; readonly id: unknown; readonly ns: string };
}

/**
 * Runs a find or aggregate command and returns all its documents. One reply carries them unless they exceed its 16 MB:
 * reading `firstBatch` costs a third of what a driver cursor does (280 against 800 us for 25 documents).
 */
export const readAll = (database: Database, command: Document): Promise<readonly Document[]> =>
  inTurn(database, command, () => readReplies(database, command));

async function readReplies(database: Database, command: Document): Promise<readonly Document[]> {
  const reply = (await send(database, command)) as unknown as CursorReply; // the form of every cursor command's reply
  const { firstBatch, id, ns } = reply.cursor;
  return String(id) === '0' ? firstBatch : readOn(database, { id, ns, firstBatch });
}

/** Returns how many documents a collection holds, as its metadata say: a look-up, however many there are. */
export const countStored = async (collection: string, database: Database): Promise<number> =>
  Number((await runRead(database, { count: collection }))['n']);

/** Runs a read command within its time limit and, if there is one, the transaction. */
export const runRead = (database: Database, command: Document): Promise<Document> =>
  inTurn(database, command, () => send(database, command));

/** Commands of a transaction come one after the other, and the same one may find something else. */
function inTurn<Reply>(
  { session, order, turns, scans, asker, isScanned }: Database,
  command: Document,
  run: () => Promise<Reply>,
): Promise<Reply> {
  if (session !== null) return order === undefined ? run() : order.run(run);
  const send = isScanned === true ? () => scans.run(run, asker ?? undefined) : run;
  return turns === null ? send() : turns.run(command, send);
}

/** Runs a command when the transaction that it belongs to has no other one under way. */
export const inOrder = <Reply>({ session, order }: Database, run: () => Promise<Reply>): Promise<Reply> =>
  session === null || order === undefined ? run() : order.run(run);

/** Runs a call of the driver and translates its errors. `session`: of the transaction that it belongs to. */
export async function translating<Result>(call: () => Promise<Result>, session: ClientSession | null = null): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw translateDriverError(session === null ? error : markTransient(error));
  }
}

function send({ db, maxTimeMS, session, budget }: Database, command: Document): Promise<Document> {
  if (budget.exceeded !== null) return Promise.reject(budget.exceeded);
  const limited = Object.assign({}, command, { maxTimeMS: maxTimeMS.read });
  const run = (): Promise<Document> => db.command(limited, session === null ? undefined : { session });
  return translating(() => withinTime(maxTimeMS.read, session === null ? () => twice(run) : run), session);
}

/** Runs a command, and once more where a failover or a broken connection came in between. */
export const twice = <Reply>(run: () => Promise<Reply>): Promise<Reply> =>
  run().catch((error: unknown) => {
    if (!isInterrupted(error)) throw error;
    return run();
  });

/**
 * Resolves as the work does. Rejects with 503 if it takes more milliseconds than the limit: a server that hangs does not keep to the time
 * limits that it is given.
 */
export const withinTime = <Reply>(limit: number, work: () => Promise<Reply>): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(unavailableError('The database took too long to answer, please try again or ask for less'));
    }, limit + grace);
    work()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
      });
  });

/** Milliseconds in which the server may say itself that it took too long. */
const grace = 250;

/**
 * Reads all further replies, and spends their bytes from the budget, so that a request stops once it has read more than may be
 * sent.
 */
async function readOn(
  { db, session, budget, maxTimeMS }: Database,
  { id, ns, firstBatch }: CursorReply['cursor'],
): Promise<readonly Document[]> {
  const batches = [firstBatch];
  const collection = ns.slice(ns.indexOf('.') + 1);
  for (let cursor = id; String(cursor) !== '0';) {
    // The driver makes numbers of longs that are small enough, which the server does not take for an id.
    const getMore = Long.fromString(String(cursor));
    try {
      if (budget.left('bytesRead') < Infinity) budget.spend('bytesRead', sizeOf(batches.at(-1) ?? []));
    } catch (error) {
      await db.command({ killCursors: collection, cursors: [getMore] }).catch(() => undefined);
      throw error;
    }
    const reply = await translating(() =>
      withinTime(maxTimeMS.read, () => db.command({ getMore, collection }, inSession(session))),
    );
    const next = reply['cursor'] as { readonly id: unknown; readonly nextBatch: readonly Document[] }; // the form of every getMore reply
    batches.push(next.nextBatch);
    cursor = next.id;
  }
  return batches.flat();
}

/** Returns the stored size of documents in bytes, estimated from 200 of them: measuring all would take as long as decoding. */
function sizeOf(documents: readonly Document[]): number {
  const stride = Math.ceil(documents.length / 200);
  const sample = documents.filter((_, index) => index % stride === 0);
  const bytes = sample.reduce((sum, document) => sum + BSON.calculateObjectSize(document), 0);
  return sample.length === 0 ? 0 : (bytes / sample.length) * documents.length;
}

/** Commands of one request that may run at once. The connection pool is there for all requests. */
const atOnce = 4;

interface Running {
  readonly command: Document;
  readonly reply: Promise<unknown>;
}

/** Takes the read commands of one request in turn, and runs those that are the same at the same time once. */
class CommandTurns {
  readonly #running = new Set<Running>();
  readonly #turns = new Queue(turnBounds);

  /** `run` sends the command. Another one that is the same and has not been answered yet shares the reply. */
  run<Reply>(command: Document, run: () => Promise<Reply>): Promise<Reply> {
    for (const { command: other, reply } of this.#running) if (isSame(command, other)) return reply as Promise<Reply>; // of the same command
    const reply = this.#turns.run(run);
    const running = { command, reply };
    this.#running.add(running);
    const forget = (): void => {
      this.#running.delete(running);
    };
    reply.then(forget, forget);
    return reply;
  }
}

const turnBounds = { atOnce };

/** The first key of a command is its name, and the value the collection; most commands differ there. */
function isSame(one: Document, other: Document): boolean {
  const [name = ''] = Object.keys(one);
  return one[name] === other[name] && isDeepStrictEqual(one, other);
}

/** The part of a logger that the back end writes to; pino's fits. */
export interface Logger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}
