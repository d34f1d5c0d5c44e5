import { hasCode, idTakenError, preconditionFailed, validationError } from '#base/errors.js';
import { isStored } from '#store/stored.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { isRecord } from '#base/values.js';
import { withoutHooks, type ContentContext } from './content-context.js';
import { create } from './create.js';
import { inStatusOf } from './drafts.js';
import { findSingle, findSingleForWrite } from './find-one.js';
import { type LoadedEntry, versionOf } from '#store/form/loaded.js';
import type { EntryKey, Precondition } from './meet-precondition.js';
import { remove } from './remove.js';
import { update, type WriteInput } from './update.js';

/** A single type, and what a write demands of its entry. */
interface SingleKey extends Precondition, Pick<EntryKey, 'status'> {
  readonly type: ContentType;
}

/**
 * Updates the entry of a single type in the locale that the query names, or creates it if there is none. Throws a
 * PreconditionFailedError if the entry is not as the write demands.
 */
export async function updateSingle(key: SingleKey, write: WriteInput, context: ContentContext): Promise<LoadedEntry | null> {
  const find = () => findSingleForWrite(key.type, write.query, context);
  const stored = await find();
  const updated = await updateStored(stored, key, write, context);
  const isHidden = updated === null && stored !== null && (await find()) !== null; // by a rule
  return updated !== null || isHidden ? updated : createOnly(key, write, context);
}

async function updateStored(
  stored: LoadedEntry | null,
  { type, expected, isNew, status }: SingleKey,
  write: WriteInput,
  context: ContentContext,
): Promise<LoadedEntry | null> {
  if (stored === null) return null;
  if (isNew === true) throw preconditionFailed(versionOf(stored));
  const key = { type, id: Number(stored.document['_id']), ...(status && { status }) };
  return update(expected === undefined ? key : { ...key, expected }, write, context);
}

/**
 * Creates the only entry of a locale. If several first writes run concurrently, one creates the entry and the others update it; a
 * transaction runs again for this.
 */
async function createOnly(key: SingleKey, { data, query }: WriteInput, context: ContentContext): Promise<LoadedEntry | null> {
  const { type, expected, status } = key;
  if (expected !== undefined) throw preconditionFailed(null);
  const locale = typeof query.locale === 'string' ? query.locale : context.bind.defaultLocale;
  if (type.localized && (await isStored(context.store.database, type.collection)))
    throw validationError('singleType.alreadyExists');
  try {
    const values = inStatusOf(data, status ?? null);
    return await create(type, type.localized && isRecord(values) ? { locale, ...values } : values, query, context);
  } catch (error) {
    if (!hasCode(error, 'locale-taken')) throw error;
    if (context.store.database.session !== null) throw idTakenError(); // runs again
    return updateStored(await findSingleForWrite(type, query, context), key, { data, query }, context);
  }
}

/** Deletes the entry of a single type, looked up like a read; the answer has no populated relations. Null if there is none. */
export async function removeSingle(
  { type, expected }: SingleKey,
  query: Query,
  context: ContentContext,
): Promise<LoadedEntry | null> {
  const { locale, publicationState } = query;
  const stored = await findSingle(type, { ...emptyQuery, locale, publicationState }, withoutHooks(context));
  if (stored === null) return null;
  const key = { type, id: Number(stored.document['_id']) };
  return remove(expected === undefined ? key : { ...key, expected }, { ...emptyQuery, withLocales: query.withLocales }, context);
}
