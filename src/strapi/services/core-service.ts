import { withoutHooks, type ContentContext } from '#content/content-context.js';
import { create } from '#content/create.js';
import { findMany } from '#content/find-many.js';
import { findOne, findSingle } from '#content/find-one.js';
import { remove } from '#content/remove.js';
import { removeSingle, updateSingle } from '#content/single-type.js';
import { update } from '#content/update.js';
import {
  entityOf,
  entityOrNull,
  entryType,
  type Entity,
  type EntityOperation,
  presentParameters,
  withKnownFilters,
} from '#api/code/entity-service.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { parseQuery } from '#model/query/parse-query.js';
import { showPagination } from '#api/rest/envelope.js';
import { isRecord, type Values, decodeId } from '#base/values.js';
import type { AttachFiles } from './upload-service.js';

/** Parameters of REST as an object. */
type Parameters = Values;
/** `files` contains files by attribute. */
type WithData = Parameters & { readonly data?: unknown; readonly files?: unknown };

/** A service, by method. Methods of the project override those of `createCoreService`. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a project's own methods take is for it to say
export type Service = Record<string, any>;

interface ServiceParts {
  /**
   * Returns the context of operations on a content type: with the rights of the caller during a core action, otherwise with all
   * rights.
   */
  readonly contextFor: (uid: string) => ContentContext;
  readonly attachFiles: AttachFiles;
}

type Open = (parameters?: Parameters) => EntityOperation;

/** Returns the service that Strapi v4 generates for a content type. Its methods look up the model on each call. */
export function createCoreService(uid: string, { contextFor, attachFiles }: ServiceParts): Service {
  const open: Open = (parameters = {}) => {
    const context = contextFor(uid);
    const given = Object.fromEntries(Object.entries(parameters).filter(([name]) => !['data', 'files'].includes(name)));
    const type = entryType(uid, context.bind.registry);
    const known = context.bind.access.seesPrivate === true ? withKnownFilters(presentParameters(given), type, context) : given;
    const query = parseQuery({ publicationState: 'live', ...known }, context.bind.limits);
    return { context, type, query: { ...query, withLocales: false, includePrivate: true } };
  };
  /** Writes an entry, and then stores its files. Returns the entry with them. */
  const write: Write = async (parameters = {}, work) => {
    const opened = open(parameters);
    const entry = await work(opened, parameters.data ?? {});
    if (entry === null) return null;
    const { type, context, query } = opened;
    const id = Number(entry.document['_id']);
    const hasFiles = await attachFiles(uid, id, parameters.files);
    return entityOrNull(hasFiles ? await findOne(type, id, query, withoutHooks(context)) : entry);
  };
  return { ...coreReads(open), ...coreWrites(write), delete: coreDelete(open) };
}

function coreReads(open: Open): Service {
  const reads: Service = {
    getFetchParams: (parameters: Parameters = {}): Parameters => ({ publicationState: 'live', ...parameters }),
    // Projects override getFetchParams, so that it is called by `this`.
    async find(this: Service | undefined, parameters?: Parameters) {
      const { type, context, query } = open((this ?? reads)['getFetchParams'](parameters) as Parameters);
      if (type.kind === 'singleType') return entityOrNull(await findSingle(type, query, context));
      const page = await findMany(type, query, context);
      return { results: page.entries.map(entityOf), pagination: showPagination(page) };
    },
    async findOne(this: Service | undefined, id: unknown, parameters?: Parameters) {
      const { type, context, query } = open((this ?? reads)['getFetchParams'](parameters) as Parameters);
      return entityOrNull(await findOne(type, decodeId(id), query, context));
    },
  };
  return reads;
}

type Write = (
  parameters: WithData | undefined,
  work: (opened: EntityOperation, data: unknown) => Promise<LoadedEntry | null>,
) => Promise<Entity | null>;

const coreWrites = (write: Write): Service => ({
  create: (parameters?: WithData) => write(parameters, ({ type, query, context }, data) => create(type, data, query, context)),
  update: (id: unknown, parameters?: WithData) =>
    write(parameters, ({ type, query, context }, data) => update({ type, id: decodeId(id) }, { data, query }, context)),
  createOrUpdate: (parameters?: WithData) =>
    write(parameters, ({ type, query, context }, data) => updateSingle({ type }, { data, query }, context)),
});

/** Returns the method that deletes an entry. It takes the parameters alone for a single type. */
const coreDelete = (open: Open) => async (id: unknown, parameters?: Parameters) => {
  const isSingle = isRecord(id) || id === undefined;
  const { type, context, query } = open(isSingle ? id : parameters);
  const removed = isSingle ? removeSingle({ type }, query, context) : remove({ type, id: decodeId(id) }, query, context);
  return entityOrNull(await removed);
};
