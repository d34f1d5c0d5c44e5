import { type ContentContext, ownType } from '#content/content-context.js';
import { finalEntry, withOwnTransaction } from '#content/run-write.js';
import { runCreate } from '#content/create.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { withOwner } from '#content/rules-on-writes.js';
import { blobRecords } from '#store/stores/blob-store.js';
import { afterCommit, inTransaction } from '#store/send/transaction.js';
import { emptyQuery } from '#model/query/ast.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import { fileType } from './decide-type.js';
import { linkFiles, type LinkTarget } from './link-files.js';
import type { MediaContext } from './media.js';
import type { FileInfo } from './parse-file-info.js';
import { followFolders } from './place-file.js';
import type { PreparedFile } from './host-file.js';
import { prepareFile } from './prepare-file.js';
import type { Staging, UploadedFile } from './staging.js';
import { collections } from '#model/schema/collections.js';
import { ApiError } from '#base/errors.js';
import { uploadFolderType } from '#model/schema/content-type.js';
import { findStored } from '#store/stored.js';

interface UploadOrder {
  readonly files: readonly UploadedFile[];
  /** Information about the files, by position. */
  readonly infos: readonly FileInfo[];
  /** The entry or component to link the files to; null for none. */
  readonly target: LinkTarget | null;
}

/** Publishes staged files and links them, either all or none. Returns them with all attributes. */
export async function uploadFiles(order: UploadOrder, staging: Staging, context: MediaContext): Promise<readonly LoadedEntry[]> {
  const ready = await prepareFiles(order, staging, context);
  return publishFiles(ready, order.target, staging, context.content);
}

/** Publishes prepared files and links them, either all or none. */
export async function publishFiles(
  ready: ReadyFiles,
  target: LinkTarget | null,
  staging: Staging,
  content: ContentContext,
): Promise<readonly LoadedEntry[]> {
  const entries = await inTransaction(content.store.database, async (database) => {
    const inner = withOwnTransaction(content, database);
    const stored = await storeFiles(ready, inner);
    if (target !== null) await linkFiles(target, stored, inner);
    await keepFiles(ready, staging, inner);
    return stored;
  });
  return entries.map(finalEntry);
}

/** Files that are ready to be stored, and the folder of those without another one. */
export interface ReadyFiles {
  readonly files: readonly ReadyFile[];
  readonly folder: UploadFolder;
}

interface ReadyFile extends PreparedFile {
  readonly info: FileInfo;
}

/** Prepares files one after the other, because drawing an image takes memory. */
export async function prepareFiles(
  { files, infos }: Pick<UploadOrder, 'files' | 'infos'>,
  staging: Staging,
  { media, content }: MediaContext,
): Promise<ReadyFiles> {
  const ready: ReadyFile[] = [];
  for (const [index, file] of [...new Set(files)].entries()) {
    const info = infos[index] ?? {};
    ready.push({ ...(await prepareFile(file, info, { media, staging })), info });
  }
  const isPlaced = infos.length > 0 && ready.every(({ info }) => info.folderPath !== undefined);
  return { files: ready, folder: isPlaced ? root : await uploadFolder(content) };
}

/** Stores the entries of files and publishes their bytes. Must run inside a transaction. */
export async function storeFiles({ files, folder }: ReadyFiles, content: ContentContext): Promise<readonly LoadedEntry[]> {
  await blobRecords.publish(
    content.store.database,
    files.flatMap(({ blobs }) => blobs),
  );
  const type = fileType(content);
  const insertion = { query: emptyQuery, selection: bindEntrySelection(emptyQuery, type, content.bind), source: null };
  const rows = files.map((file) => rowOf(file, folder));
  const entries: LoadedEntry[] = [];
  for (const row of rows) entries.push(await runCreate(type, withOwner(type, row, content.bind.access), insertion, content));
  await followFolders(rows, content);
  return entries;
}

const rowOf = ({ values, info }: ReadyFile, folder: UploadFolder) => ({
  ...values,
  alternativeText: info.alternativeText ?? null,
  caption: info.caption ?? null,
  folder: info.folder === undefined ? folder.id || null : info.folder,
  folderPath: info.folderPath ?? folder.path,
});

/** Marks the files as published after the commit, so that they are not discarded. */
export const keepFiles = ({ files }: ReadyFiles, staging: Staging, { store }: ContentContext): Promise<void> =>
  afterCommit(store.database, () => {
    staging.keep(files.flatMap(({ staged }) => staged));
    return Promise.resolve();
  });

/** The folder of the media library for files that are uploaded through the API. */
interface UploadFolder {
  readonly id: number;
  readonly path: string;
}

const folderName = 'API Uploads';

/** The top of the media library, which is no folder. */
const root: UploadFolder = { id: 0, path: '/' };

/** A folder to create below another one; null for the top. */
interface NewFolder {
  readonly name: string;
  readonly parent: UploadFolder | null;
}

/**
 * Stores a folder, whose path consists of the numbers of the folders above it and its own. Throws a ValidationError if another
 * request has taken its number at the same moment.
 */
export async function insertFolder({ name, parent }: NewFolder, content: ContentContext): Promise<LoadedEntry> {
  const type = ownType(content, uploadFolderType);
  const [last] = await findStored(content.store.database, type.collection, { sort: { pathId: -1 }, limit: 1 });
  const pathId = Number(last?.['pathId'] ?? 0) + 1;
  const path = `${parent?.path ?? ''}/${String(pathId)}`;
  const insertion = { query: emptyQuery, selection: bindEntrySelection(emptyQuery, type, content.bind), source: null };
  return runCreate(type, { name, pathId, path, parent: parent?.id ?? null }, insertion, content);
}

/** Finds the folder of uploads, or creates it. */
export async function uploadFolder(content: ContentContext): Promise<UploadFolder> {
  return (await findFolder(content)) ?? (await createFolder(content)) ?? root;
}

async function findFolder({ store }: ContentContext): Promise<UploadFolder | null> {
  const filter = { name: folderName, parent: null };
  const [found] = await findStored(store.database, collections.folders, { match: filter, sort: { _id: 1 }, limit: 1 });
  return found === undefined ? null : { id: Number(found['_id']), path: String(found['path']) };
}

/**
 * Creates the folder. If several instances try this at once, the unique `pathId` lets one succeed, and the others find its
 * folder.
 */
async function createFolder(content: ContentContext): Promise<UploadFolder | null> {
  if (!content.bind.registry.types.has(uploadFolderType)) return null;
  try {
    const { document } = await insertFolder({ name: folderName, parent: null }, content);
    return { id: Number(document['_id']), path: String(document['path']) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return findFolder(content);
    throw error;
  }
}
