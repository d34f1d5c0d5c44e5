import { type Document, MongoServerError } from 'mongodb';
import { ApiError, unconfirmedError } from '#base/errors.js';
import { grace, observed } from '#base/limits/clock.js';
import { inWriteTime, notePosition, untilAnswered } from '../send/calls.js';
import { type Database, withComment } from '../send/database.js';
import { DuplicateKey, isMove, mayHaveRun, translateDriverError } from '../send/driver-errors.js';
import { inOrder, withSession } from '../send/read-commands.js';
import { inTransaction } from '../send/transaction.js';

/**
 * Runs a command that writes one document, and repeats it after a failover or a broken connection, until the time is over. The
 * command is idempotent, so the driver's own retries are not needed. For these the server keeps a record of every write, which
 * takes 200 µs in the client and as much in the server. Throws DuplicateKey if a unique index refuses the write, and a 503 if it
 * is unknown whether the write is stored.
 */
export async function runWrite(database: Database, command: Document): Promise<Document> {
  const { session, maxTimeMS, abandoned, time } = database;
  if (session !== null) return inWriteTime(database, () => inOrder(database, () => attempt(database, command)));
  try {
    const lateness = { late: unconfirmedError, slow: abandoned.end };
    return await time.run(maxTimeMS.write, (limit) =>
      observed(limit + grace, lateness, (signal) => writeAgain(limit, () => attempt(database, command, signal))),
    );
  } catch (error) {
    if (isMove(error)) return inTransaction(database, (inner) => attempt(inner, command));
    throw translateDriverError(error);
  }
}

/**
 * Repeats a write until it is answered. If an attempt may have been carried out without a reply, and the last one finds nothing to
 * write to, throws a 503: it may have met the writes of the other.
 */
async function writeAgain(limit: number, write: () => Promise<Document>): Promise<Document> {
  let isOpen = false;
  const attempted = (): Promise<Document> =>
    write().catch((error: unknown) => {
      isOpen ||= mayHaveRun(error);
      throw error;
    });
  const reply = await untilAnswered(limit, attempted).catch((error: unknown) => {
    throw isOpen ? afterLost(translateDriverError(error)) : error;
  });
  if (isOpen && reply['value'] === null) throw unconfirmedError();
  return reply;
}

/** Returns the error of a write of which an earlier attempt may have been carried out. */
function afterLost(error: unknown): unknown {
  if (error instanceof DuplicateKey) return new DuplicateKey(error.fields, error.value, true);
  return error instanceof ApiError && error.status === 503 ? unconfirmedError() : error;
}

async function attempt(database: Database, command: Document, signal?: AbortSignal): Promise<Document> {
  const { db, session, written } = database;
  const { write } = database.maxTimeMS;
  const match = (command['query'] ?? {}) as Document; // an insert has none
  if (session !== null) written?.note(String(command['insert'] ?? command['findAndModify']), [match]);
  // stored by a majority, and in the journal, before it is acknowledged
  const settings =
    session === null ? { maxTimeMS: write, writeConcern: { w: 'majority', j: true, wtimeout: write } } : { maxTimeMS: write };
  const limited = withComment(database, Object.assign({}, command, settings));
  const options = { ignoreUndefined: true, enableUtf8Validation: false, signal };
  const reply = await withSession(database, (own) => db.command(limited, { session: own, ...options }));
  const [failure] = (reply['writeErrors'] ?? []) as readonly Document[]; // only inserts report theirs in the reply
  if (failure !== undefined) throw new MongoServerError({ ...failure, message: String(failure['errmsg']) });
  if (session === null) notePosition(database, reply['operationTime']);
  return reply;
}
