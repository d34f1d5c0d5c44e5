import type { ContentContext } from '#content/content-context.js';
import type { Entity, EntityService } from '#api/code/entity-service.js';
import { uploadFolder } from '#media/upload-files.js';
import { findStored } from '#store/stored.js';
import { type Folder, findFolders } from '#admin/library/folders.js';
import { collections } from '#model/schema/collections.js';
import { uploadFolderType } from '#model/schema/content-type.js';
import { decodeId, groupBy, type Values } from '#base/values.js';
import type { QueryEngine } from './query-engine.js';
import { type ByUser, writtenBy } from './written-by.js';

interface FolderParts {
  readonly content: () => ContentContext;
  readonly query: (uid: string) => QueryEngine;
}

/** A folder with those in it. */
interface FolderNode {
  readonly id: number;
  readonly name: string;
  readonly children: readonly FolderNode[];
}

/** The changes of folders in the media library, which few services need. */
const library = () => import('#admin/library/change-folders.js');

/** Returns `strapi.plugin('upload').service('folder')`. */
export function createFolderService({ content, query }: FolderParts) {
  return {
    /** Creates a folder: `{ name, parent }`. */
    create: async ({ name, parent }: Values, by?: ByUser): Promise<Entity> =>
      (await library()).addFolder({ name, parent }, await writtenBy(by, content())),
    /** Returns the folder with the number and the path that it would have. */
    setPathIdAndPath: async (folder: Values): Promise<Values> => {
      const [last] = await findStored(content().store.database, collections.folders, { sort: { pathId: -1 }, limit: 1 });
      const { folderAt, missingParent } = await library();
      const above = await folderAt(folder['parent'], missingParent, content());
      const pathId = Number(last?.['pathId'] ?? 0) + 1;
      return Object.assign(folder, { pathId, path: `${above?.path ?? ''}/${String(pathId)}` });
    },
    exists: async (where: object = {}): Promise<boolean> => (await query(uploadFolderType).count({ where })) > 0,
    /** Returns all folders as a tree, each level by name. */
    getStructure: async (): Promise<readonly FolderNode[]> => treeOf(await findFolders(null, content())),
    /** Deletes folders with all folders and files in them. */
    deleteByIds: async (ids: readonly unknown[] = []) => {
      const { removeFolders } = await library();
      const deleted = await removeFolders({ fileIds: [], folderIds: ids.map(decodeId) }, content());
      const { folders, totalFolderNumber, totalFileNumber } = deleted;
      return { folders, totalFolderNumber, totalFileNumber };
    },
  };
}

interface UploadFolderParts extends Pick<FolderParts, 'content'> {
  readonly entityService: EntityService;
}

/** Returns `strapi.plugin('upload').service('api-upload-folder')`. */
export const createUploadFolderService = ({ content, entityService }: UploadFolderParts) => ({
  /** Returns the folder of files that are uploaded through the API. Creates it if there is none. */
  getAPIUploadFolder: async (): Promise<Entity | null> =>
    entityService.findOne(uploadFolderType, (await uploadFolder(content())).id),
});

function treeOf(folders: readonly Folder[]): readonly FolderNode[] {
  const byParent = groupBy(folders, ({ parent }) => parent);
  const below = (parent: number | null): readonly FolderNode[] =>
    [...(byParent.get(parent) ?? [])]
      .sort((a, b) => a.name.localeCompare(b.name))
      .map(({ id, name }) => ({ id, name, children: below(id) }));
  return below(null);
}
