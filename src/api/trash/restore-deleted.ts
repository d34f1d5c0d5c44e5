import { notFoundError } from '#base/errors.js';
import { type ContentContext, withoutBudget } from '#content/content-context.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { restoreEntry } from '#content/restore-entry.js';
import { emptyQuery } from '#model/query/ast.js';
import { findDeletedEntry, linksToDeletedEntry, markGroup, removeDeletedEntry } from './trash-store.js';

interface Restoring {
  /** Whether a published entry becomes a draft. */
  readonly asDraft: boolean;
}

/**
 * Takes a deleted entry out of the trash and stores it again. Runs inside a transaction. Returns the paths of values that the model cannot
 * take any more. Throws a NotFoundError if it is not there, and the errors of `restoreEntry`.
 */
export async function restoreDeletedEntry(
  { type, id }: Pick<EntryKey, 'type' | 'id'>,
  { asDraft }: Restoring,
  callerContext: ContentContext,
): Promise<readonly string[]> {
  const context = withoutBudget(callerContext); // the request has not asked for these reads
  const { database } = context.store;
  const deleted = await findDeletedEntry(database, type.uid, id);
  if (deleted === null) throw notFoundError();
  await markGroup(database, deleted);
  const links = await linksToDeletedEntry(database, deleted);
  const { leftOut } = await restoreEntry(type, { ...deleted, links }, { query: emptyQuery, asDraft }, context);
  if (!(await removeDeletedEntry(database, deleted))) throw notFoundError();
  return leftOut;
}
