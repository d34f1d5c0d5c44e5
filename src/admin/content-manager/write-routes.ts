import type { EntryKey } from '#content/meet-precondition.js';
import { forbiddenError, notFoundError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import type { ContentType } from '#model/schema/content-type.js';
import { needing, type PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { may } from '../rights/rights.js';
import { createIn, localeOf } from './locales.js';
import { findSingle, keyOf, typeOf } from './read-routes.js';
import { changeEntry, removeEntry, showWrittenEntry } from './write-entry.js';

/** The routes that create, change and delete entries. */
export const writeRoutes = needing(
  'logged in',
  {
    'POST /content-manager/collection-types/:uid': create,
    'PUT /content-manager/collection-types/:uid/:id': change,
    'DELETE /content-manager/collection-types/:uid/:id': remove,
    'PUT /content-manager/single-types/:uid': changeSingle,
    'DELETE /content-manager/single-types/:uid': removeSingle,
  },
  'entries',
);

async function create(call: PanelCall): Promise<Answer> {
  return { body: await createShown(typeOf(call, 'collectionType'), call) };
}

const createShown = async (type: ContentType, call: PanelCall): Promise<object> =>
  showWrittenEntry(type, await createIn(type, call), call);

async function change(call: PanelCall): Promise<Answer> {
  return { body: await changeEntry(keyOf(call), call) };
}

async function remove(call: PanelCall): Promise<Answer> {
  return { body: await removeEntry(keyOf(call), call) };
}

/** Changes the entry of a single type in the locale of the request, or creates it if there is none. */
async function changeSingle(call: PanelCall): Promise<Answer> {
  const type = typeOf(call, 'singleType');
  if (!['create', 'update'].some((action) => may(call.rights, `${explorer}.${action}`, type.uid))) throw forbiddenError();
  const id = await storedSingle(type, call);
  return { body: await (id === null ? createShown(type, call) : changeEntry({ type, id }, call)) };
}

/** Returns the id of the entry of a single type in the locale of the request, whoever may see it; null if there is none. */
async function storedSingle(type: ContentType, call: PanelCall): Promise<number | null> {
  localeOf(type, call);
  return findSingle(type, call, call.content);
}

/** Returns the entry of the single type in the path. Throws a NotFoundError if there is none. */
export async function singleOf(call: PanelCall): Promise<EntryKey> {
  const type = typeOf(call, 'singleType');
  const id = await storedSingle(type, call);
  if (id === null) throw notFoundError();
  return { type, id };
}

async function removeSingle(call: PanelCall): Promise<Answer> {
  const type = typeOf(call, 'singleType');
  if (!may(call.rights, `${explorer}.delete`, type.uid)) throw forbiddenError();
  return { body: await removeEntry(await singleOf(call), call) };
}
