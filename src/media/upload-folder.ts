import { collections } from '../schema/collections.js';
import type { ContentContext } from '../content/content-context.js';
import { insertChecked } from '../content/create.js';
import { ApiError } from '../errors.js';
import { readAll } from '../mongo/database.js';
import { emptyQuery } from '../query/ast.js';
import { bindEntrySelection } from '../query/bind-plan.js';

/** The folder of the media library that files from the API go to. */
export interface UploadFolder {
  readonly id: number;
  readonly path: string;
}

const folderName = 'API Uploads';

/** Finds the folder of uploads, or makes it with the first. */
export async function uploadFolder(content: ContentContext): Promise<UploadFolder> {
  return (await findFolder(content)) ?? (await createFolder(content)) ?? { id: 0, path: '/' };
}

async function findFolder({ store }: ContentContext): Promise<UploadFolder | null> {
  const filter = { name: folderName, parent: null };
  const [found] = await readAll(store.database, { find: collections.folders, filter, sort: { _id: 1 }, limit: 1 });
  return found === undefined ? null : { id: Number(found['_id']), path: String(found['path']) };
}

/** Of several instances that try at once the unique `pathId` lets one through; the others find what it made. */
async function createFolder(content: ContentContext): Promise<UploadFolder | null> {
  const type = content.bind.registry.types.get('plugin::upload.folder');
  if (type === undefined) return null;
  const [last] = await readAll(content.store.database, { find: type.collection, sort: { pathId: -1 }, limit: 1 });
  const pathId = Number(last?.['pathId'] ?? 0) + 1;
  const path = `/${String(pathId)}`;
  try {
    const insertion = { selection: bindEntrySelection(emptyQuery, type, content.bind), source: null };
    const { document } = await insertChecked(type, { name: folderName, pathId, path, parent: null }, insertion, content);
    return { id: Number(document['_id']), path };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return findFolder(content);
    throw error;
  }
}
