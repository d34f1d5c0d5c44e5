import { invalidParameter, validationError } from '#base/errors.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { readEntry } from '#store/read/read-entry.js';
import { readable } from '#model/query/access.js';
import { comparing, type Query } from '#model/query/ast.js';
import { bindFilter, bindPublication, bindRule } from '#model/query/bind-filter.js';
import { bindEntrySelection, bindLocales, bindPlan } from '#model/query/bind-plan.js';
import { allOf, anyOf } from '#model/query/conditions.js';
import { hasId, ownAccess } from '#model/query/entry-access.js';
import type { Condition, Selection } from '#model/query/plan.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import type { ContentContext, PendingRead } from './content-context.js';
import { findLent, placeLent } from './lent-entry.js';
import { planOf, readWithHooks } from './surrounded-reads.js';

/** Returns the entry with an id, even if it is a draft; null if there is none. */
export async function findOne(type: ContentType, id: number, query: Query, context: ContentContext): Promise<LoadedEntry | null> {
  const { bind } = context;
  const lent =
    bind.access.entry === undefined || query.fallbackLocales !== null ? undefined : await findLent(type, id, query, context);
  if (lent !== undefined) return lent;
  const selection = bindEntrySelection(query, type, bind);
  if (query.fallbackLocales !== null) return findLocalized(type, { id, query, selection }, context);
  // any other entry than one that the caller reads by the rights of somebody else
  const condition = allOf([hasId(id), ...bindRule(type, { ...bind, access: ownAccess(bind.access) })]);
  return readShownEntry({ query, plan: planOf(condition, selection), id }, context);
}

/** An entry that is asked for by the id of any of its localizations. */
interface LocalizedRead {
  readonly id: number;
  readonly query: Query;
  readonly selection: Selection;
}

/**
 * Returns the localization of an entry that a list with the same locales has; null if there is none, or the caller may not see the entry
 * with the id. It is published, unless the query includes drafts.
 */
async function findLocalized(
  type: ContentType,
  { id, query, selection }: LocalizedRead,
  context: ContentContext,
): Promise<LoadedEntry | null> {
  const { bind } = context;
  const state = query.publicationState ?? 'live';
  const { locales, fallback } = bindLocales({ ...query, filter: null, search: null }, type, { ...bind, state });
  const rule = bindRule(type, bind);
  const group = bindGroup(type, allOf([hasId(id), ...rule]));
  const condition = allOf([group, ...locales, ...bindPublication(type, state, bind), ...fallback, ...rule]);
  return readShownEntry({ query, plan: planOf(condition, selection), id, group }, context);
}

/** Returns the condition of the entries that meet another one, or have a localization that does. */
function bindGroup(type: ContentType, condition: Condition): Condition {
  const link = type.attributes.get('localizations');
  if (link?.kind !== 'relation') return condition;
  const others = { kind: 'related', path: link.name, link, target: type, condition, orMissing: false, visible: null } as const;
  return anyOf([condition, { ...others, ofRule: true }]);
}

/** Reads an entry by the code around reads, and puts that of somebody else in its place if the caller reads one by their rights. */
async function readShownEntry(read: PendingRead, context: ContentContext): Promise<LoadedEntry | null> {
  const entry = await readWithHooks(read, context);
  if (entry === null || context.bind.access.entry === undefined) return entry;
  return (await placeLent([entry], read.query, context))[0] ?? null;
}

/** A unique attribute by its name, and the text of the value that is looked for. */
interface UniqueValue {
  readonly name: string;
  readonly value: string;
}

/**
 * Returns the entry with a value of a unique attribute; null if there is none. Drafts are returned too, unless the query asks for
 * published entries. Of a localized type it is the entry of one locale. Throws the same ValidationError for attributes that do not
 * exist, are not unique, or may not be read.
 */
export async function findBy(
  type: ContentType,
  { name, value }: UniqueValue,
  query: Query,
  context: ContentContext,
): Promise<LoadedEntry | null> {
  const { bind } = context;
  if (!isUnique(readable(type, name, bind.access))) throw invalidParameter(name);
  const { locale, fallbackLocales, publicationState } = query;
  if (type.localized && locale !== null && (typeof locale !== 'string' || locale === 'all'))
    throw validationError('Invalid parameter locale: expected one locale');
  const selection = bindEntrySelection(query, type, bind);
  const filter = comparing(name, 'eq', value);
  const state = publicationState ?? (fallbackLocales === null ? 'preview' : 'live');
  const { locales, fallback } = bindLocales({ ...query, filter }, type, { ...bind, state });
  const condition = allOf([
    bindFilter(filter, type, bind),
    ...bindRule(type, bind),
    ...locales,
    ...fallback,
    ...bindPublication(type, state, bind),
  ]);
  const publishedQuery = { ...query, filter, publicationState: state };
  return readShownEntry({ query: publishedQuery, plan: planOf(condition, selection), id: null }, context);
}

/** Returns whether no two entries of a type, or of one locale, have the same value of an attribute. */
export const isUnique = (attribute: Attribute | null): boolean =>
  attribute?.kind === 'scalar' && attribute.unique && attribute.type !== 'password';

/** Returns the entry of a single type: of the default locale and published, unless the query says otherwise. */
export async function findSingle(type: ContentType, query: Query, context: ContentContext): Promise<LoadedEntry | null> {
  return readShownEntry({ query, plan: bindPlan(query, type, context.bind), id: null }, context);
}

/**
 * Returns the entry of a single type for a write. Of the query only the locale is applied, not the publication state or other
 * conditions.
 */
export async function findSingleForWrite(type: ContentType, query: Query, context: ContentContext): Promise<LoadedEntry | null> {
  const { locales } = bindLocales(query, type, { ...context.bind, state: 'preview' });
  return readEntry(allOf(locales), { type, fields: [], children: [], locales: null }, context.store.database);
}
