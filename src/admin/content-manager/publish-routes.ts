import { withDatabase, withoutBudget } from '#content/content-context.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { applicationError, forbiddenError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf } from '#http/route-request.js';
import { inTransaction } from '#store/send/transaction.js';
import type { ContentType } from '#model/schema/content-type.js';
import { decodeId } from '#base/values.js';
import { array, checkPanelBody, mixed, object } from '../check-body.js';
import { largestPage } from '../panel-query.js';
import { needing, type PanelCall } from '../panel-route.js';
import { contentFor } from '../rights/content-access.js';
import { findEntry, writeEntry } from './entry-rights.js';
import { publishEntry, type State, stateQuery } from './publish-entry.js';
import { keyOf, typeOf } from './read-routes.js';
import { removeWith, showWrittenEntry } from './write-entry.js';
import { singleOf } from './write-routes.js';

/** The routes that publish and unpublish entries, and those that change several at once. */
export const publishRoutes = needing(
  'logged in',
  {
    'POST /content-manager/collection-types/:uid/:id/actions/publish': (call) => change(keyOf(call), 'published', call),
    'POST /content-manager/collection-types/:uid/:id/actions/unpublish': (call) => change(keyOf(call), 'draft', call),
    'POST /content-manager/single-types/:uid/actions/publish': (call) => changeSingle('published', call),
    'POST /content-manager/single-types/:uid/actions/unpublish': (call) => changeSingle('draft', call),
    'POST /content-manager/collection-types/:uid/actions/bulkPublish': (call) => changeAll('published', call),
    'POST /content-manager/collection-types/:uid/actions/bulkUnpublish': (call) => changeAll('draft', call),
    'POST /content-manager/collection-types/:uid/actions/bulkDelete': removeAll,
  },
  'entries',
);

/** Throws a ForbiddenError if the type has no drafts, or the administrator may publish none of its entries. */
function checkRight(type: ContentType, call: PanelCall): void {
  if (!type.draftAndPublish) throw forbiddenError();
  contentFor(call, 'publish', type);
}

async function change(key: EntryKey, to: State, call: PanelCall): Promise<Answer> {
  checkRight(key.type, call);
  if (!(await setState(key, to, call))) throw applicationError(`already.${to}`);
  return { body: await showWrittenEntry(key.type, key.id, call) };
}

async function changeSingle(to: State, call: PanelCall): Promise<Answer> {
  checkRight(typeOf(call, 'singleType'), call);
  return change(await singleOf(call), to, call);
}

/**
 * Publishes an entry, or makes it a draft again. Returns false if it is so already. As in Strapi v4, an action on several entries does
 * not set `updatedBy`. Throws the errors of `findEntry` and of `publishFound`.
 */
async function setState({ type, id }: EntryKey, to: State, call: PanelCall, isOne = true): Promise<boolean> {
  const { entry, context } = await findEntry({ type, id }, { call, action: 'publish' }, () => stateQuery);
  return publishEntry({ type, id }, to, { entry, context: isOne ? context : { ...context, author: undefined } });
}

const idsBody = object({ ids: array().of(mixed<number | string>().required()).min(1).max(largestPage).required() });

async function idsIn({ request }: PanelCall): Promise<readonly number[]> {
  const { ids } = await checkPanelBody(idsBody, bodyOf(request));
  return [...new Set(ids.map((id) => decodeId(String(id))))];
}

/** Changes the entries of a request in one transaction, and answers how many have changed. Only their number is limited. */
async function inOne(call: PanelCall, changes: (id: number, call: PanelCall) => Promise<boolean>): Promise<Answer> {
  const ids = await idsIn(call);
  const count = await inTransaction(call.content.store.database, async (database) => {
    const inside = { ...call, content: withoutBudget(withDatabase(call.content, database)) };
    let changed = 0;
    for (const id of ids) if (await changes(id, inside)) changed++;
    return changed;
  });
  return { body: { count } };
}

async function changeAll(to: State, call: PanelCall): Promise<Answer> {
  const type = typeOf(call, 'collectionType');
  checkRight(type, call);
  return inOne(call, (id, inside) => setState({ type, id }, to, inside, false));
}

/** Entries that do not exist are left out. */
async function removeAll(call: PanelCall): Promise<Answer> {
  const type = typeOf(call, 'collectionType');
  contentFor(call, 'delete', type);
  return inOne(call, async (id, inside) => {
    const key = { type, id };
    return (await writeEntry(key, { call: inside, action: 'delete' }, (context) => removeWith(key, context))) !== null;
  });
}
