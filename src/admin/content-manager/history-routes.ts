import type { EntryKey } from '#content/meet-precondition.js';
import { historyOption } from '#api/history/history-option.js';
import { optionOf } from '#model/schema/model-option.js';
import { notFoundError } from '#base/errors.js';
import { idOf } from '#http/route-request.js';
import type { Answer } from '#http/route.js';
import { decodeId } from '#base/values.js';
import { findVersion, listVersions, shownVersion } from '#api/history/version-store.js';
import { needing, type PanelCall } from '../panel-route.js';
import { callOnEntry, findEntry } from './entry-rights.js';
import { typeOf } from './read-routes.js';
import { permittedValues } from './show-entry.js';

/** The routes by which whoever may read an entry in the panel reads its versions, each with the fields that the rights allow. */
export const historyRoutes = needing('logged in', {
  'GET /content-manager/collection-types/:uid/:id/history': list,
  'GET /content-manager/collection-types/:uid/:id/history/:version': read,
});

async function list(call: PanelCall): Promise<Answer> {
  const { type, id } = await readableKey(call);
  return { body: { results: await listVersions(call.content.store.database, { uid: type.uid, id }) } };
}

async function read(call: PanelCall): Promise<Answer> {
  const { type, id } = await readableKey(call);
  const { store } = call.content;
  const found = await findVersion(store.database, { uid: type.uid, id }, decodeId(call.request.params['version'] ?? '') || 0);
  if (found === null) throw notFoundError();
  const { entry, ...version } = shownVersion(found);
  const own = await callOnEntry({ type, id }, { call, action: 'read' });
  return { body: { ...version, entry: permittedValues(entry, type, own) } };
}

/** Returns the entry in the path. Throws a NotFoundError if its type keeps no versions, and unless the caller may read it. */
async function readableKey(call: PanelCall): Promise<EntryKey> {
  const [type, id] = [typeOf(call), idOf(call)];
  if (optionOf(type, historyOption) === null) throw notFoundError(`${type.uid} has no option history`);
  await findEntry({ type, id }, { call, action: 'read' });
  return { type, id };
}
