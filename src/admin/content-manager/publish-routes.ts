import { type CodeHooks, type ContentContext, withDatabase, withoutBudget } from '#content/content-context.js';
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
import { findEntry, findPermitted, writeEntry } from './entry-rights.js';
import { hasCodeOfSeveral, writeSeveral } from './write-several.js';
import { type Publication, publicationOf, publish, publishEntry, type State, stateData, stateQuery } from './publish-entry.js';
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

/** Publishes an entry, or makes it a draft again. Returns false if it is so already. Throws the errors of `findEntry` and `publish`. */
async function setState(key: EntryKey, to: State, call: PanelCall): Promise<boolean> {
  return publishEntry(key, to, await findEntry(key, { call, action: 'publish' }, () => stateQuery));
}

const idsBody = object({ ids: array().of(mixed<number | string>().required()).min(1).max(largestPage).required() });

async function idsIn({ request }: PanelCall): Promise<readonly number[]> {
  const { ids } = await checkPanelBody(idsBody, bodyOf(request));
  return [...new Set(ids.map((id) => decodeId(String(id))))];
}

/** Changes the entries of a request in one transaction, and answers how many have changed. Only their number is limited. */
async function inOne(call: PanelCall, change: (ids: readonly number[], call: PanelCall) => Promise<number>): Promise<Answer> {
  const ids = await idsIn(call);
  const count = await inTransaction(call.content.store.database, (database) =>
    change(ids, { ...call, content: withoutBudget(withDatabase(call.content, database)) }),
  );
  return { body: { count } };
}

async function changeAll(to: State, call: PanelCall): Promise<Answer> {
  const type = typeOf(call, 'collectionType');
  checkRight(type, call);
  return inOne(call, async (ids, inside) => {
    const publications = await publicationsOf({ type, ids }, to, inside);
    const open = [...publications.keys()];
    const write = { action: 'updateMany', type, ids: open, data: stateData(to) } as const;
    // as in Strapi v4, an action on several entries does not set `updatedBy`
    const context = { ...contentFor(inside, 'publish', type), author: undefined };
    return writeSeveral(write, context, async ({ ids: left, data, hooks }) => {
      let count = 0;
      for (const id of left) {
        const publication = publications.get(id);
        if (publication !== undefined && (await publish(publication, data, { ...context, hooks }))) count++;
      }
      return count;
    });
  });
}

/** Returns how those entries are published or unpublished that are not so already, by id. Throws the errors of `findEntry`. */
async function publicationsOf(
  { type, ids }: { readonly type: ContentType; readonly ids: readonly number[] },
  to: State,
  call: PanelCall,
): Promise<ReadonlyMap<number, Publication>> {
  const publications = new Map<number, Publication>();
  for (const id of ids) {
    const found = await findEntry({ type, id }, { call, action: 'publish' }, () => stateQuery);
    const publication = await publicationOf({ type, id }, to, found);
    if (publication !== null) publications.set(id, publication);
  }
  return publications;
}

/** Entries that do not exist are left out. */
async function removeAll(call: PanelCall): Promise<Answer> {
  const type = typeOf(call, 'collectionType');
  contentFor(call, 'delete', type);
  return inOne(call, async (all, inside) => {
    const context = contentFor(inside, 'delete', type);
    const ids = hasCodeOfSeveral({ action: 'deleteMany', type }, context) ? await deletable({ type, ids: all }, inside) : all;
    const write = { action: 'deleteMany', type, ids } as const;
    return writeSeveral(write, context, async ({ ids: left, hooks }) => {
      let count = 0;
      for (const id of left) if (await removeOne({ type, id }, { call: inside, hooks })) count++;
      return count;
    });
  });
}

/** Returns whether there was such an entry. */
async function removeOne(
  key: EntryKey,
  { call, hooks }: { readonly call: PanelCall; readonly hooks: CodeHooks | null },
): Promise<boolean> {
  const remove = (context: ContentContext) => removeWith(key, { ...context, hooks });
  return (await writeEntry(key, { call, action: 'delete' }, remove)) !== null;
}

/** Returns the ids of the entries that exist. Throws a ForbiddenError if one of them may not be deleted. */
async function deletable(
  { type, ids }: { readonly type: ContentType; readonly ids: readonly number[] },
  call: PanelCall,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const id of ids) if ((await findPermitted({ type, id }, { call, action: 'delete' })) !== null) found.push(id);
  return found;
}
