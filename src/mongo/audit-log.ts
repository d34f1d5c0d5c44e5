import { ObjectId } from 'mongodb';
import type { Database } from './database.js';
import { inSession, readAll } from './database.js';
import { translating } from './driver-errors.js';

/** A change that an administrator has made, or tried to. */
export interface AuditRecord {
  readonly at: Date;
  /** The name of the token. */
  readonly who: string;
  readonly ip: string;
  /** Method and path: `PUT /models/api::article.article`. */
  readonly what: string;
  /** The body, without secrets. */
  readonly body: unknown;
}

/** How a change ended. */
export interface Outcome {
  /** The status of the answer; null while it is not known, and for good where the service died before the change was stored. */
  readonly status: number | null;
  /** Whether anything was changed; null as long as the status. */
  readonly changed: boolean | null;
}

interface StoredRecord extends AuditRecord, Outcome {
  readonly _id: ObjectId;
}

/** Writes down how a change ended: in the transaction of the change, or outside of any. */
export type FinishRecord = (outcome: Outcome, database: Database) => Promise<void>;

/** Writes down that a change begins; nothing is changed that is not written down. */
export async function recordChange({ db }: Database, record: AuditRecord): Promise<FinishRecord> {
  const log = db.collection<StoredRecord>('_audit');
  const _id = new ObjectId();
  await translating(() => log.insertOne({ _id, ...record, status: null, changed: null }));
  return async (outcome, { session }) => {
    await translating(() => log.updateOne({ _id }, { $set: { ...outcome } }, inSession(session)));
  };
}

/** The last changes, the newest first. */
export async function readChanges(database: Database, limit: number): Promise<readonly Record<string, unknown>[]> {
  const rows = await readAll(database, { find: '_audit', sort: { _id: -1 }, limit, batchSize: limit });
  return rows.map(({ _id, ...row }) => ({ id: String(_id), ...row }));
}
