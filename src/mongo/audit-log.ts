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

interface StoredRecord extends AuditRecord {
  readonly _id: ObjectId;
  /** The status of the answer; null while it is not known, and for good where the service died before the change was stored. */
  readonly status: number | null;
}

/** Writes down how a change ended: in the transaction of the change, or outside of any. */
export type FinishRecord = (status: number, database: Database) => Promise<void>;

/** Writes down that a change begins; nothing is changed that is not written down. */
export async function recordChange({ db }: Database, record: AuditRecord): Promise<FinishRecord> {
  const log = db.collection<StoredRecord>('_audit');
  const _id = new ObjectId();
  await translating(() => log.insertOne({ _id, ...record, status: null }));
  return async (status, { session }) => {
    await translating(() => log.updateOne({ _id }, { $set: { status } }, inSession(session)));
  };
}

/** The last changes, the newest first. */
export async function readChanges(database: Database, limit: number): Promise<readonly Record<string, unknown>[]> {
  const rows = await readAll(database, { find: '_audit', sort: { _id: -1 }, limit, batchSize: limit });
  return rows.map(({ _id, ...row }) => ({ id: String(_id), ...row }));
}
