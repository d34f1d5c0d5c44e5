import { collections } from '#model/schema/collections.js';
import type { Author, EntryWritten, Subscriber } from '#store/changes/entry-events.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';

/** A write of an entry, without what was written. */
interface AuditedWrite {
  readonly at: Date;
  readonly uid: string;
  readonly id: number;
  readonly action: EntryWritten['kind'];
  /** Null if code of the project or the service itself has written. */
  readonly by: Author;
  readonly requestId: string | null;
  /** The name of the agent that wrote for the author; absent if there was none. */
  readonly client?: string;
}

interface StoredWrite extends Omit<AuditedWrite, 'id'> {
  readonly of: number;
  readonly expiresAt: Date;
}

const writes = ownRows<StoredWrite>(collections.contentAudit);

/** Returns the subscriber that keeps who has changed which entry, for some days. */
export const auditingWrites = (days: number): Subscriber => ({
  hears: (kind) => kind !== 'any',
  within: async (event, database) => {
    if (event.kind === 'any') return;
    const { type, id: of, kind: action, by, requestId, agent, at } = event;
    const expiresAt = new Date(at.getTime() + days * 86_400_000);
    await writes.put(database, {
      at,
      uid: type.uid,
      action,
      by,
      requestId,
      ...(agent !== null && { client: agent }),
      of,
      expiresAt,
    });
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
  const rows = await writes.find(database, { match, sort: { _id: -1 }, limit });
  return rows.map(({ at, uid, of, action, by, requestId, client }) => ({
    ...{ at, uid, id: of, action, by, requestId },
    ...(client !== undefined && { client }),
  }));
}
