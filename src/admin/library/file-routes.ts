import { findMany } from '#content/find-many.js';
import { findOne } from '#content/find-one.js';
import { remove } from '#content/remove.js';
import type { Answer } from '#http/route.js';
import { idOf } from '#http/route-request.js';
import { fileType } from '#media/decide-type.js';
import { emptyQuery, fieldOf, type Query } from '#model/query/ast.js';
import { creator } from '../content-manager/entry-query.js';
import type { PanelCall, PanelRoutes } from '../panel-route.js';
import { paginationOf, parametersOf, parseListQuery } from '../panel-query.js';
import { filesFor } from '../rights/content-access.js';
import { checkFile, missingFile } from './check-file.js';
import { fetchFile } from './fetch-file.js';
import { showAll, showOne } from '../show-entries.js';
import { upload } from './upload.js';

/** The routes of files. */
export const fileRoutes: PanelRoutes = {
  'GET /upload/files': { right: 'plugin::upload.read', handle: list },
  'GET /upload/files/:id': { right: 'plugin::upload.read', handle: read },
  'DELETE /upload/files/:id': { right: 'plugin::upload.assets.update', handle: destroy, changes: 'entries' },
  'POST /upload/from-url': { right: 'plugin::upload.assets.create', handle: fetchFile, changes: 'nothing' },
  'POST /upload': { right: ['plugin::upload.assets.create', 'plugin::upload.assets.update'], handle: upload, changes: 'entries' },
};

/** Reads a file of a list, with its folder. */
const listed = { all: false, fields: [fieldOf('folder')] };

/** Reads a single file, with its folder and its creator. */
const whole: Query = { ...emptyQuery, populate: { all: false, fields: [fieldOf('createdBy', creator), fieldOf('folder')] } };

/** URLs of files are never signed. */
const unsigned = { isUrlSigned: false };

async function list(call: PanelCall): Promise<Answer> {
  const content = filesFor(call, 'plugin::upload.read');
  const query = parseListQuery(parametersOf(call), content.bind);
  const page = await findMany(fileType(content), { ...query, populate: listed }, content);
  const results = showAll(page.entries, content).map((file) => ({ ...file, ...unsigned }));
  return { body: { results, pagination: paginationOf(page) } };
}

async function read(call: PanelCall): Promise<Answer> {
  const content = filesFor(call, 'plugin::upload.read');
  const id = idOf(call);
  await checkFile(id, content, call);
  const file = await findOne(fileType(content), id, whole, content);
  if (file === null) throw missingFile();
  return { body: { ...showOne(file, content), ...unsigned } };
}

async function destroy(call: PanelCall): Promise<Answer> {
  const content = filesFor(call, 'plugin::upload.assets.update');
  const id = idOf(call);
  await checkFile(id, content, call);
  const file = await remove({ type: fileType(content), id }, whole, content);
  if (file === null) throw missingFile();
  return { body: showOne(file, content) };
}
