import { hasCode, validationError } from '../errors.js';
import { isStored } from '../mongo/stored.js';
import { emptyQuery, type Query } from '../query/ast.js';
import type { ContentType } from '../schema/content-type.js';
import { isRecord } from '../values.js';
import { withoutHooks, type ContentContext } from './content-context.js';
import { create } from './create.js';
import { findSingle, findSingleForWrite } from './find-one.js';
import type { Loaded } from '../mongo/form/loaded.js';
import { remove } from './remove.js';
import { update } from './update.js';

/** Updates the entry of a single type in the locale that the query names, or creates it if there is none. */
export async function updateSingle(
  type: ContentType,
  data: unknown,
  query: Query,
  context: ContentContext,
): Promise<Loaded | null> {
  return (await updateStored(type, data, query, context)) ?? createOnly(type, data, query, context);
}

async function updateStored(type: ContentType, data: unknown, query: Query, context: ContentContext): Promise<Loaded | null> {
  const stored = await findSingleForWrite(type, query, context);
  return stored === null ? null : update({ type, id: Number(stored.document['_id']) }, { data, query }, context);
}

/**
 * Creates the only entry of a locale. If several first writes run concurrently, one creates the entry and the others update it.
 */
async function createOnly(type: ContentType, data: unknown, query: Query, context: ContentContext): Promise<Loaded | null> {
  const locale = typeof query.locale === 'string' ? query.locale : context.bind.defaultLocale;
  if (type.localized && (await isStored(context.store.database, type.collection)))
    throw validationError('singleType.alreadyExists');
  try {
    return await create(type, type.localized && isRecord(data) ? { locale, ...data } : data, query, context);
  } catch (error) {
    if (!hasCode(error, 'locale-taken')) throw error;
    return updateStored(type, data, query, context);
  }
}

/** Deletes the entry of a single type, looked up like a read; the answer has no populated relations. Null if there is none. */
export async function removeSingle(type: ContentType, query: Query, context: ContentContext): Promise<Loaded | null> {
  const { locale, publicationState } = query;
  const stored = await findSingle(type, { ...emptyQuery, locale, publicationState }, withoutHooks(context));
  return stored === null
    ? null
    : remove(type, Number(stored.document['_id']), { ...emptyQuery, withLocales: query.withLocales }, context);
}
