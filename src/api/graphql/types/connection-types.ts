import { GraphQLBoolean, GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLString } from 'graphql';
import type { GraphQLFieldConfigArgumentMap } from 'graphql';
import type { PageCursors } from '#content/cursors.js';
import type { ContentType } from '#model/schema/content-type.js';
import { cursorOf, edgesOf, entitiesOf, nodeOf, pageInfoOf } from '../results.js';
import { connectionName, edgeName } from '../type-names.js';
import { groupFields } from './group-types.js';
import { define, listArgs } from './object-types.js';
import { plainField, type SchemaContext } from './schema-context.js';

const flag = new GraphQLNonNull(GraphQLBoolean);

const pageInfoType = new GraphQLObjectType<PageCursors>({
  name: 'PageInfo',
  fields: {
    hasNextPage: { type: flag, resolve: ({ hasNext }) => hasNext },
    hasPreviousPage: { type: flag, resolve: ({ hasPrevious }) => hasPrevious },
    startCursor: { type: GraphQLString, resolve: ({ start }) => start },
    endCursor: { type: GraphQLString, resolve: ({ end }) => end },
  },
});

/** Returns the type of a list by cursors. */
export const connectionType = (type: ContentType, context: SchemaContext): GraphQLObjectType =>
  define(type, connectionName(type), context, () => ({
    nodes: { type: listOf(context.objects.entity(type, context)), resolve: entitiesOf },
    edges: { type: listOf(edgeType(type, context)), resolve: edgesOf },
    pageInfo: { type: new GraphQLNonNull(pageInfoType), resolve: pageInfoOf },
    ...groupFields(type, context),
  }));

const edgeType = (type: ContentType, context: SchemaContext): GraphQLObjectType =>
  define(type, edgeName(type), context, () => ({
    cursor: { type: new GraphQLNonNull(GraphQLString), resolve: cursorOf },
    node: { type: new GraphQLNonNull(context.objects.entity(type, context)), resolve: nodeOf },
  }));

const listOf = (type: GraphQLObjectType) => new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));

/** Returns the arguments of a list by cursors: those of a list, with cursors in place of `pagination`. */
export function connectionArgs(type: ContentType, context: SchemaContext): GraphQLFieldConfigArgumentMap {
  const others = Object.entries(listArgs(type, context)).filter(([name]) => name !== 'pagination');
  const [number, text] = [plainField(GraphQLInt), plainField(GraphQLString)];
  return { ...Object.fromEntries(others), first: number, after: text, last: number, before: text };
}
