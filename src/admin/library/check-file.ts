import { findOne } from '#content/find-one.js';
import type { ContentContext } from '#content/content-context.js';
import { ruleFilter } from '#content/rules-on-writes.js';
import { forbiddenError, notFoundError } from '#base/errors.js';
import { fileType } from '#media/decide-type.js';
import { is } from '#store/form/matches.js';
import { countExisting, countMatching } from '#store/stored.js';
import { emptyQuery } from '#model/query/ast.js';
import type { PanelCall } from '../panel-route.js';

/** Returns the error for a file that does not exist. */
export const missingFile = () => notFoundError('Entity not found');

/**
 * Throws a NotFoundError if there is no file of an id, and a ForbiddenError if no permission allows the action on it. `content` is
 * the context of the action.
 */
export async function checkFile(id: number, content: ContentContext, call: PanelCall): Promise<void> {
  const idOnly = { ...emptyQuery, fields: ['id'] };
  if ((await findOne(fileType(content), id, idOnly, content)) !== null) return;
  throw (await findOne(fileType(content), id, idOnly, call.content)) === null ? missingFile() : forbiddenError();
}

/** Throws a ForbiddenError if no permission allows the action on one of the files. Ids without a file are left out. */
export async function checkFiles(ids: readonly number[], content: ContentContext): Promise<void> {
  const type = fileType(content);
  const { database } = content.store;
  if (ids.length === 0 || !content.bind.access.rules.has(type.uid)) return;
  const filter = await ruleFilter(type, content);
  const [allowed] = await countExisting([{ collection: type.collection, ids: [...new Set(ids)], filter }], database);
  if (allowed !== (await countMatching(database, type.collection, { _id: is.oneOf(ids) }))) throw forbiddenError();
}
