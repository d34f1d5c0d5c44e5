import type { ContentContext } from '../content/content-context.js';
import { create } from '../content/create.js';
import { findMany } from '../content/find-many.js';
import { findOne, findSingle } from '../content/find-one.js';
import { remove } from '../content/remove.js';
import { removeSingle, updateSingle } from '../content/single-type.js';
import { update } from '../content/update.js';
import { entityOf, entryType, type Entity } from '../graphql/extension/entity-service.js';
import type { Loaded } from '../mongo/loaded.js';
import type { Query } from '../query/ast.js';
import { parseQuery } from '../query/parse-query.js';
import { showPagination } from '../rest/envelope.js';
import type { ContentType } from '../schema/content-type.js';
import { isRecord, type Values, decodeId } from '../values.js';

/** The parameters of REST, as an object. */
type Parameters = Values;
type WithData = Parameters & { readonly data?: unknown };

/** A service by its methods; those of `createCoreService` are overridden by those of the project. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a project's own methods take is for it to say
export type Service = Record<string, any>;

/** The inputs of the methods of core services. */
interface ServiceParts {
  /**
   * Returns the current context of operations on a type: with the rights of the caller within a core action, else with all
   * rights.
   */
  readonly contextFor: (uid: string) => ContentContext;
}

interface Opened {
  readonly type: ContentType;
  readonly context: ContentContext;
  readonly query: Query;
}

/** Returns the service that Strapi v4 generates for a content type; its methods read the model when they are called. */
export function createCoreService(uid: string, { contextFor }: ServiceParts): Service {
  const open = (parameters: Parameters = {}): Opened => {
    const context = contextFor(uid);
    const given = Object.fromEntries(Object.entries(parameters).filter(([name]) => !['data', 'files'].includes(name)));
    const query = parseQuery({ publicationState: 'live', ...given }, context.bind.limits);
    return {
      context,
      type: entryType(uid, context.bind.registry),
      query: { ...query, withLocales: false, includePrivate: true },
    };
  };
  const getFetchParams = (parameters: Parameters = {}): Parameters => ({ publicationState: 'live', ...parameters });
  const isSingle = (): boolean => entryType(uid, contextFor(uid).bind.registry).kind === 'singleType';
  const methods = { ...listMethods(open), ...singleMethods(open) };
  return {
    getFetchParams,
    find: (parameters?: Parameters) => (isSingle() ? methods.findSingle(parameters) : methods.find(parameters)),
    findOne: methods.findOne,
    create: methods.create,
    update: methods.update,
    createOrUpdate: methods.createOrUpdate,
    delete: (id: unknown, parameters?: Parameters) =>
      isRecord(id) || id === undefined ? methods.deleteSingle(id) : methods.delete(id, parameters),
  };
}

type Open = (parameters?: Parameters) => Opened;

const shown = (entry: Loaded | null): Entity | null => (entry === null ? null : entityOf(entry));

const listMethods = (open: Open) => ({
  find: async (parameters?: Parameters) => {
    const { type, context, query } = open(parameters);
    const page = await findMany(type, query, context);
    return { results: page.entries.map(entityOf), pagination: showPagination(page.pagination, page.total) };
  },
  findOne: async (id: unknown, parameters?: Parameters) => {
    const { type, context, query } = open(parameters);
    return shown(await findOne(type, decodeId(id), query, context));
  },
  create: async (parameters: WithData = {}) => {
    const { type, context, query } = open(parameters);
    return shown(await create(type, parameters.data ?? {}, query, context));
  },
  update: async (id: unknown, parameters: WithData = {}) => {
    const { type, context, query } = open(parameters);
    return shown(await update(type, decodeId(id), parameters.data ?? {}, query, context));
  },
  delete: async (id: unknown, parameters?: Parameters) => {
    const { type, context, query } = open(parameters);
    return shown(await remove(type, decodeId(id), query, context));
  },
});

const singleMethods = (open: Open) => ({
  findSingle: async (parameters?: Parameters) => {
    const { type, context, query } = open(parameters);
    return shown(await findSingle(type, query, context));
  },
  createOrUpdate: async (parameters: WithData = {}) => {
    const { type, context, query } = open(parameters);
    return shown(await updateSingle(type, parameters.data ?? {}, query, context));
  },
  deleteSingle: async (parameters?: Parameters) => {
    const { type, context, query } = open(parameters);
    return shown(await removeSingle(type, query, context));
  },
});
