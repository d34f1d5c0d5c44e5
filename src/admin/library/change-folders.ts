import { type ContentContext, ownType, withDatabase } from '#content/content-context.js';
import { findMany } from '#content/find-many.js';
import { remove } from '#content/remove.js';
import { update } from '#content/update.js';
import { fieldErrors, notFoundError, unavailableError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf, idOf } from '#http/route-request.js';
import { fileType } from '#media/decide-type.js';
import { followFolders } from '#media/place-file.js';
import { insertFolder } from '#media/upload-files.js';
import { is } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import { claim } from '#store/stores/claim.js';
import { inTransaction } from '#store/send/transaction.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { changeMany, changeOne } from '#store/write/compile-change.js';
import { comparing, emptyQuery } from '#model/query/ast.js';
import { collections } from '#model/schema/collections.js';
import { uploadFolderType } from '#model/schema/content-type.js';
import { decodeId } from '#base/values.js';
import { checkPanelBody, idsIn } from '../check-body.js';
import { answerData, type PanelCall } from '../panel-route.js';
import { filesFor } from '../rights/content-access.js';
import { checkFiles } from './check-file.js';
import { changedFolder, deletion, moving, newFolder } from './folder-bodies.js';
import {
  type Folder,
  findFolder,
  findFolders,
  foldersWithin,
  idsUpFrom,
  isNameTaken,
  pathsByParents,
  shownFolder,
} from './folders.js';
import { showAll } from '../show-entries.js';

const problem = (name: string, message: string) => fieldErrors([{ path: [name], message }]);
const busy = () => unavailableError('Folders are being changed, please try again');
const nameTaken = () => problem('name', 'A folder with this name already exists');

/** Runs a change of folders, one at a time, so that two moves at once cannot make a circle. */
const changing = <Result>(content: ContentContext, work: (inside: ContentContext) => Promise<Result>): Promise<Result> =>
  inTransaction(content.store.database, (database) =>
    claim(database, 'folders', { busy, work: () => work(withDatabase(content, database)) }),
  );

/** Returns the folder above; null for the top. Throws a ValidationError with the message if there is none of the id. */
export async function folderAt(
  id: unknown,
  [name, message]: readonly [string, string],
  content: ContentContext,
): Promise<Folder | null> {
  if (id === undefined || id === null) return null;
  const folder = await findFolder(decodeId(id), content);
  if (folder === null) throw problem(name, message);
  return folder;
}

export const missingParent = ['parent', 'parent folder does not exist'] as const;

export const createFolder = async (call: PanelCall): Promise<Answer> =>
  answerData(await addFolder(bodyOf(call.request), filesFor(call, 'plugin::upload.assets.create')));

/** Creates a folder: `{ name, parent }`. Throws a ValidationError for a taken name, and a missing parent. */
export async function addFolder(body: unknown, content: ContentContext): Promise<ReturnType<typeof shownFolder>> {
  const { name, parent } = await checkPanelBody(newFolder, body);
  const created = await changing(content, async (inside) => {
    const above = await folderAt(parent, missingParent, inside);
    if (await isNameTaken({ name, parent: above?.id ?? null }, inside)) throw nameTaken();
    const { document } = await insertFolder({ name, parent: above }, inside);
    return findFolder(Number(document['_id']), inside);
  });
  return shownFolder(created ?? missing());
}

function missing(): never {
  throw notFoundError('folder not found');
}

export async function changeFolder(call: PanelCall): Promise<Answer> {
  const content = filesFor(call, 'plugin::upload.assets.update');
  const body = await checkPanelBody(changedFolder, bodyOf(call.request));
  const changed = await changing(content, async (inside) => {
    const folder = (await findFolder(idOf(call), inside)) ?? missing();
    const above = await folderAt(body.parent === undefined ? folder.parent : body.parent, missingParent, inside);
    if ((await idsUpFrom(above, inside)).has(folder.id)) throw problem('parent', 'folder cannot be moved inside itself');
    const data = { name: body.name ?? folder.name, parent: above?.id ?? null };
    if (await isNameTaken(data, inside, folder.id)) throw nameTaken();
    await update({ type: ownType(inside, uploadFolderType), id: folder.id }, { data, query: emptyQuery }, inside);
    if (data.parent !== folder.parent) await followParents(inside);
    return findFolder(folder.id, inside);
  });
  return answerData(shownFolder(changed ?? missing()));
}

/** Stores the path of each folder that its parents say, in the folder and its files, where another one is stored. Their times stay. */
async function followParents(content: ContentContext): Promise<void> {
  const all = await findFolders(null, content);
  const paths = pathsByParents(all);
  const moved = all.flatMap(({ id, path }) => {
    const to = paths.get(id) ?? path;
    return to === path ? [] : [{ id, to }];
  });
  if (moved.length === 0) return;
  const folders = moved.map(({ id, to }) => changeOne({ _id: id }, { set: { path: to } }));
  await bulkWrite(content.store, collections.folders, folders);
  const files = moved.map(({ id, to }) => changeMany({ folder: id }, { set: { folderPath: to } }));
  await bulkWrite(content.store, collections.files, files);
  const former = all.filter(({ id }) => moved.some((one) => one.id === id));
  await followFolders(
    former.map(({ id, path }) => ({ folder: id, folderPath: path })),
    content,
  );
}

/** Moves files and folders into a folder, or to the top. Ids that do not exist are left out. */
export async function bulkMove(call: PanelCall): Promise<Answer> {
  const content = filesFor(call, 'plugin::upload.assets.update');
  const body = await checkPanelBody(moving, bodyOf(call.request));
  const [fileIds, folderIds] = [idsIn(body.fileIds), idsIn(body.folderIds)];
  await checkFiles(fileIds, content);
  const data = await changing(content, async (inside) => {
    const missingPlace = ['destinationFolderId', 'destination folder does not exist'] as const;
    const above = await folderAt(body.destinationFolderId, missingPlace, inside);
    const folders = await findFolders(folderIds, inside);
    await checkMove(folders, above, inside);
    for (const { id, updatedAt } of folders) {
      const data = { parent: above?.id ?? null, updatedAt };
      await update({ type: ownType(inside, uploadFolderType), id }, { data, query: emptyQuery }, inside);
    }
    const place = { folder: above?.id ?? null, folderPath: above?.path ?? '/' };
    for (const { id, updatedAt } of await filesOf({ _id: is.oneOf(fileIds) }, inside))
      await update({ type: fileType(inside), id }, { data: { ...place, updatedAt }, query: emptyQuery }, inside);
    await followParents(inside);
    return { files: await readFiles(fileIds, inside), folders: (await findFolders(folderIds, inside)).map(shownFolder) };
  });
  return answerData(data);
}

/**
 * Throws a ValidationError if two folders of one name would be beside each other, or a folder would contain itself. It names no field,
 * as in Strapi v4: the dialog shows such a message at the destination.
 */
async function checkMove(folders: readonly Folder[], above: Folder | null, content: ContentContext): Promise<void> {
  const refuse = (message: string) => fieldErrors([{ path: [], message }]);
  const names = folders.map(({ name }) => name);
  const parent = above?.id ?? null;
  const there = await findStored(content.store.database, collections.folders, { match: { parent, name: is.oneOf(names) } });
  const ids = new Set(folders.map(({ id }) => id));
  const taken = [
    ...there.filter(({ _id }) => !ids.has(Number(_id))).map((folder) => String(folder['name'])),
    ...names.filter((name, index) => names.indexOf(name) !== index),
  ];
  if (taken.length > 0) throw refuse(`some folders already exists: ${taken.join(', ')}`);
  const upwards = await idsUpFrom(above, content);
  const circular = folders.filter(({ id }) => upwards.has(id)).map(({ name }) => name);
  if (circular.length > 0)
    throw refuse(`folders cannot be moved inside themselves or one of its children: ${circular.join(', ')}`);
}

async function filesOf(match: object, { store }: ContentContext) {
  const documents = await findStored(store.database, collections.files, { match, sort: { _id: 1 } });
  return documents.map(({ _id, updatedAt }) => ({ id: Number(_id), updatedAt: updatedAt as unknown }));
}

/** Returns the files of ids as the panel shows them. */
async function readFiles(ids: readonly number[], content: ContentContext) {
  if (ids.length === 0) return [];
  const filter = comparing('id', 'in', ids);
  const pagination = { kind: 'page', page: 1, pageSize: ids.length, withCount: false } as const;
  const sort = [{ path: ['id'], order: 'asc' }] as const;
  const page = await findMany(fileType(content), { ...emptyQuery, filter, pagination, sort, withTotal: false }, content);
  return showAll(page.entries, content);
}

export async function bulkDelete(call: PanelCall): Promise<Answer> {
  const content = filesFor(call, 'plugin::upload.assets.update');
  const body = await checkPanelBody(deletion, bodyOf(call.request));
  const { files, folders } = await removeFolders({ fileIds: idsIn(body.fileIds), folderIds: idsIn(body.folderIds) }, content);
  return answerData({ files, folders });
}

/**
 * Deletes files, and folders with all that they contain. Each is deleted in its own transaction, because there may be too many for
 * one, and folders after what they contain: an interrupted deletion can be repeated. Returns the named ones, and the numbers of all
 * that were in the folders.
 */
export function removeFolders(
  { fileIds, folderIds }: { readonly fileIds: readonly number[]; readonly folderIds: readonly number[] },
  content: ContentContext,
) {
  const work = async () => {
    const folders = await findFolders(folderIds, content);
    const within = foldersWithin(folders, await findFolders(null, content));
    const contained = await filesOf({ folder: is.oneOf(within.map(({ id }) => id)) }, content);
    const ids = [...new Set([...fileIds, ...contained.map(({ id }) => id)])];
    await checkFiles(ids, content);
    const files = await readFiles(fileIds, content);
    for (const id of ids) await remove({ type: fileType(content), id }, emptyQuery, content);
    const deepestFirst = [...within].sort((a, b) => b.path.length - a.path.length);
    for (const { id } of deepestFirst) await remove({ type: ownType(content, uploadFolderType), id }, emptyQuery, content);
    const totals = { totalFolderNumber: within.length, totalFileNumber: contained.length };
    return { files, folders: folders.map(shownFolder), ...totals };
  };
  return claim(content.store.database, 'folders', { busy, work });
}
