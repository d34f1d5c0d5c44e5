import { MongoServerError, type Document } from 'mongodb';
import { unavailableError } from '../errors.js';
import type { Database } from './database.js';
import { isInterrupted, translating } from './driver-errors.js';

/** Stored by a majority, and in the journal, before it is acknowledged. */
const writeConcern = { w: 'majority', j: true };

/**
 * Runs a command that writes one document, and once more where a failover or a broken connection came in between. Its effect is
 * the same when the first attempt was stored after all, so that the driver's own retries, which make the server keep a record of
 * every write (200 us of a client and as much of the server), are not needed. Throws DuplicateKey for a unique index.
 */
export async function runWrite(database: Database, command: Document): Promise<Document> {
  return translating(async () => {
    try {
      return await attempt(database, command);
    } catch (error) {
      if (database.session !== null || !isInterrupted(error)) throw error;
      return attempt(database, command);
    }
  });
}

async function attempt({ db, session, maxTimeMS }: Database, command: Document): Promise<Document> {
  const limited = { ...command, maxTimeMS: maxTimeMS.write };
  const reply = await (session === null
    ? db.command({ ...limited, writeConcern }, { ignoreUndefined: true })
    : db.command(limited, { session, ignoreUndefined: true }));
  const [failure] = (reply['writeErrors'] ?? []) as readonly Document[]; // only inserts report theirs in the reply
  if (failure !== undefined) throw new MongoServerError({ ...failure, message: String(failure['errmsg']) });
  if (reply['writeConcernError'] !== undefined)
    throw unavailableError('The write could not be confirmed, please look before trying again');
  return reply;
}
