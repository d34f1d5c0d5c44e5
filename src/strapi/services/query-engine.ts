import { codeAccess, unpagedSettings } from '#api/code/content-of-code.js';
import { withoutHooks, type ContentContext, type WrittenMany } from '#content/content-context.js';
import { create } from '#content/create.js';
import { createMany } from '#content/create-many.js';
import { countEntries, findMany, type FoundPage } from '#content/find-many.js';
import { remove, removeMany } from '#content/remove.js';
import { update } from '#content/update.js';
import { updateMany } from '#content/update-many.js';
import {
  entityOf,
  entityOrNull,
  entryType,
  presentParameters,
  type Entity,
  type EntityOperation as OpenedForCode,
} from '#api/code/entity-service.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { validationError } from '#base/errors.js';
import type { Query } from '#model/query/ast.js';
import { isRecord } from '#base/values.js';
import { groupedRead } from '../content/group-rows.js';
import { engineFilter, engineQuery, offsetWindow, unreadParameters, type EngineParameters } from '../content/translate-query.js';
import type { ReadHooks } from '../content/surrounded-reads.js';
import { componentQuery, missingModel } from '../load/unsupported-code.js';

export type WithData = EngineParameters & { readonly data: object };

/** A page of entries. */
export interface EnginePage {
  readonly results: readonly Entity[];
  readonly pagination: {
    readonly page: number;
    readonly pageSize: number;
    readonly pageCount: number;
    readonly total: number;
  };
}

/** Returns the pagination of a page with at least one place. */
export function pageOf(page: unknown, pageSize: unknown, total: number): EnginePage['pagination'] {
  const size = Math.max(Number(pageSize), 1);
  return { page: Number(page), pageSize: size, pageCount: Math.ceil(total / size), total };
}

/**
 * Reads and writes entries of one content type without the rules of the API: reads include private attributes, drafts and all
 * locales, and required values may be missing. Entries are flat: `{ id, title, author: { id, name } }`. Throws a ValidationError
 * for invalid parameters or data.
 */
export interface QueryEngine {
  findOne(parameters?: EngineParameters): Promise<Entity | null>;
  findMany(parameters?: EngineParameters): Promise<Entity[]>;
  /** Returns the entries, and their total without `limit` and `offset`. As in Strapi v4, it counts entries also if they are grouped. */
  findWithCount(parameters?: EngineParameters): Promise<[Entity[], number]>;
  findPage(parameters?: EngineParameters): Promise<EnginePage>;
  count(parameters?: EngineParameters): Promise<number>;
  create(parameters: WithData): Promise<Entity>;
  /** Creates all entries, or none if one is invalid. */
  createMany(parameters: { readonly data: readonly object[] }): Promise<WrittenMany>;
  /** Updates the first entry that matches `where`. Returns null if there is none. */
  update(parameters: WithData): Promise<Entity | null>;
  /** Sets scalar values of all entries that match `where`. */
  updateMany(parameters: WithData): Promise<WrittenMany>;
  /** Deletes the first entry that matches `where`. Returns its former content; null if there is none. */
  delete(parameters: EngineParameters): Promise<Entity | null>;
  deleteMany(parameters?: EngineParameters): Promise<{ readonly count: number }>;
  /** Returns the value of a relation, component or dynamic zone of an entry; for a list of names all values by name. */
  load(
    entry: { readonly id: number | string },
    names: string | readonly string[],
    parameters?: EngineParameters,
  ): Promise<unknown>;
  /** Returns the entry with the relations in `populate`. */
  populate<Value extends { readonly id: number | string }>(entry: Value, populate: unknown): Promise<Value & Entity>;
}

/** Returns the context of code that works without the rules of the API. */
function engineContext(context: ContentContext): ContentContext {
  const { bind } = context;
  const settings = { ...unpagedSettings(bind.settings), strict: false };
  return {
    ...context,
    createsDrafts: true,
    isRaw: true,
    bind: { ...bind, access: codeAccess, settings },
  };
}

/** `content` returns the current context; `reads` runs the hooks of reads. */
export function createQueryEngine(uid: string, content: () => ContentContext, reads: ReadHooks): QueryEngine {
  const type = content().bind.registry.types.get(uid);
  const missing = type === undefined ? missingModel(uid) : type.kind === 'component' ? componentQuery(uid) : null;
  if (missing !== null) throw missing;
  const open = (): Opened => {
    const context = engineContext(content());
    return { type: entryType(uid, context.bind.registry), context };
  };
  const read = (parameters: EngineParameters): Promise<Entity[]> => readMany(presentParameters(parameters), open());
  const findFirst = async (parameters: EngineParameters): Promise<Entity | null> =>
    (await read({ ...parameters, limit: 1 }))[0] ?? null;
  const count = (parameters: EngineParameters): Promise<number> => countAll(parameters, open());
  const counted = (parameters: EngineParameters): Promise<number> => reads.run('Count', { uid, params: parameters }, count);
  const many = (parameters: EngineParameters): Promise<Entity[]> => reads.run('FindMany', { uid, params: parameters }, read);
  return {
    findOne: (parameters = {}) => reads.run('FindOne', { uid, params: parameters }, findFirst),
    findMany: (parameters = {}) => many(parameters),
    findWithCount: async (parameters = {}) => [await many(parameters), await counted(parameters)],
    findPage: (parameters = {}) => findPage(parameters, many, counted),
    count: (parameters = {}) => counted(parameters),
    load: async ({ id }, names, parameters = {}) => {
      for (const name of [names].flat()) refuseScalar(open().type, name);
      const populate = Object.fromEntries([names].flat().map((name) => [name, parameters]));
      const entry = await findFirst({ where: { id }, select: 'id', populate });
      if (typeof names === 'string') return (entry?.[names] ?? null) as unknown;
      return Object.fromEntries(names.map((name) => [name, (entry?.[name] ?? null) as unknown]));
    },
    populate: async (entry, populate) => ({
      ...entry,
      ...(await findFirst({ where: { id: entry.id }, select: 'id', populate })),
      id: Number(entry.id),
    }),
    ...engineWrites(open),
  };
}

/** Throws an Error, as Strapi v4 does, unless an attribute has entries or components as its value. */
function refuseScalar({ attributes }: ContentType, name: string): void {
  if ((attributes.get(name)?.kind ?? 'scalar') === 'scalar')
    throw new Error(`Invalid load. Expected ${name} to be a relational attribute`);
}

type Opened = Omit<OpenedForCode, 'query'>;

type Writes = Pick<QueryEngine, 'create' | 'createMany' | 'update' | 'updateMany' | 'delete' | 'deleteMany'>;

function engineWrites(open: () => Opened): Writes {
  return {
    create: async ({ data, ...parameters }) => {
      const { type, context } = open();
      return entityOf(await create(type, data, answerQuery(parameters, context), context));
    },
    createMany: async ({ data }) => {
      if (!Array.isArray(data)) throw validationError('createMany expects data to be a list');
      const { type, context } = open();
      return createMany(type, data, context);
    },
    update: async ({ data, ...parameters }) =>
      onFirst('Update', parameters, open(), (entry, query, context) => update(entry, { data, query }, context)),
    updateMany: async ({ data, ...parameters }) => {
      const opened = open();
      return updateMany(entriesOf(parameters, opened), data, opened.context);
    },
    delete: async (parameters) => onFirst('Delete', parameters, open(), remove),
    deleteMany: async (parameters = {}) => {
      const opened = open();
      return removeMany(entriesOf(parameters, opened), opened.context);
    },
  };
}

async function readMany(parameters: EngineParameters, opened: Opened): Promise<Entity[]> {
  const { type, context } = opened;
  for (const text of unreadParameters(parameters)) context.notices.logOnce(`strapi.db.query('${type.uid}'): ${text}`);
  if (offsetWindow(parameters).limit === 0) return [];
  const grouped = groupedRead<Entity>(parameters, type);
  const rows = (await readPage(grouped?.parameters ?? parameters, opened)).entries.map(entityOf);
  return grouped === null ? rows : grouped.group(rows);
}

const readPage = (parameters: EngineParameters, { type, context }: Opened): Promise<FoundPage> =>
  findMany(type, engineQuery(parameters, context.bind.limits), withoutHooks(context));

async function countAll({ where, filters, _q }: EngineParameters, { type, context }: Opened): Promise<number> {
  const query = engineQuery(presentParameters({ where, filters, _q }), context.bind.limits);
  return countEntries(type, query, withoutHooks(context));
}

async function findPage(
  { page: givenPage, pageSize: givenSize, ...parameters }: EngineParameters,
  read: (parameters: EngineParameters) => Promise<Entity[]>,
  count: (parameters: EngineParameters) => Promise<number>,
): Promise<EnginePage> {
  const { page = 1, pageSize = 10 } = presentParameters({ page: givenPage, pageSize: givenSize });
  const limit = Math.max(Number(pageSize), 1);
  const results = await read({ ...parameters, offset: (Math.max(Number(page), 1) - 1) * limit, limit });
  return { results, pagination: pageOf(page, pageSize, await count(parameters)) };
}

/** Returns the selection on a written entry. */
function answerQuery({ select, populate }: EngineParameters, { bind }: ContentContext): Query {
  return engineQuery(presentParameters({ select, populate }), bind.limits);
}

function entriesOf(parameters: EngineParameters, { type, context }: Opened): Parameters<typeof removeMany>[0] {
  const { where } = parameters;
  return { type, filter: engineFilter(parameters, context.bind.limits), where: isRecord(where) ? where : {} };
}

/** Writes the first entry that matches `where`. Throws an Error if there are no conditions, as Strapi v4 does. */
async function onFirst(
  verb: string,
  parameters: EngineParameters,
  { type, context }: Opened,
  write: (entry: Parameters<typeof remove>[0], query: Query, context: ContentContext) => Promise<LoadedEntry | null>,
): Promise<Entity | null> {
  const { where } = parameters;
  if (!isRecord(where) || Object.keys(where).length === 0) throw new Error(`${verb} requires a where parameter`);
  const [first] = (await readPage({ where, select: 'id', limit: 1 }, { type, context })).entries;
  if (first === undefined) return null;
  const id = Number(first.document['_id']);
  return entityOrNull(await write({ type, id, where }, answerQuery(parameters, context), context));
}
