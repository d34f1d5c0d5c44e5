import { createHash } from 'node:crypto';
import { memoize, SharedValues } from '#base/caches.js';
import { invalidParameter, validationError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import type { ContentContext } from '#content/content-context.js';
import type { Shaped } from '#content/shape-values.js';
import { type QueryParameters, readParameters } from '#http/query-string.js';
import { readable } from '#model/query/access.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import { bindPlan } from '#model/query/bind-plan.js';
import { parametersOf, parseQuery } from '#model/query/parse-query.js';
import type { Plan } from '#model/query/plan.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import type { Config } from '#settings/config.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { copiedFields } from './copy-query.js';
import { type Dependencies, dependenciesOf } from './dependencies.js';
import { type Visibility, visibilityOf } from './visibility.js';

/** What a client asks for: the entries, and which of their values. */
export interface SyncQuery extends Pick<Query, 'filter' | 'fields' | 'locale' | 'publicationState'> {
  /** The form of the entries, if they are not copies. */
  readonly form?: EntryForm;
}

/** How a front end reads and answers entries, which follow the same log with the same rights as copies. */
export interface EntryForm {
  /** Queries for the same entries with the same key have the same answers. */
  readonly key: string;
  /** Returns what is read of entries: what they store, and scalars and components of the entries that they link. Throws an ApiError. */
  select(type: ContentType, bind: BindContext): Pick<Query, 'fields' | 'includePrivate' | 'populate'>;
  /** Returns entries as the front end gets them. Throws a ValidationError if they exceed the budget. */
  copiesOf(entries: readonly LoadedEntry[], content: ContentContext): EntryCopy[];
}

/** An entry as clients keep it. */
export interface EntryCopy {
  readonly id: number;
  readonly attributes: Shaped;
}

/** Equal queries are one object. */
const syncQueries = new SharedValues<SyncQuery>();

const queryParameters = parametersOf('sync');

/**
 * Parses the query string of a request. `others` are the names of its further parameters, which have one value. Throws a
 * ValidationError for parameters that are not supported, and for values that are invalid.
 */
export function parseSyncQuery(
  text: QueryParameters,
  others: readonly string[],
  { api }: Pick<Config, 'api'>,
): { readonly query: SyncQuery; readonly parameters: Values } {
  const input = readParameters(text, api.limits);
  const names: readonly string[] = [...queryParameters, ...others];
  for (const name of Object.keys(input))
    if (!names.includes(name)) throw validationError(`Invalid parameter ${name}: sync supports only ${names.join(', ')}`);
  for (const name of others)
    if (typeof (input[name] ?? '') !== 'string') throw validationError(`Invalid parameter ${name}: it must have one value`);
  const selection = pick(input, queryParameters);
  const { filter, fields, locale, publicationState } = parseQuery(selection, api.limits);
  const query = { filter, fields, locale, publicationState };
  return { query: syncQueries.share(JSON.stringify(selection), query), parameters: pick(input, others) };
}

const pick = (input: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.flatMap((name) => (name in input ? [[name, input[name]]] : [])));

/** What one caller is answered for one query, with the rights and models in force. */
export interface Shape {
  readonly plan: Plan;
  readonly query: Query;
  readonly dependencies: Dependencies;
  readonly visibility: Visibility;
  /** Absent for copies. */
  readonly form: EntryForm | undefined;
  /** Shapes with the same digest have the same answers. */
  readonly digest: string;
  /** Shapes with the same one continue the tokens of each other: they are of the same entries and values, whatever their form. */
  readonly tokenDigest: string;
}

/** The shapes in use, by their digests. */
const shapes = new SharedValues<Shape>();

/** Binds a query. Throws a ValidationError for names that the caller may not use, and for conditions on the current time. */
export function bindShape(syncQuery: SyncQuery, type: ContentType, bind: BindContext): Shape {
  const query = boundQuery(syncQuery, type, bind);
  const plan = bindPlan(query, type, { ...bind, settings: bindSettings(bind.settings), now: refuseNow });
  if (plan.near !== undefined) throw validationError('Invalid parameter $near: entries cannot be synced by their distance');
  const { form } = syncQuery;
  const facts = planFacts(plan);
  const tokenDigest = facts.digest;
  const digest = form === undefined ? tokenDigest : `${tokenDigest} ${form.key}`;
  const shape = { plan, query, form, ...facts, digest, tokenDigest };
  return shapes.share(shape.digest, shape, (other) => other.plan.type === plan.type);
}

/** Names of relations that the caller may not read are left out, not refused, because no client has named them. */
const bindSettings = memoize((settings: BindContext['settings']) => ({ ...settings, strict: false, populateDeep: 0 }));

/** What depends on the current time changes without a write. */
function refuseNow(): never {
  throw validationError('Entries cannot be synced by a condition on the current time ($now)');
}

interface BoundQuery extends Pick<BindContext, 'registry' | 'access'> {
  readonly type: ContentType;
  readonly query: Query;
}

const boundQueries = new WeakMap<SyncQuery, BoundQuery>();

/** Returns the query that reads the entries; the same as before if type, registry and access are the same. */
function boundQuery(syncQuery: SyncQuery, type: ContentType, bind: BindContext): Query {
  const { registry, access } = bind;
  const last = boundQueries.get(syncQuery);
  if (last?.type === type && last.registry === registry && last.access === access) return last.query;
  const query = storedQuery(syncQuery, type, bind);
  boundQueries.set(syncQuery, { type, registry, access, query });
  return query;
}

/**
 * Returns the query that reads what an entry itself stores: its scalars, its components and zones, and the ids of the relations and
 * files in it. Throws a ValidationError for names in `fields` that the caller may not read.
 */
function storedQuery({ fields: items, form, ...others }: SyncQuery, type: ContentType, bind: BindContext): Query {
  if (form !== undefined) return { ...emptyQuery, ...others, ...form.select(type, bind), withTotal: false, isForFields: true };
  const { registry, access } = bind;
  const names = items?.flatMap((item) => item.split(',').map((name) => name.trim())) ?? null;
  const isScalar = (name: string): boolean => (type.attributes.get(name)?.kind ?? 'scalar') === 'scalar';
  const hidden = names?.find((name) => !isScalar(name) && readable(type, name, access) === null);
  if (hidden !== undefined) throw invalidParameter(hidden);
  const fields = copiedFields(type, { registry }).filter(({ name }) => names === null || names.includes(name));
  return {
    ...emptyQuery,
    ...others,
    fields: names === null ? null : ['id', ...names.filter(isScalar)],
    populate: { all: false, fields },
    withTotal: false,
  };
}

/** Version of the form of answers. */
const version = 1;

const planFacts = memoize((plan: Plan): Pick<Shape, 'dependencies' | 'visibility' | 'digest'> => {
  const { type, condition, selection } = plan;
  const text = JSON.stringify([version, type, condition, selection], (key, value) =>
    isType(value) ? modelText(value) : plain(key, value),
  );
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return { dependencies: dependenciesOf(plan), visibility: visibilityOf(plan), digest };
});

/**
 * What a content type or an attribute tells of the panel and of code only. It is left out of texts: copies of clients do not depend on
 * it, and former versions did not have it.
 */
const uncounted = { listed: undefined, added: undefined };

/**
 * Returns the text of a content type, by which two models with the same meaning are equal. Its names and their order are those of former
 * versions, whose tokens stay valid. Options that features have added since are left out.
 */
const modelText = memoize(({ options, kind, collection, shard, attributes, ...type }: ContentType): string => {
  const { uid, singularName, pluralName, displayName, description, inGraphql, draftAndPublish, localized, ...others } = type;
  const text = {
    ...{ uid, singularName, pluralName, displayName, description, inGraphql },
    cacheControl: options.get('cacheControl') ?? null,
    requiresIfMatch: options.has('requireIfMatch'),
    ...{ draftAndPublish, localized },
    scheduled: options.has('schedule'),
    history: options.get('history') ?? null,
    requiresKey: options.has('requireIdempotencyKey'),
    synced: options.has('sync'),
    ...{ ...others, kind, collection, shard, attributes, ...uncounted },
  };
  return createHash('sha256').update(JSON.stringify(text, plain)).digest('base64url');
});

/** Returns a value as JSON knows it. */
function plain(_key: string, value: unknown): unknown {
  if (isAttribute(value)) return { ...value, ...uncounted };
  if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)];
  if (value instanceof RegExp || typeof value === 'bigint') return String(value);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

const isType = (value: unknown): value is ContentType =>
  typeof value === 'object' && value !== null && 'collection' in value && 'attributes' in value && 'pluralName' in value;

const isAttribute = (value: unknown): value is Attribute =>
  typeof value === 'object' && value !== null && 'writable' in value && 'localized' in value;
