import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { emptyQuery, type Query } from '../../query/ast.js';
import { bindNested } from '../../query/bind-nested.js';
import { createTypeCounter, unlimited } from '../../query/budget.js';
import type { ContentType } from '../../schema/content-type.js';
import type { Values } from '../../values.js';
import type { GraphqlContext } from '../graphql-context.js';
import { collectionName, responseName } from '../type-names.js';
import { collectFields, isCustomField } from './collect-fields.js';
import { parseListArguments, type Offset } from './parse-list-arguments.js';
import { mergeSelected, readSelection, seenByCode } from './read-selection.js';
import type { Selected, ReadingContext } from './reading-context.js';

/** The query of a root field that answers with one entry: what is selected of it. Throws an ApiError. */
export function readOneQuery(type: ContentType, context: GraphqlContext, info: GraphQLResolveInfo): Query {
  const selection = readSelection(info.fieldNodes, responseName(type), type, readingContext(context, info));
  return { ...emptyQuery, withTotal: false, ...forRoot(selection, info) };
}

/** The query of a root field that answers with a list. The total is wanted only where it is selected. Throws an ApiError. */
export function readListQuery(
  type: ContentType,
  args: Values,
  context: GraphqlContext,
  info: GraphQLResolveInfo,
): Query & { readonly pagination: Offset } {
  const reading = readingContext(context, info);
  const list = parseListArguments(args, type, reading);
  return {
    ...emptyQuery,
    ...list,
    ...forRoot(readSelection(info.fieldNodes, collectionName(type), type, reading), info),
    locale: localeOf(args),
    withTotal: list.pagination.limit === -1 || selectsTotal(info.fieldNodes, type, reading),
  };
}

/** Middlewares of the root field see whole entries. */
const forRoot = (selection: Selected, info: GraphQLResolveInfo): Selected =>
  isCustomField(info.parentType.name, info.fieldName, info) ? mergeSelected([selection, seenByCode]) : selection;

/** An explicit null is a locale that no entry has. */
export function localeOf({ locale }: Values): Query['locale'] {
  if (locale === undefined) return null;
  return typeof locale === 'string' ? locale : [];
}

function selectsTotal(nodes: readonly FieldNode[], type: ContentType, { operation }: ReadingContext): boolean {
  const below = (parents: readonly FieldNode[], typeName: string, name: string) =>
    [...collectFields(parents, typeName, operation).values()].flat().filter((node) => node.name.value === name);
  const pagination = below(below(nodes, collectionName(type), 'meta'), 'ResponseCollectionMeta', 'pagination');
  return ['total', 'pageCount'].some((name) => below(pagination, 'Pagination', name).length > 0);
}

/** What the selection of an operation is read with. */
export function readingContext({ content, access, pages, failures }: GraphqlContext, info: GraphQLResolveInfo): ReadingContext {
  const { bind } = content;
  return {
    operation: info,
    registry: bind.registry,
    limits: bind.limits,
    access,
    pages,
    check: (query, type) => void bindNested(query, type, { ...bind, budget: unlimited }),
    countType: createTypeCounter(bind),
    known: new Map(),
    fail: (node, error) => failures.set(node, error),
  };
}
