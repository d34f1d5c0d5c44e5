import { ObjectId } from 'mongodb';
import { collections } from '#model/schema/collections.js';
import { inWriteTime } from '../send/calls.js';
import { commentIn, type Database, inScope } from '../send/database.js';
import { findStored } from '../stored.js';

/** The author of a change. */
export interface Actor {
  /**
   * `configuration`: the token of the configuration. `token`: an API token for the admin API. `command`: a command of this
   * package. `administrator`: somebody in the admin panel.
   */
  readonly kind: 'configuration' | 'token' | 'command' | 'administrator';
  /** The id of the API token; null if there is none. Names of deleted tokens can be reused, ids cannot. */
  readonly tokenId: number | null;
  /** The id of the administrator; absent for others, and for a request without a log-in whose answer shows nobody. */
  readonly administratorId?: number;
  /** Name of the token, `user@host`, or the e-mail address of the administrator. */
  readonly who: string;
}

/** A change that an administrator has made, or tried to. */
export interface AuditRecord extends Actor {
  readonly at: Date;
  /** Null for a command. */
  readonly ip: string | null;
  /**
   * Method and path, `PUT /models/api::article.article` of the admin API or `POST /admin/api-tokens` of the panel, or a command,
   * `permissions grant`.
   */
  readonly what: string;
  /** The body, without secrets; the arguments of a command. */
  readonly body: unknown;
}

/** The outcome of a change. */
interface Outcome {
  /** The status of the answer; null until it is known. It stays null if the service died before the change was stored. */
  readonly status: number | null;
  /** Whether anything was changed; null as long as the status is null, and after an error of the service in the panel. */
  readonly changed: boolean | null;
}

interface StoredRecord extends AuditRecord, Outcome {
  readonly _id: ObjectId;
}

/** Logs the outcome of a change, inside its transaction or without one. */
export type FinishRecord = (outcome: Outcome, database: Database) => Promise<void>;

/** Logs the beginning of a change. Throws if it cannot be logged, so that the change is not made. */
export async function recordChange(database: Database, record: AuditRecord): Promise<FinishRecord> {
  const log = database.db.collection<StoredRecord>(collections.audit);
  const _id = new ObjectId();
  await inWriteTime(database, () => log.insertOne({ _id, ...record, status: null, changed: null }, commentIn(database)));
  return async (outcome, inner) => {
    await inWriteTime(inner, () => log.updateOne({ _id }, { $set: { ...outcome } }, inScope(inner)));
  };
}

/** Returns the last changes, the newest first. */
export async function readChanges(database: Database, limit: number): Promise<readonly Record<string, unknown>[]> {
  const rows = await findStored(database, collections.audit, { sort: { _id: -1 }, limit });
  return rows.map(({ _id, ...row }) => ({ id: String(_id), ...row }));
}
