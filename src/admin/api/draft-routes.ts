import { invalidParameter, notFoundError } from '#base/errors.js';
import { withDatabase } from '#content/content-context.js';
import { draftBeside } from '#content/draft-beside.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { orNull, record, text, integer } from '#http/json-schema.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { describe, row, schemas } from './admin-row.js';

/** What only requests of administrators need. */
const loadRights = () => import('../content-manager/entry-rights.js');

const beside = orNull(record({ savedAt: text, entry: schemas.open, draft: schemas.open }));

/** The routes of the draft beside a published entry, for types with `options.drafts`. */
export const draftRoutes: readonly AdminRoute[] = [
  {
    ...row(
      'GET /drafts/:uid/:id',
      describe('adminFindDraft', 'Read a published entry and the draft beside it; null if there is none', beside),
      async (call) => (await import('./show-draft.js')).showDraft(keyOf(call), call),
    ),
    right: 'logged in',
  },
  {
    ...row(
      'POST /drafts/:uid/:id/discard',
      describe('adminDiscardDraft', 'Drop the draft beside a published entry, which stays as it is', record({ id: integer })),
      discard,
    ),
    right: 'logged in',
  },
];

async function discard(call: AdminCall): Promise<{ readonly id: number }> {
  const key = keyOf(call);
  const { administrator } = call;
  const rights = administrator === null ? null : await loadRights();
  const dropped = await call.commit((content) => {
    if (rights === null || administrator === null) return draftBeside.discard(key, content);
    const { database } = content.store;
    return rights.writeEntry(key, { call: administrator, action: 'update' }, (own) =>
      draftBeside.discard(key, withDatabase(own, database)),
    );
  });
  if (dropped === null) throw notFoundError();
  return { id: key.id };
}

function keyOf({ request, content }: AdminCall): EntryKey {
  const { uid = '', id = '' } = request.params;
  const type = content.bind.registry.types.get(uid);
  if (type === undefined || !keepsDrafts(type)) throw notFoundError(`${uid} has no option drafts`);
  if (!/^[1-9]\d{0,14}$/.test(id)) throw invalidParameter('id');
  return { type, id: Number(id) };
}
