import type { FieldNode, GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import { noCursors } from '#content/cursors.js';
import { checkPage, findMany, type FoundPage } from '#content/find-many.js';
import { findOne, findSingle } from '#content/find-one.js';
import { missingActions } from '#base/errors.js';
import { actionOf, readable, seeCheck } from '#model/query/access.js';
import type { Query } from '#model/query/ast.js';
import type {
  ComponentAttribute,
  ContentType,
  LinkAttribute,
  MorphAttribute,
  ZoneAttribute,
} from '#model/schema/content-type.js';
import { type Values, decodeId, isId } from '#base/values.js';
import { childKeyAt } from '../selection/collect-fields.js';
import { readConnectionQuery } from '../selection/read-connection.js';
import { fallbackOf, localeOf, readListQuery, readOneQuery } from '../selection/read-root.js';
import type { Structured } from '../selection/read-selection.js';
import { edgeName, entityName } from '../type-names.js';
import type { GraphqlContext } from '../graphql-context.js';
import { loadOnDemand } from './load-on-demand.js';
import { readConnectionGroups } from './read-groups.js';
import { isLoadedByExtension, type Row } from '../../code/rows.js';
import { type ConnectionResult, createRowShaper, entryResult, type EntryResult, type ListResult, noEntry } from '../results.js';

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext, Values, Promise<EntryResult | ListResult>>;

/** Resolves `articles`: one command for the page, one for the total if it is selected, and at most one per populated level. */
export const findResolver =
  (type: ContentType): Resolver =>
  async (_root, args, context, info) => {
    const query = readListQuery(type, args, context, info);
    const { entries, total } = await findMany(type, query, context.content);
    const { start, limit } = query.pagination;
    return { nodes: entries.map(createRowShaper(context)), total, start, limit: limit === -1 ? null : limit };
  };

/**
 * Resolves `articles_connection`: as `articles`, one command more for the other side of a cursor if that is selected, and those of its
 * groups. No page is read if nothing else is selected.
 */
export const connectionResolver =
  (type: ContentType): GraphQLFieldResolver<unknown, GraphqlContext, Values, Promise<ConnectionResult>> =>
  async (_root, args, context, info) => {
    const query = readConnectionQuery(type, args, context, info);
    if (query.hasOnlyGroups) checkPage(type, query, context.content);
    const [{ entries, cursors = noCursors }, groups] = await Promise.all([
      query.hasOnlyGroups ? noPage : findMany(type, query, context.content),
      readConnectionGroups(type, query, query.groups, context),
    ]);
    return { nodes: entries.map(createRowShaper(context)), cursors, groups };
  };

/** The page of a connection whose entries are not selected. */
const noPage: Partial<Pick<FoundPage, 'cursors'>> & Pick<FoundPage, 'entries'> = { entries: [] };

/** Resolves `article` by id. Drafts are included. */
export const findOneResolver =
  (type: ContentType): Resolver =>
  (_root, args, context, info) =>
    resolveEntry(type, args['id'], context, info, args);

/** Resolves `homepage`, in the default locale unless the arguments contain another. */
export const findSingleResolver =
  (type: ContentType): Resolver =>
  async (_root, args, context, info) => {
    const [locale, fallbackLocales] = [localeOf(args), fallbackOf(args)];
    const query: Query = {
      ...readOneQuery(type, context, info),
      ...(args['publicationState'] === 'live'
        ? { publicationState: 'live' }
        : { publicationState: 'preview', ...(type.draftAndPublish && { showsDrafts: true }) }),
      ...(fallbackLocales === null ? { locale: locale === 'all' ? null : locale } : { locale, fallbackLocales }),
    };
    return entryResult(await findSingle(type, query, context.content), context);
  };

/** Reads an entry as the field selects it. Returns an empty response for an invalid or unknown id. */
export async function resolveEntry(
  type: ContentType,
  id: unknown,
  context: GraphqlContext,
  info: GraphQLResolveInfo,
  args: Values = {},
): Promise<EntryResult> {
  const query = withDraft(localized(readOneQuery(type, context, info), args), args);
  const number = entryId(id);
  return number === null ? noEntry : entryResult(await findOne(type, number, query, context.content), context);
}

/** Returns a query with its locales if it names fallback locales; without them an id alone decides which localization is read. */
function localized(query: Query, args: Values): Query {
  const fallbackLocales = fallbackOf(args);
  return fallbackLocales === null ? query : { ...query, fallbackLocales, locale: localeOf(args), publicationState: 'live' };
}

/** Returns a query that shows the draft beside the entry if its arguments ask for it. */
const withDraft = (query: Query, { publicationState }: Values): Query =>
  publicationState === 'preview' ? { ...query, publicationState, showsDrafts: true } : query;

/** Returns an id argument as a number; null if it is invalid. */
export const entryId = (id: unknown): number | null => decodeId(id) || null;

type AttributeResolver = GraphQLFieldResolver<Row, GraphqlContext, Record<string, unknown>>;

/**
 * Returns a resolver that returns the related entries that the root field has loaded. It throws a ForbiddenError if the caller
 * may not find the target type.
 */
export function linkResolver(link: LinkAttribute, owner: ContentType): AttributeResolver {
  const read: AttributeResolver = link.dangling ? () => null : childReader(link, owner);
  const maySee = seeCheck(link.target);
  return (row, args, context, info) => {
    const { access } = context.content.bind;
    // an entry of somebody else may show links that no other entry does, and only those are loaded
    const isLoaded = access.entry !== undefined && childKeyAt(link.name, typesOf(owner), info.path) in row;
    if (!isLoaded && !maySee(access)) throw missingActions([actionOf(link.target, 'find')], 'Forbidden access');
    const loaded = read(row, args, context, info);
    return loaded instanceof Promise ? loaded.then((late) => wrapLink(link, late)) : wrapLink(link, loaded);
  };
}

const wrapLink = (link: LinkAttribute, loaded: unknown): ListResult | EntryResult =>
  link.many ? listOf(loaded) : { value: (loaded ?? null) as Row | null }; // the plan of this field has loaded it

const listOf = (loaded: unknown): ListResult => ({
  nodes: Array.isArray(loaded) ? loaded : [],
  total: null,
  start: 0,
  limit: null,
});

export const componentResolver = (attribute: ComponentAttribute, owner: ContentType): AttributeResolver =>
  childResolver(attribute, owner, attribute.repeatable ? [] : null);

/** Returns the resolver of a dynamic zone. A zone without components resolves to an error object. */
export function zoneResolver(zone: ZoneAttribute, owner: ContentType): AttributeResolver {
  if (zone.components.length > 0) return childResolver(zone, owner, []);
  return () => [{ code: 'dynamiczone.empty', message: `The dynamic zone ${zone.name} has no components` }];
}

export const morphResolver = (attribute: MorphAttribute, owner: ContentType): AttributeResolver =>
  childResolver(attribute, owner, attribute.many ? [] : null);

function childResolver(attribute: Structured, owner: ContentType, empty: null | readonly never[]): AttributeResolver {
  const read = childReader(attribute, owner);
  return (row, args, context, info) => {
    const loaded = read(row, args, context, info);
    return loaded instanceof Promise ? loaded.then((late: unknown) => late ?? empty) : (loaded ?? empty);
  };
}

/** Returns the names of the GraphQL types around the attributes of a type; null for a component, which has none. */
const typesOf = (owner: ContentType): { readonly entity: string; readonly edge: string } | null =>
  owner.kind === 'component' ? null : { entity: entityName(owner), edge: edgeName(owner) };

/**
 * Returns a resolver that returns what was loaded for a field. For entries that an extension returned, it reads the value now and
 * returns a promise. It throws the error of the field's arguments.
 */
function childReader(attribute: Structured, owner: ContentType): AttributeResolver {
  const types = typesOf(owner);
  return (row, args, context, info) => {
    throwFailure(context.failures, info.fieldNodes);
    const key = childKeyAt(attribute.name, types, info.path);
    const loaded = row[key];
    if (loaded !== undefined && !isLoadedByExtension(loaded)) return loaded;
    if (types === null || (loaded === undefined && key in row)) return loaded;
    if (readable(owner, attribute.name, context.content.bind.access) === null) return undefined;
    const id = Number(row['id']);
    return isId(id) ? loadOnDemand(id, { owner, attribute, args, context, info }) : undefined;
  };
}

/** Throws the error that the arguments of a field caused when its root field was planned, if there is one. */
function throwFailure(failures: GraphqlContext['failures'], [node]: readonly FieldNode[]): void {
  const failure = failures.size === 0 || node === undefined ? undefined : failures.get(node);
  if (failure !== undefined) throw failure;
}
