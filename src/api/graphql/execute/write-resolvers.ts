import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import type { ContentContext } from '#content/content-context.js';
import { createLocalization } from '#content/create-localization.js';
import { create } from '#content/create.js';
import { inStatusOf } from '#content/drafts.js';
import { findSingleForWrite } from '#content/find-one.js';
import type { Status } from '#content/meet-precondition.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { remove } from '#content/remove.js';
import { update } from '#content/update.js';
import { ApiError, notFoundError } from '#base/errors.js';
import { requireKey } from '#http/idempotency/read-key.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { isRecord, type Values } from '#base/values.js';
import { fieldsBelow, isCustomField } from '../selection/collect-fields.js';
import { localeOf, readOneQuery } from '../selection/read-root.js';
import { responseName } from '../type-names.js';
import type { GraphqlContext } from '../graphql-context.js';
import { entryResult, type EntryResult } from '../results.js';
import { entryId } from './read-resolvers.js';

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext, Values, Promise<EntryResult>>;

/** A write that a mutation asks for. */
interface Mutation {
  readonly type: ContentType;
  readonly args: Values;
  /** The data in the form of REST. */
  readonly data: Values;
  /** Which one of an entry and the draft beside it the write is for, if it says so. */
  readonly status?: Status;
  /** The query of the answer. */
  readonly query: Query;
  readonly content: ContentContext;
}

type Write = (mutation: Mutation) => Promise<LoadedEntry | null>;
type Failed = (error: unknown, type: ContentType, info: GraphQLResolveInfo) => EntryResult;

const rethrow: Failed = (error) => {
  throw error;
};

/**
 * Returns the resolver that answers with the written entry; with an empty response if there is none. `failed` answers if the write
 * fails.
 */
const writing =
  (write: Write, failed = rethrow) =>
  (type: ContentType): Resolver =>
  async (_root, args, context, info) => {
    requireKey(type, context.koaContext.req.headers);
    const query = readOneQuery(type, context, info);
    const written = write({ type, args, data: dataOf(args), query, content: context.content, ...statusOf(args) });
    return written.then(
      (entry) => entryResult(entry, context),
      (error: unknown) => failed(error, type, info),
    );
  };

function dataOf({ data, locale }: Values): Values {
  const given = isRecord(data) ? data : {};
  return typeof locale === 'string' ? { ...given, locale } : { ...given };
}

const statusOf = ({ status }: Values): Pick<Mutation, 'status'> =>
  status === 'draft' || status === 'published' ? { status } : {};

const createAsked = ({ type, data, query, content, status }: Mutation): Promise<LoadedEntry> =>
  create(type, inStatusOf(data, status ?? null), query, status === 'published' ? { ...content, createsDrafts: false } : content);

/**
 * Resolves `createArticle`. Creates a draft unless `publishedAt` or the status `PUBLISHED` is given, in the default locale unless another
 * one is given.
 */
export const createResolver = writing(createAsked);

const updateMutation: Write = async (mutation) => {
  const { type, data, query, content, status } = mutation;
  const id = await writtenId(mutation);
  if (id !== null) return update({ type, id, ...(status && { status }) }, { data, query }, content);
  return type.kind === 'singleType' ? createSingle(mutation) : null;
};

/** Moves an input error to the `data` field, if that is selected and has its generated resolver. */
function failBelow(error: unknown, type: ContentType, info: GraphQLResolveInfo): EntryResult {
  const response = responseName(type);
  const isShown = fieldsBelow(info.fieldNodes, [response, 'data'], info).length > 0;
  if (!(error instanceof ApiError) || error.name !== 'ValidationError') throw error;
  if (!isShown || isCustomField(response, 'data', info)) throw error;
  return { value: null, failure: error };
}

const [updateEntry, updateSingle] = [writing(updateMutation), writing(updateMutation, failBelow)];

/**
 * Resolves `updateArticle`. The locale stays. Returns an empty response for an unknown id. If the data of a single type is
 * refused, only the field `data` fails.
 */
export const updateResolver = (type: ContentType): Resolver =>
  type.kind === 'singleType' ? updateSingle(type) : updateEntry(type);

/** Creates the entry of a single type, or its localization if it exists in another locale. */
async function createSingle(mutation: Mutation): Promise<LoadedEntry> {
  const { type, query, content, status } = mutation;
  const other = type.localized ? await singleId(type, 'all', content) : null;
  if (other === null) return createAsked(mutation);
  // a localization is a draft unless it has a date
  const dated = status === 'published' ? { publishedAt: new Date().toISOString(), ...mutation.data } : mutation.data;
  return createLocalization({ type, id: other }, { data: inStatusOf(dated, status ?? null), query }, content);
}

/** Resolves `deleteArticle` to the former content of the entry. Throws a NotFoundError for a single type without an entry. */
export const deleteResolver = writing(async (mutation) => {
  const { type, query, content } = mutation;
  const id = await writtenId(mutation);
  if (id === null && type.kind === 'singleType') throw notFoundError('Entity not found');
  return id === null ? null : remove({ type, id }, query, content);
});

async function writtenId({ type, args, content }: Mutation): Promise<number | null> {
  if (type.kind !== 'singleType') return entryId(args['id']);
  const locale = localeOf(args);
  return singleId(type, locale === 'all' ? null : locale, content);
}

async function singleId(type: ContentType, locale: Query['locale'], content: ContentContext): Promise<number | null> {
  const entry = await findSingleForWrite(type, { ...emptyQuery, locale }, content);
  return entry === null ? null : entryId(entry.document['_id']);
}

/**
 * Resolves `createPageLocalization`, which needs no id for a single type. Throws ApplicationErrors about the locale, and a
 * NotFoundError if there is no such entry.
 */
export const localizationResolver = writing(async ({ type, args, data, query, content }) => {
  const id = type.kind === 'singleType' ? await singleId(type, 'all', content) : entryId(args['id']);
  if (id === null) throw notFoundError('Entity not found');
  return createLocalization({ type, id }, { data, query }, content);
});
