import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { emptyQuery, type Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import { bindsAlike, markRepeated } from '#model/query/bind-plan.js';
import { unlimited } from '#base/limits/budget.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import type { GraphqlContext } from '../graphql-context.js';
import { collectionName, responseName } from '../type-names.js';
import { fieldsBelow, isCustomField } from './collect-fields.js';
import { parseListArguments, type Offset } from './parse-list-arguments.js';
import { mergeSelections, readSelection, seenByCode } from './read-selection.js';
import type { TypeSelection, ReadingContext } from './reading-context.js';

/** Returns the query of a root field with one entry. Throws an ApiError for invalid arguments. */
export function readOneQuery(type: ContentType, context: GraphqlContext, info: GraphQLResolveInfo): Query {
  return readOnce(type, context, info, () => {
    const selection = readSelection(info.fieldNodes, responseName(type), type, readingContext(context, info));
    return { ...emptyQuery, withTotal: false, ...forRoot(selection, info), isForFields: true };
  });
}

/**
 * Returns the query of a root field with a list. The total is counted only if it is selected. Throws an ApiError for invalid
 * arguments.
 */
export function readListQuery(type: ContentType, args: Values, context: GraphqlContext, info: GraphQLResolveInfo): ListQuery {
  return readOnce(type, context, info, () => {
    const reading = readingContext(context, info);
    const list = parseListArguments(args, type, reading.bind);
    const selection = readSelection(info.fieldNodes, collectionName(type), type, reading);
    return {
      ...emptyQuery,
      ...list,
      ...forRoot(selection, info),
      ...(!type.draftAndPublish && asksForDrafts(selection) && { showsDrafts: true }),
      locale: localeOf(args),
      fallbackLocales: fallbackOf(args),
      isForFields: true,
      withTotal: list.pagination.limit === -1 || selectsTotal(info.fieldNodes, type, reading),
    };
  });
}

/** Returns whether a list below a field says that it shows drafts. Of a type without drafts, only these can say so. */
const asksForDrafts = ({ populate }: Pick<Query, 'populate'>): boolean =>
  populate.fields.some(({ query, on }) =>
    [query, ...(on?.values() ?? [])].some((one) => one.showsDrafts === true || asksForDrafts(one)),
  );

type ListQuery = Query & { readonly pagination: Offset };

/** The last query of each root field with constant arguments. */
const repeatedFields = new WeakMap<GraphQLResolveInfo, { last: LastQuery | null }>();

interface LastQuery {
  readonly type: ContentType;
  readonly bind: BindContext;
  readonly query: Query;
}

/** Marks a root field with constant arguments, so that its query is read once for the same caller and registry. */
export function markRepeatedField(info: GraphQLResolveInfo): void {
  repeatedFields.set(info, { last: null });
}

export function readOnce<Read extends Query>(
  type: ContentType,
  { content: { bind }, failures }: GraphqlContext,
  info: GraphQLResolveInfo,
  read: () => Read,
): Read {
  const field = repeatedFields.get(info);
  if (field === undefined) return read();
  const { last } = field;
  if (last?.type === type && bindsAlike(last.bind, bind)) return last.query as Read; // was read for the same field
  const query = read();
  // Queries with invalid arguments are not cached, so that they fail in each operation.
  if (failures.size > 0) return query;
  field.last = { type, bind: { ...bind, budget: unlimited }, query: markRepeated(query, bytesOf(info)) };
  return query;
}

/** Returns the approximate size in bytes of a query that was read from a field. */
const bytesOf = ({ fieldNodes }: GraphQLResolveInfo): number =>
  10 * fieldNodes.reduce((sum, { loc }) => sum + (loc === undefined ? 0 : loc.end - loc.start), 100);

/** Returns the selection of a root field. If the field has middlewares, it includes all attributes for them. */
export const forRoot = (selection: TypeSelection, info: GraphQLResolveInfo): TypeSelection =>
  isCustomField(info.parentType.name, info.fieldName, info) ? mergeSelections([selection, seenByCode]) : selection;

/** Returns the locale of a query. An explicit null matches no entry. */
export function localeOf({ locale }: Values): Query['locale'] {
  if (locale === undefined) return null;
  return typeof locale === 'string' ? locale : [];
}

/** Returns the fallback locales of a query; null if it names none. */
export function fallbackOf({ fallbackLocale }: Values): Query['fallbackLocales'] {
  return Array.isArray(fallbackLocale) && fallbackLocale.length > 0 ? fallbackLocale.map(String) : null;
}

function selectsTotal(nodes: readonly FieldNode[], type: ContentType, { operation }: ReadingContext): boolean {
  const metas = fieldsBelow(nodes, [collectionName(type), 'meta'], operation);
  const pagination = fieldsBelow(metas, ['ResponseCollectionMeta', 'pagination'], operation);
  return ['total', 'pageCount'].some((name) => fieldsBelow(pagination, ['Pagination', name], operation).length > 0);
}

/** Returns the context in which the selection of an operation is read. */
export function readingContext({ content: { bind }, failures }: GraphqlContext, info: GraphQLResolveInfo): ReadingContext {
  return { operation: info, bind, countType: bind.budget.typeCounter(), fieldResults: new Map(), failures };
}
