import type { Row } from '../../code/rows.js';
import type { EntryResult, ListResult } from '../results.js';
import type { Entity, EntityService } from '../../code/entity-service.js';
import { isRecord, type Values } from '../../values.js';
import type { BuilderTools } from './builder-tools.js';
import type { ModelLike } from './naming.js';

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

/** The functions of generated fields, for calls by custom fields. They return entities, not responses. */
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
    find: (_parent, args) => entities.findMany(contentType.uid, tools.transformArgs(args, { contentType, usePagination: true })),
    findOne: (_parent, { id }) => entities.findOne(contentType.uid, String(id)),
  }),
  buildMutationsResolvers: ({ contentType: { uid } }) => ({
    create: (_parent, args) => entities.create(uid, { data: dataOf(args) }),
    update: (_parent, { id, ...args }) => entities.update(uid, String(id), { data: dataOf(args) }),
    delete: (_parent, { id }) => entities.delete(uid, String(id)),
  }),
});

const dataOf = ({ data }: Values): object => (isRecord(data) ? { ...data } : {});
