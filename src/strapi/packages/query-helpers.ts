import type { ContentContext } from '#content/content-context.js';
import { entryType, presentParameters, withKnownFilters } from '#api/code/entity-service.js';
import { parseQuery } from '#model/query/parse-query.js';
import type { Values } from '#base/values.js';
import { describeParameters, onlyPublished } from '../content/translate-read.js';
import type { EngineParameters } from '../content/translate-query.js';
import { errorClasses } from './error-classes.js';

interface Model {
  readonly uid: string;
  readonly options?: { readonly draftAndPublish?: boolean };
}

/** Returns `convertQueryParams` of @strapi/utils: parameters of the entity service become those of `strapi.db.query`. */
export function queryConversions(content: () => ContentContext) {
  const describe = (uid: string, given: Values): EngineParameters => {
    const context = content();
    const { registry, limits } = context.bind;
    return describeParameters(parseQuery(withKnownFilters(presentParameters(given), entryType(uid, registry), context), limits));
  };
  const convertPublicationStateParams = (
    { options }: Model,
    { publicationState }: Values,
    query: Record<string, unknown>,
  ): void => {
    if (publicationState === 'live' && options?.draftAndPublish === true) query['filters'] = onlyPublished;
  };
  return {
    /** Takes the uid of a content type. Throws a ValidationError for invalid parameters. */
    transformParamsToQuery: (uid: string, given: Values = {}): EngineParameters => {
      const { page, pageSize, start, limit, publicationState, ...parameters } = presentParameters(given);
      const { draftAndPublish } = entryType(uid, content().bind.registry);
      const query: Record<string, unknown> = { ...describe(uid, { ...parameters, locale: undefined }) };
      if (page !== undefined) query['page'] = wholeNumber('page', page, 1);
      if (pageSize !== undefined) query['pageSize'] = wholeNumber('pageSize', pageSize, 1);
      if (start !== undefined) query['offset'] = wholeNumber('start', start);
      if (limit !== undefined) query['limit'] = convertLimitQueryParams(limit);
      convertPublicationStateParams({ uid, options: { draftAndPublish } }, { publicationState }, query);
      return query;
    },
    convertSortQueryParams: (sort: unknown) => describe(anyType(content()), { sort }).orderBy,
    convertFieldsQueryParams: (fields: unknown) => (fields === '*' ? undefined : fieldList(fields)),
    convertPopulateQueryParams: (populate: unknown, { uid }: Model) => describe(uid, { populate }).populate,
    convertFiltersQueryParams: (filters: unknown, { uid }: Model) => describe(uid, { filters }).where ?? {},
    convertStartQueryParams: (start: unknown) => wholeNumber('start', start),
    convertLimitQueryParams,
    convertPublicationStateParams,
  };
}

/** Returns the uid of some type, for parameters whose form does not depend on it. */
const anyType = ({ bind: { registry } }: ContentContext): string => [...registry.types.values()].find(isContent)?.uid ?? '';

const isContent = ({ kind }: { readonly kind: string }): boolean => kind !== 'component';

/** Returns a limit; undefined for -1, which means all entries. */
const convertLimitQueryParams = (limit: unknown): number | undefined =>
  Number(limit) === -1 ? undefined : wholeNumber('limit', limit);

function wholeNumber(name: string, value: unknown, least = 0): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < least)
    throw new errorClasses.ValidationError(`${name} must be a whole number of at least ${String(least)}, not ${String(value)}`);
  return number;
}

const fieldList = (fields: unknown): string[] => [
  ...new Set([
    'id',
    ...[fields].flat().flatMap((field) =>
      String(field)
        .split(',')
        .map((name) => name.trim()),
    ),
  ]),
];

interface PageDefaults {
  readonly offset?: { readonly start?: number; readonly limit?: number };
  readonly page?: { readonly page?: number; readonly pageSize?: number };
}

/** `pagination` of @strapi/utils. */
export const paginationHelpers = {
  /** Returns parameters with `start` and `limit` in the place of any form of pagination. `maxLimit` bounds the limit, unless it is -1. */
  withDefaultPagination: (
    { start, limit, page, pageSize, ...others }: Readonly<Record<string, unknown>>,
    { defaults = {}, maxLimit = -1 }: { readonly defaults?: PageDefaults; readonly maxLimit?: number } = {},
  ): Values => {
    const isGiven = (...values: readonly unknown[]): boolean => values.some((value) => (value ?? null) !== null);
    if (isGiven(start, limit) && isGiven(page, pageSize))
      throw new errorClasses.PaginationError('Cannot use both page & offset pagination in the same query');
    const size = Math.max(1, Number(pageSize ?? 0));
    const first = Number(page ?? defaults.page?.page ?? 1);
    const window = isGiven(page, pageSize)
      ? { start: (first - 1) * size, limit: size }
      : { start: Number(start ?? defaults.offset?.start ?? 0), limit: Number(limit ?? defaults.offset?.limit ?? 10) };
    const bounded = window.limit === -1 ? maxLimit : Math.max(window.limit, 1);
    const isBeyond = maxLimit !== -1 && bounded > maxLimit;
    return { ...others, start: Math.max(window.start, 0), limit: isBeyond ? maxLimit : bounded };
  },
};
