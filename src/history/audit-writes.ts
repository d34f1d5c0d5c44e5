import type { Subscriber } from '../mongo/changes/entry-events.js';
import { storeAudited } from '../mongo/stores/content-audit.js';

/** Returns the subscriber that keeps who has changed which entry, for some days. */
export const auditingWrites = (days: number): Subscriber => ({
  hears: (kind) => kind !== 'any',
  within: async (event, database) => {
    if (event.kind === 'any') return;
    const { type, id, kind: action, caller: by, requestId, at } = event;
    await storeAudited(database, { at, uid: type.uid, id, action, by, requestId }, days);
  },
});
