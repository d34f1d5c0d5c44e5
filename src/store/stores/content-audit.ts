import { collections } from '#model/schema/collections.js';
import type { Author, EntryWritten, Subscriber } from '../changes/entry-events.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
import type { OwnCollection } from '../send/ensure-collections.js';
import { findStored } from '../stored.js';

/** A write of an entry, without what was written. */
interface AuditedWrite {
  readonly at: Date;
  readonly uid: string;
  readonly id: number;
  readonly action: EntryWritten['kind'];
  /** Null if code of the project or the service itself has written. */
  readonly by: Author;
  readonly requestId: string | null;
}

export const contentAudit: OwnCollection = {
  name: collections.contentAudit,
  indexes: [
    { key: { uid: 1, of: 1, _id: -1 }, name: 'entry' },
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
  ],
};

/** Returns the subscriber that keeps who has changed which entry, for some days. */
export const auditingWrites = (days: number): Subscriber => ({
  hears: (kind) => kind !== 'any',
  within: async (event, database) => {
    if (event.kind === 'any') return;
    const { type, id: of, kind: action, by, requestId, at } = event;
    const expiresAt = new Date(at.getTime() + days * 86_400_000);
    const writes = database.db.collection(collections.contentAudit);
    const write = { at, uid: type.uid, action, by, requestId, of, expiresAt };
    await inWriteTime(database, () => writes.insertOne(write, inScope(database)));
  },
});

/** The writes that are asked for: of all types, of one, or of one entry. */
interface Asked {
  readonly uid: string | null;
  readonly id: number | null;
  readonly limit: number;
}

/** Returns the last writes, the newest first. */
export async function listAudited(database: Database, { uid, id, limit }: Asked): Promise<readonly AuditedWrite[]> {
  const match = { ...(uid !== null && { uid }), ...(id !== null && { of: id }) };
  const rows = await findStored(database, collections.contentAudit, { match, sort: { _id: -1 }, limit });
  return rows.map(({ at, uid, of, action, by, requestId }) => ({ at, uid, id: of, action, by, requestId }) as AuditedWrite); // stored in this form
}
