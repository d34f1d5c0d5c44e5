import { withoutHooks, type ContentContext } from '../../content/content-context.js';
import { create } from '../../content/create.js';
import { findMany } from '../../content/find-many.js';
import { findOne, findSingle } from '../../content/find-one.js';
import { remove } from '../../content/remove.js';
import { removeSingle, updateSingle } from '../../content/single-type.js';
import { update } from '../../content/update.js';
import { entityOf, entryType, type Entity, withKnownFilters } from '../../code/entity-service.js';
import type { Loaded } from '../../mongo/form/loaded.js';
import type { Query } from '../../query/ast.js';
import { parseQuery } from '../../query/parse-query.js';
import { showPagination } from '../../rest/envelope.js';
import type { ContentType } from '../../schema/content-type.js';
import { isRecord, type Values, decodeId } from '../../values.js';
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

interface Opened {
  readonly type: ContentType;
  readonly context: ContentContext;
  readonly query: Query;
}

type Open = (parameters?: Parameters) => Opened;
/** Stores the files of a write. Returns the entry with its files. */
type WithFiles = (entry: Loaded | null, parameters: WithData, opened: Opened) => Promise<Entity | null>;

/** Returns the service that Strapi v4 generates for a content type. Its methods look up the model on each call. */
export function createCoreService(uid: string, { contextFor, attachFiles }: ServiceParts): Service {
  const open: Open = (parameters = {}) => {
    const context = contextFor(uid);
    const given = Object.fromEntries(Object.entries(parameters).filter(([name]) => !['data', 'files'].includes(name)));
    const type = entryType(uid, context.bind.registry);
    const known = context.bind.access.seesPrivate === true ? withKnownFilters(given, type, context) : given;
    const query = parseQuery({ publicationState: 'live', ...known }, context.bind.limits);
    return { context, type, query: { ...query, withLocales: false, includePrivate: true } };
  };
  const withFiles: WithFiles = async (entry, { files }, { type, context, query }) => {
    if (entry === null) return null;
    const id = Number(entry.document['_id']);
    return shown((await attachFiles(uid, id, files)) ? await findOne(type, id, query, withoutHooks(context)) : entry);
  };
  return { ...coreReads(open), ...coreWrites(open, withFiles) };
}

const shown = (entry: Loaded | null): Entity | null => (entry === null ? null : entityOf(entry));

function coreReads(open: Open): Service {
  const reads: Service = {
    getFetchParams: (parameters: Parameters = {}): Parameters => ({ publicationState: 'live', ...parameters }),
    // Projects override getFetchParams, so that it is called by `this`.
    async find(this: Service | undefined, parameters?: Parameters) {
      const { type, context, query } = open((this ?? reads)['getFetchParams'](parameters) as Parameters);
      if (type.kind === 'singleType') return shown(await findSingle(type, query, context));
      const page = await findMany(type, query, context);
      return { results: page.entries.map(entityOf), pagination: showPagination(page) };
    },
    async findOne(this: Service | undefined, id: unknown, parameters?: Parameters) {
      const { type, context, query } = open((this ?? reads)['getFetchParams'](parameters) as Parameters);
      return shown(await findOne(type, decodeId(id), query, context));
    },
  };
  return reads;
}

const coreWrites = (open: Open, withFiles: WithFiles): Service => ({
  create: async (parameters: WithData = {}) => {
    const opened = open(parameters);
    const { type, context, query } = opened;
    return withFiles(await create(type, parameters.data ?? {}, query, context), parameters, opened);
  },
  update: async (id: unknown, parameters: WithData = {}) => {
    const opened = open(parameters);
    const { type, context, query } = opened;
    const input = { data: parameters.data ?? {}, query };
    return withFiles(await update({ type, id: decodeId(id) }, input, context), parameters, opened);
  },
  createOrUpdate: async (parameters: WithData = {}) => {
    const opened = open(parameters);
    const { type, context, query } = opened;
    return withFiles(await updateSingle({ type }, { data: parameters.data ?? {}, query }, context), parameters, opened);
  },
  /** Takes the parameters alone for a single type. */
  delete: async (id: unknown, parameters?: Parameters) => {
    const isSingle = isRecord(id) || id === undefined;
    const { type, context, query } = open(isSingle ? id : parameters);
    return shown(await (isSingle ? removeSingle({ type }, query, context) : remove({ type, id: decodeId(id) }, query, context)));
  },
});
