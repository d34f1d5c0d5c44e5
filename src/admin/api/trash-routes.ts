import { contextOfCode } from '#api/code/content-of-code.js';
import { readValues } from '#api/history/whole-entry.js';
import { restoreDeletedEntry } from '#api/trash/restore-deleted.js';
import { trashOption } from '#api/trash/trash-option.js';
import { type DeletedEntry, findDeletedEntry, listDeletedEntries, removeDeletedEntry } from '#api/trash/trash-store.js';
import { forbiddenError, invalidParameter, notFoundError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import { listOf, record, text, integer } from '#http/json-schema.js';
import type { ContentType } from '#model/schema/content-type.js';
import { optionOf } from '#model/schema/model-option.js';
import type { Match } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { fitDocument } from '#store/write/fit-document.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { describe, pageIn, pageParameters, row, schemas } from './admin-row.js';
import { author } from './history-routes.js';
import { nameAuthors } from './name-authors.js';

const deleted = record({ id: integer, deletedAt: text, deletedBy: author, entry: schemas.open });
const restored = record({ id: integer, leftOut: listOf(text) });
const removed = record({ id: integer });

/** What only requests of administrators need. */
const loadRights = () => import('./administrator-trash.js');

const rows: readonly AdminRoute[] = [
  row(
    'GET /trash/:uid',
    describe('adminFindDeleted', 'List the deleted entries of a type, the newest first', listOf(deleted), pageParameters),
    list,
  ),
  row(
    'POST /trash/:uid/:id/restore',
    describe('adminRestoreDeleted', 'Store a deleted entry again, with its id and its links', restored),
    restore,
  ),
  row('DELETE /trash/:uid/:id', describe('adminRemoveDeleted', 'Delete a deleted entry for ever', removed), remove),
];

/** The routes of the deleted entries of types with `options.trash`. */
export const trashRoutes = rows.map((one): AdminRoute => ({ ...one, right: 'logged in' }));

/** Throws a NotFoundError for a type without trash. */
function typeOf({ request, content }: AdminCall): ContentType {
  const uid = request.params['uid'] ?? '';
  const type = content.bind.registry.types.get(uid);
  if (type === undefined || optionOf(type, trashOption) === null) throw notFoundError(`${uid} has no option trash`);
  return type;
}

function keyOf(call: AdminCall): { readonly type: ContentType; readonly id: number } {
  const type = typeOf(call);
  const id = call.request.params['id'] ?? '';
  if (!/^[1-9]\d{0,14}$/.test(id)) throw invalidParameter('id');
  return { type, id: Number(id) };
}

/** Returns the match of the documents of the entries that the caller may see and delete. Throws a ForbiddenError if there are none. */
async function deletable(call: AdminCall, type: ContentType): Promise<Match> {
  return call.administrator === null ? {} : (await loadRights()).matchDeletable(type, call.administrator);
}

async function list(call: AdminCall): Promise<unknown> {
  const type = typeOf(call);
  const part = await deletable(call, type);
  const { database } = call.content.store;
  const rows = await listDeletedEntries(database, type.uid, { part, ...pageIn(call.request) });
  const named = await nameAuthors(rows, call.running);
  return Promise.all(
    named.map(async ({ of: id, at, by, ...rest }) => ({
      ...{ id, deletedAt: at, deletedBy: by },
      entry: await valuesOf(rest, type, call),
    })),
  );
}

/** Returns the values of an entry that the caller may see: those of the model in force. */
async function valuesOf(
  { document, targets }: Pick<DeletedEntry, 'document' | 'targets'>,
  type: ContentType,
  { content, running, administrator }: AdminCall,
): Promise<Values> {
  const { document: fitted } = fitDocument(type, document, { registry: content.bind.registry, targets });
  const values = await readValues(type, fitted, contextOfCode(running));
  return administrator === null ? values : (await loadRights()).visibleOfDeleted(values, type, administrator);
}

async function restore(call: AdminCall): Promise<unknown> {
  const { type, id } = keyOf(call);
  const { administrator } = call;
  const rights = administrator === null ? null : await (await loadRights()).restoreRights(type, administrator);
  const leftOut = await call.commit(async (inside) => {
    const { database } = inside.store;
    await findPermitted(database, { type, id }, rights?.match ?? {});
    const mayPublish =
      rights === null || (rights.publish !== null && (await findDeletedEntry(database, type.uid, id, rights.publish)) !== null);
    return restoreDeletedEntry({ type, id }, { asDraft: !mayPublish }, rights === null ? inside : rights.contextIn(inside));
  });
  return { id, leftOut };
}

async function remove(call: AdminCall): Promise<unknown> {
  const { type, id } = keyOf(call);
  const part = await deletable(call, type);
  await call.commit(async ({ store: { database } }) => {
    const row = await findPermitted(database, { type, id }, part);
    if (!(await removeDeletedEntry(database, row))) throw notFoundError();
  });
  return { id };
}

/** Returns a deleted entry. Throws a NotFoundError if there is none, and a ForbiddenError if its document does not meet a match. */
async function findPermitted(database: Database, { type, id }: ReturnType<typeof keyOf>, part: Match) {
  const row = await findDeletedEntry(database, type.uid, id, part);
  if (row !== null) return row;
  throw (await findDeletedEntry(database, type.uid, id)) === null ? notFoundError() : forbiddenError();
}
