import { createRequire } from 'node:module';
import type { core } from 'nexus';
import type * as nexus from 'nexus';
import type { Row } from '../../code/rows.js';
import type { EntryResult, ListResult } from '../results.js';
import type { Entity, EntityService } from '../../code/entity-service.js';
import type { ContentType } from '#model/schema/content-type.js';
import { isRecord, type Values } from '#base/values.js';
import { type PageSettings, parsePagination } from '../selection/parse-list-arguments.js';
import { filtersName } from '../type-names.js';
import type { ModelLike } from './naming.js';

/** Tools for custom fields with the arguments of generated ones. */
export interface BuilderTools {
  /**
   * Converts GraphQL arguments to parameters of the entity service: operators get a `$`, and with `usePagination`, `pagination`
   * becomes `start` and `limit`.
   */
  readonly transformArgs: (
    args: Values,
    options: { readonly contentType: ModelLike; readonly usePagination?: boolean },
  ) => Record<string, unknown>;
  /**
   * Returns the arguments of a generated field in the form of Nexus: those of a list, or of a single entry if `multiple` is
   * false.
   */
  readonly getContentTypeArgs: (contentType: ModelLike, options?: { readonly multiple?: boolean }) => core.ArgsRecord;
}

/** Converts GraphQL filters to filters of the entity service. */
export type FilterMapper = (filters: Values | null | undefined, contentType: ModelLike) => Record<string, unknown>;

interface ToolsInput {
  readonly typeOf: (model: ModelLike) => ContentType;
  readonly toFilters: FilterMapper;
  /** Page sizes of GraphQL. */
  readonly pages: PageSettings;
}

export const createBuilderTools = ({ typeOf, toFilters, pages }: ToolsInput): BuilderTools => ({
  transformArgs: ({ filters, pagination, ...rest }, { contentType, usePagination = false }) => {
    const transformed: Record<string, unknown> = { ...rest };
    if (isRecord(filters)) transformed['filters'] = toFilters(filters, contentType);
    if (!usePagination) return pagination === undefined ? transformed : { ...transformed, pagination };
    const { start, limit } = parsePagination(isRecord(pagination) ? pagination : null, pages);
    return { ...transformed, start, limit };
  },
  getContentTypeArgs: (model, { multiple = true } = {}) => {
    const type = typeOf(model);
    const { arg } = loadNexus();
    const locale = type.localized ? { locale: arg({ type: 'I18NLocaleCode' }) } : {};
    const state = type.draftAndPublish ? { publicationState: sharedArguments().PublicationStateArg } : {};
    if (type.kind === 'singleType') return { ...state, ...locale };
    if (!multiple) return { ...(type.kind === 'collectionType' && { id: arg({ type: 'ID' }) }), ...locale };
    return { ...listArguments(type), ...state, ...locale };
  },
});

function listArguments(type: ContentType): core.ArgsRecord {
  const { PaginationArg: pagination, SortArg: sort } = sharedArguments();
  return { filters: loadNexus().arg({ type: filtersName(type) }), pagination, sort };
}

/** The arguments that generated fields share, by their names in Strapi v4. */
type SharedArguments = Readonly<Record<'PaginationArg' | 'PublicationStateArg' | 'SortArg', core.NexusArgDef<string>>>;

/** Returns the arguments that generated fields share. */
export function sharedArguments(): SharedArguments {
  const { arg, list } = loadNexus();
  return {
    PaginationArg: arg({ type: 'PaginationArg', default: {} }),
    PublicationStateArg: arg({ type: 'PublicationState', default: 'live' }),
    SortArg: arg({ type: list('String'), default: [] }),
  };
}

export type Nexus = typeof nexus;

const load = createRequire(import.meta.url);

/** Loads Nexus on first use, because that takes 180 ms and most services do not use it. */
export const loadNexus = (): Nexus => load('nexus') as Nexus; // the package `nexus`

/** The arguments that a value was read with. */
export interface ReturnInfo {
  /** Arguments as `transformArgs` returns them. `start` and `limit` determine the pagination. */
  readonly args?: Readonly<Record<string, unknown>>;
  readonly resourceUID?: string;
}

/** Converts entities to values of generated response types. Attributes that a query selects below them are read on demand. */
export interface ReturnTypes {
  readonly toEntityResponse: (
    value: Entity | Row | null | undefined,
    info?: ReturnInfo,
  ) => EntryResult & { readonly info: ReturnInfo };
  /** If `meta.pagination` is selected, its total is counted with the filters of `args`. */
  readonly toEntityResponseCollection: (
    nodes: readonly (Entity | Row)[] | null | undefined,
    info?: ReturnInfo,
  ) => ListResult & { readonly info: ReturnInfo };
}

export const createReturnTypes = (entities: EntityService): ReturnTypes => ({
  toEntityResponse: (value, info = {}) => ({ value: value ?? null, info }),
  toEntityResponseCollection: (nodes, info = {}) => {
    const { args = {}, resourceUID } = info;
    const limit = numberOf(args['limit']);
    return {
      nodes: nodes ?? [],
      total: null,
      start: numberOf(args['start']) ?? 0,
      limit: limit === null || limit < 0 ? null : limit,
      ...(resourceUID !== undefined && { count: () => entities.count(resourceUID, withoutPage(args)) }),
      info,
    };
  },
});

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const countKeys = ['filters', 'publicationState', 'locale', '_q'];

const withoutPage = (args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(args).filter(([key]) => countKeys.includes(key)));

export interface OfType {
  readonly contentType: ModelLike;
}

/**
 * The functions of generated fields, for calls by custom fields. They return entities, not responses. `find` takes what `transformArgs`
 * returns, or arguments of GraphQL; it returns all entries if they name no page.
 */
export interface QueriesBuilder {
  readonly buildQueriesResolvers: (of: OfType) => {
    readonly find: (parent: unknown, args: Values) => Promise<Entity[]>;
    readonly findOne: (parent: unknown, args: Values) => Promise<Entity | null>;
  };
  readonly buildMutationsResolvers: (of: OfType) => {
    readonly create: (parent: unknown, args: Values) => Promise<Entity>;
    readonly update: (parent: unknown, args: Values) => Promise<Entity | null>;
    readonly delete: (parent: unknown, args: Values) => Promise<Entity | null>;
  };
}

export const createQueriesBuilder = (entities: EntityService, tools: BuilderTools): QueriesBuilder => ({
  buildQueriesResolvers: ({ contentType }) => ({
    find: (_parent, args) => entities.findMany(contentType.uid, parametersOf(args, contentType, tools)),
    findOne: (_parent, { id }) => entities.findOne(contentType.uid, String(id)),
  }),
  buildMutationsResolvers: ({ contentType: { uid } }) => ({
    create: (_parent, args) => entities.create(uid, { data: dataOf(args) }),
    update: (_parent, { id, ...args }) => entities.update(uid, String(id), { data: dataOf(args) }),
    delete: (_parent, { id }) => entities.delete(uid, String(id)),
  }),
});

/** Returns parameters of the entity service: `transformArgs` has returned them already, as in Strapi v4, or they are arguments of GraphQL. */
function parametersOf({ filters, ...args }: Values, contentType: ModelLike, { transformArgs }: BuilderTools): Values {
  const parameters = transformArgs(args, { contentType, usePagination: 'pagination' in args });
  if (!isRecord(filters)) return parameters;
  return hasOperator(filters) ? { ...parameters, filters } : { ...parameters, ...transformArgs({ filters }, { contentType }) };
}

/** Returns whether filters have an operator of the entity service, such as `$eq`. */
const hasOperator = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(hasOperator)
    : isRecord(value) && Object.entries(value).some(([key, inner]) => key.startsWith('$') || hasOperator(inner));

const dataOf = ({ data }: Values): object => (isRecord(data) ? { ...data } : {});
