import type { ContentContext } from '#content/content-context.js';
import { create } from '#content/create.js';
import { countEntries, findMany } from '#content/find-many.js';
import { findOne } from '#content/find-one.js';
import { refuseOrLog, type Undone } from '#content/refuse-or-log.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { remove } from '#content/remove.js';
import { update } from '#content/update.js';
import { invalidParameter } from '#base/errors.js';
import { didYouMean } from '#base/nearest-name.js';
import type { Query } from '#model/query/ast.js';
import { knownFilters, type DroppedCondition } from '#model/query/known-filters.js';
import { parseQuery } from '#model/query/parse-query.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { decodeId, isPlainObject, mapValues, type Values } from '#base/values.js';
import { unpagedSettings } from './content-of-code.js';
import { shapeEntity, markLoadedByExtension } from './rows.js';

/** Parameters of REST as an object. Pagination may also be at the top level: `{ start: 0, limit: 5 }`. */
export type EntityParameters = Readonly<Record<string, unknown>>;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the model decides which values an entry has
export type Entity = Record<string, any> & { readonly id: number };

export type EntityId = number | string;

/**
 * Reads and writes entries for custom code, with all rights. Entries are flat: `{ id, title, author: { id, name } }`. They
 * include private attributes, and relations in `populate`. By default reads include drafts (`publicationState: 'live'` excludes
 * them), have no limit, and are in the default locale (`locale` selects another). Created entries are drafts unless they have
 * `publishedAt`. Throws a ValidationError for invalid parameters or data.
 */
export interface EntityService {
  findMany(uid: string, parameters?: EntityParameters): Promise<Entity[]>;
  findOne(uid: string, id: EntityId, parameters?: EntityParameters): Promise<Entity | null>;
  create(uid: string, parameters: EntityParameters & { readonly data: object }): Promise<Entity>;
  /** Returns null if there is no such entry. */
  update(uid: string, id: EntityId, parameters: EntityParameters & { readonly data: object }): Promise<Entity | null>;
  /** Returns the former content of the entry; null if there is none. */
  delete(uid: string, id: EntityId, parameters?: EntityParameters): Promise<Entity | null>;
  count(uid: string, parameters?: EntityParameters): Promise<number>;
}

/** `content` returns a context of the registry in force, with all rights. */
export function createEntityService(content: () => ContentContext): EntityService {
  const open = (uid: string, parameters?: EntityParameters | null): EntityOperation => openType(uid, parameters ?? {}, content());
  const one = async (opened: EntityOperation, entityId: EntityId, work: OnEntry): Promise<Entity | null> => {
    const id = decodeId(entityId);
    return id === 0 ? null : entityOrNull(await work(opened, id));
  };
  return {
    findMany: async (uid, parameters) => {
      const { type, query, context } = open(uid, parameters);
      if (isNone(parameters?.['limit'])) return []; // REST would return one entry
      const { entries } = await findMany(type, { ...query, withTotal: false }, context);
      return entries.map(entityOf);
    },
    findOne: async (uid, entityId, parameters) =>
      one(open(uid, parameters), entityId, ({ type, query, context }, id) => findOne(type, id, query, context)),
    create: async (uid, { data, ...parameters }) => {
      const { type, query, context } = open(uid, parameters);
      return entityOf(await create(type, data, query, context));
    },
    update: async (uid, entityId, { data, ...parameters }) =>
      one(open(uid, parameters), entityId, ({ type, query, context }, id) => update({ type, id }, { data, query }, context)),
    delete: async (uid, entityId, parameters) =>
      one(open(uid, parameters), entityId, ({ type, query, context }, id) => remove({ type, id }, query, context)),
    count: async (uid, parameters) => {
      const { type, query, context } = open(uid, parameters);
      return countEntries(type, query, context);
    },
  };
}

/** Returns whether a limit is zero. */
const isNone = (limit: unknown): boolean => limit === 0 || (typeof limit === 'string' && limit !== '' && Number(limit) === 0);

/** What an operation on entries of a type works with. */
export interface EntityOperation {
  readonly type: ContentType;
  readonly query: Query;
  readonly context: ContentContext;
}

type OnEntry = (opened: EntityOperation, id: number) => Promise<LoadedEntry | null>;

function openType(uid: string, given: EntityParameters, context: ContentContext): EntityOperation {
  const { registry, limits, settings } = context.bind;
  const type = entryType(uid, registry);
  const { publicationState = 'preview', ...rest } = withPagination(presentParameters(given));
  const query = parseQuery({ ...withKnownFilters(rest, type, context), publicationState }, limits);
  if (query.pagination?.kind === 'cursor') throw invalidParameter('pagination'); // the result has no place for cursors
  const pagination = query.pagination ?? { kind: 'offset', start: 0, limit: -1, withCount: false };
  const bind = { ...context.bind, settings: unpagedSettings(settings) };
  return {
    type,
    query: { ...withoutDrafts(query, given), pagination, withLocales: false, includePrivate: true },
    context: { ...context, bind, createsDrafts: true },
  };
}

/** Returns a query of code, which sees drafts beside published entries only if it names the publication state. */
function withoutDrafts({ showsDrafts, ...query }: Query, { publicationState }: EntityParameters): Query {
  return showsDrafts === true && publicationState === 'preview' ? { ...query, showsDrafts } : query;
}

const pageKeys = ['start', 'limit', 'page', 'pageSize', 'withCount'];

/**
 * Returns the parameters of code that say something, also in populated relations. As in Strapi v4, null and NaN are as absent, and so
 * is an empty text for a number.
 */
export function presentParameters<Parameters extends object>(parameters: Parameters): Parameters {
  const present = Object.entries(parameters).filter(
    ([key, value]) => value !== undefined && value !== null && !Number.isNaN(value) && !(value === '' && numberKeys.has(key)),
  );
  const nested = (value: unknown): unknown => (isPlainObject(value) ? presentParameters(value) : value);
  return Object.fromEntries(
    present.map(([key, value]) => [key, nestingKeys.has(key) && isPlainObject(value) ? mapValues(value, nested) : value]),
  ) as Parameters; // without some of its values
}

/** The parameters that are numbers. */
const numberKeys: ReadonlySet<string> = new Set(['start', 'offset', 'limit', 'page', 'pageSize']);

/** The parameters that hold parameters by name. */
const nestingKeys: ReadonlySet<string> = new Set(['populate', 'on']);

function withPagination(parameters: EntityParameters): EntityParameters {
  const entries = Object.entries(parameters);
  const page = entries.filter(([key]) => pageKeys.includes(key));
  const rest = Object.fromEntries(entries.filter(([key]) => !pageKeys.includes(key)));
  return page.length === 0 ? rest : { ...rest, pagination: Object.fromEntries(page) };
}

/** The error for a uid that no content type has. */
export class UnknownTypeError extends Error {
  override readonly name = 'UnknownTypeError';
}

/** Returns the content type of a uid. Throws an UnknownTypeError with the nearest known uid if there is none. */
export function entryType(uid: string, { types }: Registry): ContentType {
  const type = types.get(uid);
  if (type !== undefined && type.kind !== 'component') return type;
  const hint = type === undefined ? didYouMean(uid, types.keys()) : ': it is a component, whose values are in entries';
  throw new UnknownTypeError(`Unknown content type "${uid}"${hint}`);
}

export const entityOrNull = (loaded: LoadedEntry | null): Entity | null => (loaded === null ? null : entityOf(loaded));

/** Returns an entry for code. Its relations were populated by code, not by a client's query. */
export function entityOf(entry: LoadedEntry): Entity {
  const row = shapeEntity(entry);
  for (const { key } of entry.selection.children) markLoadedByExtension(row[key]);
  return { ...row, id: Number(row['id']) };
}

/** Returns parameters of code without the conditions that have no effect, which are refused in strict mode, else told. */
export function withKnownFilters(given: Values, type: ContentType, context: ContentContext): Values {
  const dropped: DroppedCondition[] = [];
  const parameters = knownFilters(given, type, { registry: context.bind.registry, dropped });
  refuseOrLog(dropped.map(undoneOf), context);
  return parameters;
}

const undoneOf = ({ name, type: { uid, attributes } }: DroppedCondition): Undone => ({
  path: ['filters', name],
  message: `the condition on ${name} of ${uid} has no effect, because ${attributes.has(name) ? 'filters cannot name it' : 'there is no such attribute'}`,
  remedy: 'correct or remove it in the code of the project',
});
