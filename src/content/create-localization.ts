import { applicationError, notFoundError } from '#base/errors.js';
import { localeGroup } from '#store/form/layout.js';
import { findFirst, isStored } from '#store/stored.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import { acceptNewEntry } from './accept-write.js';
import type { ContentContext } from './content-context.js';
import type { WriteInput } from './update.js';
import { createInGroup } from './create.js';
import type { LoadedEntry, StoredDocument } from '#store/form/loaded.js';
import type { EntryKey } from './meet-precondition.js';
import { matchVisibleEntry } from './rules-on-writes.js';
import { localeTakenError } from './unique-errors.js';

/**
 * Creates the entry of another locale: a draft unless the data has `publishedAt`. It has the shared values of the entry, unless the
 * data has others, which are then those of all locales. Throws an ApplicationError for a locale that is missing, unknown or taken, a
 * NotFoundError, a ForbiddenError if the data changes a value in a locale that the caller's rule hides, and the errors of a create.
 */
export async function createLocalization(
  { type, id }: EntryKey,
  { data, query }: WriteInput,
  context: ContentContext,
): Promise<LoadedEntry> {
  const source = await findFirst(context.store.database, type.collection, await matchVisibleEntry(type, id, context));
  if (source === null) throw notFoundError('Entity not found');
  return localize({ type, source }, { data, query }, context);
}

/** Does the same for a stored entry that was read before. */
export async function localize(
  { type, source }: { readonly type: ContentType; readonly source: StoredDocument },
  { data, query }: WriteInput,
  context: ContentContext,
): Promise<LoadedEntry> {
  const accepted = acceptNewEntry(type, data, context);
  const locale = await checkNewLocale(type, accepted['locale'], source, context);
  const selection = bindEntrySelection(query, type, context.bind);
  const values = { ...accepted, locale };
  return createInGroup(type, values, { query, selection, source, input: data }, { ...context, createsDrafts: true });
}

async function checkNewLocale(
  type: ContentType,
  locale: unknown,
  source: StoredDocument,
  { bind, store }: ContentContext,
): Promise<string> {
  if (locale === undefined || locale === null) throw applicationError('locale is missing');
  if (typeof locale !== 'string' || !bind.locales.includes(locale)) throw applicationError('locale is invalid');
  const filter = { ...localeGroup.match(localeGroup.of(source)), locale };
  if (await isStored(store.database, type.collection, filter)) throw localeTakenError();
  return locale;
}
