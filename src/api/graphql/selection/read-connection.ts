import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { validationError } from '#base/errors.js';
import { emptyQuery, type Pagination, type Query } from '#model/query/ast.js';
import { checkedCursor } from '#model/query/parse-cursors.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import type { GraphqlContext } from '../graphql-context.js';
import { connectionName, edgeName } from '../type-names.js';
import { collectFields, fieldsBelow, isCustomField } from './collect-fields.js';
import { parseListArguments } from './parse-list-arguments.js';
import { readGroups, type SelectedGroups } from './read-groups.js';
import { fallbackOf, forRoot, localeOf, readingContext, readOnce } from './read-root.js';
import { mergeSelections, readEntity } from './read-selection.js';
import type { ReadingContext, TypeSelection } from './reading-context.js';

/** The query of a list by cursors, and the groups that are selected beside it. */
interface ConnectionQuery extends Query {
  /** Null if none are selected. */
  readonly groups: SelectedGroups | null;
  /** Whether nothing but groups is selected. */
  readonly hasOnlyGroups: boolean;
}

/** Returns the query of a root field with a list by cursors. Throws an ApiError for invalid arguments. */
export function readConnectionQuery(
  type: ContentType,
  args: Values,
  context: GraphqlContext,
  info: GraphQLResolveInfo,
): ConnectionQuery {
  return readOnce(type, context, info, () => {
    const reading = readingContext(context, info);
    const { filter, sort, publicationState, showsDrafts } = parseListArguments(args, type, reading.bind);
    const pagination = parseConnection(args, reading.bind.settings.defaultLimit);
    return {
      ...emptyQuery,
      ...{ filter, sort, publicationState, ...(showsDrafts && { showsDrafts }) },
      ...forRoot(readConnection(info.fieldNodes, type, reading), info),
      pagination: { ...pagination, looksBack: selectsOtherSide(info.fieldNodes, type, pagination, reading) },
      locale: localeOf(args),
      fallbackLocales: fallbackOf(args),
      isForFields: true,
      withTotal: false,
      groups: readGroups(info.fieldNodes, connectionName(type), type, reading),
      hasOnlyGroups: selectsOnlyGroups(info, type),
    };
  });
}

const groupFields: readonly string[] = ['aggregate', 'groupBy', '__typename'];

/** Returns whether a connection selects groups alone. Code around it may use its nodes. */
function selectsOnlyGroups(info: GraphQLResolveInfo, type: ContentType): boolean {
  const fields = [...collectFields(info.fieldNodes, connectionName(type), info).values()].flat();
  return (
    fields.every(({ name }) => groupFields.includes(name.value)) && !isCustomField(info.parentType.name, info.fieldName, info)
  );
}

type CursorPage = Extract<Pagination, { kind: 'cursor' }>;

/** Parses `first` with `after`, or `last` with `before`. Throws a ValidationError that names an argument. */
function parseConnection({ first, after, last, before }: Values, defaultLimit: number): CursorPage {
  const backwards = given(last) || given(before);
  if (backwards && (given(first) || given(after))) throw unfit(given(last) ? 'last' : 'before');
  const [size, cursor] = backwards ? [last, before] : [first, after];
  const limit = given(size) ? Number(size) : defaultLimit;
  if (limit < 0) throw validationError(`Invalid parameter ${backwards ? 'last' : 'first'}: expected a number from 0 on`);
  return {
    kind: 'cursor',
    cursor: given(cursor) ? checkedCursor(cursor, backwards ? 'before' : 'after') : null,
    backwards,
    looksBack: false,
    limit,
    withCount: null,
  };
}

const given = (value: unknown): boolean => value !== undefined && value !== null;

const unfit = (name: string): Error =>
  validationError(`Invalid parameter ${name}: use either first with after, or last with before`);

function readConnection(nodes: readonly FieldNode[], type: ContentType, context: ReadingContext): TypeSelection {
  const parts = [...collectFields(nodes, connectionName(type), context.operation)].flatMap(([key, fields]) => {
    const name = fields[0]?.name.value;
    if (name === 'nodes') return readEntity(fields, type, { holder: connectionName(type), around: [key] }, context);
    return name === 'edges' ? readEdges(fields, key, type, context) : [];
  });
  return mergeSelections(parts);
}

const readEdges = (
  nodes: readonly FieldNode[],
  key: string,
  type: ContentType,
  context: ReadingContext,
): readonly TypeSelection[] =>
  [...collectFields(nodes, edgeName(type), context.operation)].flatMap(([nodeKey, fields]) =>
    fields[0]?.name.value === 'node' ? readEntity(fields, type, { holder: edgeName(type), around: [key, nodeKey] }, context) : [],
  );

/** Returns whether the field selects if there are entries on the other side of its cursor. */
function selectsOtherSide(
  nodes: readonly FieldNode[],
  type: ContentType,
  { backwards }: CursorPage,
  { operation }: ReadingContext,
): boolean {
  const infos = fieldsBelow(nodes, [connectionName(type), 'pageInfo'], operation);
  return fieldsBelow(infos, ['PageInfo', backwards ? 'hasNextPage' : 'hasPreviousPage'], operation).length > 0;
}
