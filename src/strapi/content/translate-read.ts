import { isDeepStrictEqual } from 'node:util';
import type { PendingRead } from '#content/content-context.js';
import type { Undone } from '#content/refuse-or-log.js';
import { emptyQuery, fieldOf, type Filter, type Populate, type PopulateField, type Query, type Sort } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import { namesIn } from '#model/query/parse-list.js';
import { isRecord, type Values } from '#base/values.js';
import type { EngineParameters } from './translate-query.js';

/**
 * Returns a read as parameters of `strapi.db.query(uid)`: the filters of the client and the locale in `where`, the publication
 * state in `filters`, pagination in `offset` and `limit`. Unused parameters are absent.
 */
export function describeRead({ query, plan, id }: PendingRead, { defaultLocale }: BindContext): EngineParameters {
  const { type, window } = plan;
  const parameters = {
    ...describeList(query.isForFields === true ? { ...query, fields: null, populate: emptyQuery.populate } : query),
    ...(id === null && type.kind !== 'singleType' && describeWindow(window)),
  };
  const isLive = type.draftAndPublish && (query.publicationState ?? 'live') === 'live';
  const published = isLive && { filters: onlyPublished };
  if (id !== null) return { ...parameters, where: { id }, ...(query.fallbackLocales !== null && published) };
  const conditions = query.filter === null ? [] : [describeFilter(query.filter)];
  const locale = type.localized && query.locale !== 'all' ? [describeLocale(localesOf(query, defaultLocale))] : null;
  return { ...parameters, ...whereOf(locale, conditions), ...published };
}

/** A condition that only published entries meet. */
export const onlyPublished = { publishedAt: { $notNull: true } };

/** Returns the locale of a query, with those whose entries take the place of missing ones. */
function localesOf({ locale, fallbackLocales }: Query, defaultLocale: string): string | readonly string[] {
  const asked = locale ?? defaultLocale;
  return fallbackLocales === null ? asked : [...new Set([asked, ...fallbackLocales].flat())];
}

/** Returns the page of a read; nothing if all entries are read. */
const describeWindow = ({ skip, limit }: PendingRead['plan']['window']): EngineParameters => ({
  ...((skip > 0 || limit !== null) && { offset: skip }),
  ...(limit !== null && { limit }),
});

const describeLocale = (locale: string | readonly string[]): Values => ({
  locale: typeof locale === 'string' ? locale : { $in: locale },
});

function whereOf(locale: readonly Values[] | null, conditions: readonly Values[]): Pick<EngineParameters, 'where'> {
  if (locale !== null) return { where: { $and: [...locale, ...conditions] } };
  const [where] = conditions;
  return where === undefined ? {} : { where };
}

function describeList({ sort, fields, populate, search }: Query): EngineParameters {
  return {
    ...(sort.length > 0 && { orderBy: sort.map(describeSort) }),
    ...(fields !== null && { select: [...new Set(['id', ...fields.flatMap(namesIn)])] }),
    ...((populate.all || populate.fields.length > 0) && { populate: describePopulate(populate) }),
    ...(search !== null && { _q: search }),
  };
}

/** Returns the conditions, order, selection and search of a query of code, without its page. */
export const describeParameters = ({ filter, ...query }: Query): EngineParameters => ({
  ...describeList({ ...query, filter }),
  ...(filter !== null && { where: describeFilter(filter) }),
});

const describeSort = ({ path, order }: Sort): Values =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), order) as Values; // a path is not empty

/** Returns a filter as an object. Conditions on different names are merged into one object, the usual form in code. */
export function describeFilter(filter: Filter): Values {
  switch (filter.kind) {
    case 'field':
      return { [filter.name]: describeFilter(filter.filter) };
    case 'comparison':
      return { [`$${filter.operator}`]: filter.value };
    case 'quantifier':
      return { [`$${filter.quantifier}`]: describeFilter(filter.filter) };
    case 'near':
      return { $near: filter.value };
    case 'not':
      return { $not: describeFilter(filter.filter) };
    case 'or':
      return { $or: filter.filters.map(describeFilter) };
    case 'and': {
      const parts = filter.filters.map(describeFilter);
      const names = parts.flatMap((part) => Object.keys(part));
      return new Set(names).size === names.length ? (Object.assign({}, ...parts) as Values) : { $and: parts };
    }
  }
}

/** Returns true for all relations, paths if no relation has parameters, otherwise parameters by name. */
function describePopulate(populate: Populate): unknown {
  if (populate.all && populate.fields.length === 0) return true;
  const paths = populate.all ? null : pathsOf(populate);
  if (paths !== null) return paths;
  const fields = populate.fields.map((field) => [field.name, describeField(field)]);
  return { ...(populate.all && { '*': true }), ...(Object.fromEntries(fields) as Values) };
}

function pathsOf({ all, fields }: Populate): string[] | null {
  if (all) return null;
  const paths = fields.map(({ name, query, on, countOnly, reversed }) => {
    const isPlain = isDeepStrictEqual(query, { ...emptyQuery, populate: query.populate, withTotal: false });
    const below = isPlain && on === null && !countOnly && !reversed ? pathsOf(query.populate) : null;
    return below !== null && below.length === 0 ? [name] : (below?.map((path) => `${name}.${path}`) ?? null);
  });
  return paths.includes(null) ? null : paths.flatMap((path) => path ?? []);
}

function describeField({ query, on, countOnly, reversed }: PopulateField): unknown {
  const { filter, pagination, publicationState } = query;
  const window = pagination?.kind === 'offset' ? { offset: pagination.start, limit: pagination.limit ?? -1 } : {};
  const described = {
    ...describeList(query),
    ...(filter !== null && { where: describeFilter(filter) }),
    ...window,
    ...(publicationState !== null && { publicationState }),
    ...(countOnly && { count: true }),
    ...(reversed && { ordering: 'desc' }),
    ...(on !== null && { on: Object.fromEntries([...on].map(([uid, inner]) => [uid, describeQuery(inner)])) }),
  };
  return isRecord(described) && Object.keys(described).length > 0 ? described : true;
}

const describeQuery = (query: Query): unknown => describeField(fieldOf('', query));

/** Returns what the answer of a write is to show, as parameters of `strapi.db.query(uid)`. */
export function describeAnswer({ isForFields, fields, populate }: Query): EngineParameters {
  return isForFields === true ? {} : describeList({ ...emptyQuery, fields, populate });
}

/** Returns what code before a write has changed in its parameters without an effect: all but the data. */
export const ignoredChanges = (params: Values, given: Values, uid: string): readonly Undone[] =>
  Object.keys(params)
    .filter((name) => name !== 'data' && !isDeepStrictEqual(params[name], given[name]))
    .map((name) => ({
      path: ['params', name],
      message: `${uid}: a change of event.params.${name} before a write has no effect`,
      remedy: 'change event.params.data, or write by strapi.db.query(uid)',
    }));
