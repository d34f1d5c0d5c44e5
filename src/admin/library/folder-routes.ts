import { findMany } from '#content/find-many.js';
import { findOne } from '#content/find-one.js';
import { ownType } from '#content/content-context.js';
import { notFoundError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { idOf } from '#http/route-request.js';
import { emptyQuery, fieldOf, type Populate, type Query } from '#model/query/ast.js';
import { parseEntryQuery } from '#model/query/parse-query.js';
import { uploadFolderType } from '#model/schema/content-type.js';
import { answerData, type PanelCall, type PanelRoutes } from '../panel-route.js';
import { parametersOf, parseListQuery } from '../panel-query.js';
import { filesFor } from '../rights/content-access.js';
import { bulkDelete, bulkMove, changeFolder, createFolder } from './change-folders.js';
import { type Folder, findFolders } from './folders.js';
import { showAll, showOne } from '../show-entries.js';
import { groupBy } from '#base/values.js';

/** The routes of folders. */
export const folderRoutes: PanelRoutes = {
  'GET /upload/folders': { right: 'plugin::upload.read', handle: list },
  'POST /upload/folders': { right: 'plugin::upload.assets.create', handle: createFolder, changes: 'entries' },
  'GET /upload/folders/:id': { right: 'plugin::upload.read', handle: read },
  'PUT /upload/folders/:id': { right: 'plugin::upload.assets.update', handle: changeFolder, changes: 'entries' },
  'GET /upload/folder-structure': { right: 'plugin::upload.read', handle: structure },
  'POST /upload/actions/bulk-move': { right: 'plugin::upload.assets.update', handle: bulkMove, changes: 'entries' },
  'POST /upload/actions/bulk-delete': { right: 'plugin::upload.assets.update', handle: bulkDelete, changes: 'entries' },
};

/** Most folders of a list, which the panel shows on one page. */
const longestList = 10_000;

const counts = [fieldOf('children', emptyQuery, { countOnly: true }), fieldOf('files', emptyQuery, { countOnly: true })];

async function list(call: PanelCall): Promise<Answer> {
  const content = filesFor(call, 'plugin::upload.read');
  const query: Query = {
    ...parseListQuery(withoutPage(parametersOf(call)), content.bind),
    populate: { all: false, fields: counts },
    pagination: { kind: 'page', page: 1, pageSize: longestList, withCount: false },
    withTotal: false,
  };
  const settings = { ...content.bind.settings, maxLimit: longestList };
  const { entries } = await findMany(ownType(content, uploadFolderType), query, {
    ...content,
    bind: { ...content.bind, settings },
  });
  return answerData(showAll(entries, content));
}

const withoutPage = (parameters: Readonly<Record<string, unknown>>) => ({
  ...parameters,
  ...{ page: undefined, pageSize: undefined },
});

async function read(call: PanelCall): Promise<Answer> {
  const content = filesFor(call, 'plugin::upload.read');
  const { populate } = parseEntryQuery({ populate: parametersOf(call)['populate'] }, content.bind.limits);
  const query = { ...emptyQuery, populate: { all: false, fields: [...onlyParents(populate).fields, ...counts] } };
  const folder = await findOne(ownType(content, uploadFolderType), idOf(call), query, content);
  if (folder === null) throw notFoundError('folder not found');
  return answerData(showOne(folder, content));
}

/** Returns the part of a population that follows the folders above. */
const onlyParents = ({ all, fields }: Populate): Populate => ({
  all: false,
  fields: all
    ? [fieldOf('parent')]
    : fields
        .filter(({ name }) => name === 'parent')
        .map(({ query }) => fieldOf('parent', { ...emptyQuery, populate: onlyParents(query.populate) })),
});

interface FolderNode {
  readonly id: number;
  readonly name: string;
  readonly children: readonly FolderNode[];
}

async function structure({ content }: PanelCall): Promise<Answer> {
  return answerData(
    nodesBelow(
      null,
      groupBy(await findFolders(null, content), ({ parent }) => parent),
    ),
  );
}

const nodesBelow = (parent: number | null, byParent: ReadonlyMap<number | null, readonly Folder[]>): FolderNode[] =>
  [...(byParent.get(parent) ?? [])]
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(({ id, name }) => ({ id, name, children: nodesBelow(id, byParent) }));
