import type { Query } from '#model/query/ast.js';
import { outsideSearch } from '#model/query/outside-search.js';
import type { ContentType } from '#model/schema/content-type.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import type { ContentContext } from './content-context.js';

/** Whether what is found must be complete, because it is counted. */
interface Completeness {
  readonly isWhole?: boolean;
}

/** A text that something outside of the database searches. It has a letter or a digit: the others are operators, or are ignored. */
const hasWord = /[\p{L}\p{N}]/u;

/** Returns whether `findOutside` may find something for a query. */
export const maySearchOutside = ({ search }: Query, { finder }: ContentContext): boolean => search !== null && finder !== null;

/**
 * Returns a query with what the finder has found for its search; without that if the database searches. That is so without a finder, in
 * transactions, which see more than others, and for values that the finder does not know: drafts beside entries, and entries that are
 * read by the rights of somebody else. Throws a ValidationError for a text that no search takes.
 */
export async function findOutside(
  type: ContentType,
  query: Query,
  context: ContentContext,
  { isWhole = false }: Completeness = {},
): Promise<Query> {
  const { finder, bind, store } = context;
  const { search: text, showsDrafts = false } = query;
  if (finder === null || text === null || !finder.covers(type)) return query;
  const unfound: Query = { ...query, hasFinder: true };
  if (store.database.session !== null || bind.access.entry !== undefined || !hasWord.test(text)) return unfound;
  const attributes = outsideSearch(text, type, bind);
  if (attributes === null || attributes.length === 0 || (showsDrafts && keepsDrafts(type))) return unfound;
  const isLive = type.draftAndPublish && (query.publicationState ?? 'live') === 'live';
  store.database.reads?.noteMore();
  const names = attributes.map(({ name }) => name);
  const foundEntries = await finder.find({ type, text, attributes: names, locales: localesOf(type, query, context), isLive });
  // what is cut off may depend on entries that a row rule hides
  if (foundEntries === null || (foundEntries.isTruncated && (isWhole || bind.access.rules.has(type.uid)))) return unfound;
  store.database.reads?.noteUnpurged();
  return { ...unfound, foundEntries: foundEntries };
}

/** Returns the locales that a query names; null for all of them. */
function localesOf({ localized }: ContentType, { locale, fallbackLocales }: Query, { bind }: ContentContext): string[] | null {
  if (!localized || locale === 'all' || fallbackLocales !== null) return null;
  return [locale ?? bind.defaultLocale].flat();
}
