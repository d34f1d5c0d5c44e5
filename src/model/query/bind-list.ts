import { refusedBy } from '#base/limits/exceeded.js';
import { type ApiError, invalidParameter, validationError } from '#base/errors.js';
import { textCollation } from '../schema/collation.js';
import { type ContentType, type ScalarAttribute, servedAs } from '../schema/content-type.js';
import { scalarTypes } from '../schema/scalar-types.js';
import { type Access, accessInPart, maySee, readable } from './access.js';
import type { Pagination, Query } from './ast.js';
import { searchesWords } from './bind-search.js';
import type { BindContext, BindSettings } from './bind-context.js';
import { namesIn } from './parse-list.js';
import { type BoundPagination, scorePath, type SortKey, type Window } from './plan.js';

/**
 * Binds `fields` to the scalar attributes that are shown, in the order of the model. Throws a ValidationError for an item with a
 * wrong name.
 */
export function bindFields({ fields: items, includePrivate }: Query, type: ContentType, context: BindContext): ScalarAttribute[] {
  const wanted = items === null ? null : wantedFields(items, type, context);
  const fields: ScalarAttribute[] = [];
  for (const attribute of type.attributes.values()) {
    const isAsked =
      wanted === null ? attribute.added !== 'option' || context.settings.ofOptions === true : wanted.has(attribute.name);
    if (attribute.kind !== 'scalar' || !isAsked) continue;
    const seen =
      readable(type, attribute.name, context.access) !== null || (includePrivate === true && attribute.type !== 'password');
    if (seen) fields.push(attribute);
  }
  return fields;
}

/** Returns the names of the attributes that the items name. Throws a ValidationError for an item with a wrong name. */
function wantedFields(items: readonly string[], type: ContentType, { access }: BindContext): ReadonlySet<string> {
  const wanted = new Map<string, string>();
  for (const item of items)
    for (const name of namesIn(item)) {
      if (wanted.has(name)) continue;
      const attribute = servedAs(type, fieldName(name, type));
      if (attribute !== 'id' && readable(type, attribute, access)?.kind !== 'scalar') throw invalidParameter(item);
      wanted.set(name, attribute);
    }
  return new Set(wanted.values());
}

/** Returns the attribute that a name selects. As in Strapi v4, it may be the name of a column in an SQL database: `created_at`. */
const fieldName = (name: string, { attributes }: ContentType): string =>
  name.includes('_') && !attributes.has(name)
    ? ([...attributes.keys()].find((attribute) => columnName(attribute) === name) ?? name)
    : name;

const columnName = (attribute: string): string => (attribute.match(words) ?? []).join('_').toLowerCase();

const words = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/**
 * Binds sort keys; paths go through relations, media and components to a scalar attribute, or are the score of a full-text
 * search. The score is left out while nothing ranks the entries that something outside of the database usually ranks. Throws a
 * ValidationError.
 */
export function bindSort(
  { sort, search = null, ...found }: Pick<Query, 'sort'> & Partial<Pick<Query, 'search' | 'foundEntries' | 'hasFinder'>>,
  type: ContentType,
  context: BindContext,
): SortKey[] {
  const isRanked = search !== null && (found.foundEntries !== undefined || searchesWords(type, context.access));
  const mayRank = isRanked || (search !== null && found.hasFinder === true);
  const keys = sort.flatMap(({ path, order }) => {
    if (path.join('.') !== scorePath) return [{ ...bindPath(path, type, context), order: bindOrder(order) }];
    const score = bindScore(order, mayRank);
    return isRanked ? [score] : [];
  });
  const links = keys.reduce((sum, key) => sum + key.links.length, 0);
  if (links > 0) context.budget.spend('sortLinks', links);
  const collations = new Set(keys.flatMap(({ texts }) => texts ?? []));
  if (collations.size > 1)
    throw validationError(`Invalid parameter sort: its attributes have different collations (${[...collations].join(', ')})`);
  const last = keys.at(-1);
  return last?.order === -1 && type.kind !== 'component' && !isInOrderOfIndex(last) ? [...keys, byId] : keys;
}

/**
 * Returns whether an index sorts entries with equal values by id in the order of the key. Without an index they are sorted by id
 * in ascending order, as in Strapi v4.
 */
const isInOrderOfIndex = ({ links, isIndexed }: Bound): boolean => isIndexed && links.length === 0;

const byId: SortKey = { links: [], path: '_id', lists: [], order: 1 };

/** Binds the score of a full-text search. The best matches come first in both orders, because the database has no other order. */
function bindScore(order: string, mayRank: boolean): Bound & SortKey {
  bindOrder(order);
  if (!mayRank) throw validationError('Invalid parameter sort: _score needs a full-text search (_q)');
  return { links: [], path: scorePath, lists: [], order: 1, isIndexed: false };
}

interface Step {
  readonly type: ContentType;
  readonly access: Access;
  readonly links: SortKey['links'];
  readonly prefix: string;
  readonly lists: readonly string[];
}

interface Bound extends Omit<SortKey, 'order'> {
  readonly isIndexed: boolean;
  /** The name of the collation of its texts; absent if it has none. */
  readonly texts?: string;
}

function bindPath(path: readonly string[], type: ContentType, context: BindContext): Bound {
  let step: Step = { type, access: context.access, links: [], prefix: '', lists: [] };
  for (const [index, name] of path.entries()) {
    const end = index === path.length - 1 ? bindEnd(name, step) : null;
    if (end !== null) return end;
    step = bindStep(name, step, context);
  }
  throw invalidParameter(path.at(-1) ?? 'sort'); // the path ends on a relation or component
}

/** Binds the last name of a path, an id or a scalar attribute; returns null if it is a relation, component or the like. */
function bindEnd(name: string, { type, access, links, prefix, lists }: Step): Bound | null {
  const isComponent = type.kind === 'component';
  if (name === 'id') return { links, path: `${prefix}${isComponent ? 'id' : '_id'}`, lists, isIndexed: !isComponent };
  const attribute = readable(type, name, access);
  if (attribute === null) throw invalidParameter(name);
  if (attribute.kind !== 'scalar') return null;
  if (attribute.type === 'point') throw invalidParameter(name);
  const path = `${prefix}${attribute.name}`;
  const isJson = scalarTypes[attribute.type].stored === 'json';
  const { indexed: isIndexed, collation } = attribute;
  const texts = textCollation(attribute);
  return {
    ...{ links, path, lists: isJson ? [...lists, path] : lists, isIndexed },
    ...(collation !== undefined && { collation }),
    ...(texts !== null && { texts }),
  };
}

function bindStep(name: string, step: Step, context: BindContext): Step {
  const attribute = readable(step.type, name, step.access);
  if (attribute?.kind === 'component') {
    const type = context.registry.types.get(attribute.component);
    const path = `${step.prefix}${attribute.name}`;
    const lists = attribute.repeatable ? [...step.lists, path] : step.lists;
    const access = accessInPart(step.access, step.type, attribute.name);
    if (type !== undefined) return { ...step, type, access, prefix: `${path}.`, lists };
  }
  if ((attribute?.kind === 'relation' || attribute?.kind === 'media') && attribute.storage.kind !== 'morph') {
    const target = context.registry.types.get(attribute.target);
    // If a row rule hides related entries, sorting by them would reveal their values.
    const isHidden = !maySee(context.access, attribute.target) || context.access.rules.has(attribute.target);
    if (target === undefined || isHidden) throw invalidParameter(name);
    if (step.links.length === context.limits.sortKeyLinks) throw tooManyLinks(context);
    const link = { path: `${step.prefix}${attribute.name}`, link: attribute, target, inList: step.lists.length > 0 };
    return { ...step, type: target, links: [...step.links, link], prefix: '', lists: [] };
  }
  throw invalidParameter(name);
}

const tooManyLinks = ({ limits }: BindContext): ApiError =>
  refusedBy(
    'api.limits.sortKeyLinks',
    `Invalid parameter sort: a key leads through more than ${String(limits.sortKeyLinks)} relations (api.limits.sortKeyLinks)`,
  );

export function bindOrder(order: string): 1 | -1 {
  const word = order.toLowerCase();
  if (word === 'asc') return 1;
  if (word === 'desc') return -1;
  throw validationError(`Invalid parameter sort: the order can only be asc or desc, not ${JSON.stringify(order)}`);
}

/**
 * Applies defaults and limits: numbers below the minimum are raised, numbers above the maximum are lowered. As in Strapi v4, the
 * default page size is not lowered if the request has no pagination.
 */
export function bindPagination(pagination: Pagination | null, settings: BindSettings): BoundPagination {
  const { defaultLimit } = settings;
  if (pagination === null) return { kind: 'page', page: 1, pageSize: defaultLimit };
  if (pagination.kind === 'cursor') {
    const { cursor, backwards, looksBack, limit } = pagination;
    const bound = limit === 0 ? 0 : boundLimit(limit ?? defaultLimit, settings);
    return { kind: 'cursor', cursor, backwards, looksBack, limit: bound, from: null };
  }
  if (pagination.kind === 'offset') {
    const { start, limit } = pagination;
    return { kind: 'offset', start: Math.max(start, 0), limit: boundLimit(limit ?? defaultLimit, settings) };
  }
  const { page, pageSize } = pagination;
  const size = Math.max(pageSize ?? defaultLimit, 1);
  return { kind: 'page', page: Math.max(page, 1), pageSize: Math.min(size, settings.maxLimit ?? Infinity) };
}

/** Returns a limit within its bounds; -1 stands for the maximum. */
export function boundLimit(limit: number, { maxLimit }: Pick<BindSettings, 'maxLimit'>): number {
  if (limit === -1) return maxLimit ?? -1;
  return Math.min(Math.max(limit, 1), maxLimit ?? Infinity);
}

/** Returns the rows to skip and to read. The number to skip is at most the largest safe integer. */
export function windowOf(pagination: BoundPagination): Window {
  if (pagination.kind === 'page') {
    const skip = Math.min((pagination.page - 1) * pagination.pageSize, Number.MAX_SAFE_INTEGER);
    return { skip, limit: pagination.pageSize };
  }
  const start = pagination.kind === 'offset' ? pagination.start : 0;
  return { skip: Math.min(start, Number.MAX_SAFE_INTEGER), limit: pagination.limit === -1 ? null : pagination.limit };
}

/**
 * Returns the window of a nested list; null for the whole list, which only the budget limits. A limit is lowered to `maxNested`.
 * As in Strapi v4, a limit of 0 means no limit.
 */
export function bindWindow(pagination: Pagination | null, { settings }: BindContext): Window | null {
  if (pagination?.kind !== 'offset') return null;
  const { start, limit } = pagination;
  const skip = Math.min(Math.max(start, 0), Number.MAX_SAFE_INTEGER);
  if (limit === null || limit === -1 || limit === 0) return skip === 0 ? null : { skip, limit: null };
  return { skip, limit: Math.min(limit, settings.maxNested ?? Infinity) };
}
