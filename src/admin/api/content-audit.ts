import { collections } from '#model/schema/collections.js';
import type { Author, EntryAction, Subscriber } from '#store/changes/entry-events.js';
import type { Database } from '#store/send/database.js';
import { is, type Match } from '#store/form/matches.js';
import { ownRows } from '#store/write/own-rows.js';

/** A write of an entry, without what was written. */
interface AuditedWrite {
  readonly at: Date;
  readonly uid: string;
  readonly id: number;
  readonly action: EntryAction;
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
  subscribesTo: (kind) => kind !== 'any',
  needsBefore: true, // which says whether an update has published the entry
  within: async (event, database) => {
    if (event.kind === 'any') return;
    const { type, id: of, action, by, requestId, agent, at } = event;
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

/** What can be done to an entry. */
export const auditedActions = ['create', 'update', 'draft', 'publish', 'unpublish', 'delete'] as const;

/** Who can write with an id. */
export const authorKinds = ['administrator', 'user', 'token'] as const;

/** Who has written: `code` is code of the project or the service itself. */
export type AuditedAuthor = 'schedule' | 'code' | 'public' | { readonly kind: (typeof authorKinds)[number]; readonly id: number };

/** Which writes are listed. Null does not restrict them. */
interface AuditQuery {
  readonly uid: string | null;
  readonly id: number | null;
  readonly action: (typeof auditedActions)[number] | null;
  readonly by: AuditedAuthor | null;
  readonly from: Date | null;
  readonly to: Date | null;
  readonly start: number;
  readonly limit: number;
}

/** Returns the last writes, the newest first. */
export async function listAudited(database: Database, query: AuditQuery): Promise<readonly AuditedWrite[]> {
  const { id, start, limit } = query;
  const sort = id === null ? ({ at: -1, _id: -1 } as const) : ({ _id: -1 } as const);
  const rows = await writes.find(database, { match: matchOf(query), sort, skip: start, limit });
  return rows.map(({ at, uid, of, action, by, requestId, client }) => ({
    ...{ at, uid, id: of, action, by, requestId },
    ...(client !== undefined && { client }),
  }));
}

function matchOf({ uid, id, action, by, from, to }: AuditQuery): Match {
  const at = { ...(from && is.atLeast(from)), ...(to && is.atMost(to)) };
  return {
    ...(uid !== null && { uid }),
    ...(id !== null && { of: id }),
    ...(action !== null && { action }),
    ...(by !== null && authorMatch(by)),
    ...(Object.keys(at).length > 0 && { at }),
  };
}

function authorMatch(by: AuditedAuthor): Match {
  if (by === 'code') return { by: null };
  if (by === 'public') return { 'by.kind': by };
  return by === 'schedule' ? { by } : { 'by.kind': by.kind, 'by.id': by.id };
}
