import type { GraphQLFieldResolver } from 'graphql';
import { missingActions } from '#base/errors.js';
import type { Values } from '#base/values.js';
import type { FunctionName } from '#model/query/aggregate/aggregation.js';
import { actionOf, allows } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Row } from '../../code/rows.js';
import type { GraphqlContext } from '../graphql-context.js';
import { type FigureSource, type GroupHolder, type GroupNode, groupsIn, keyOfField, type KeySource } from '../group-nodes.js';

type Resolver<Source, Result> = GraphQLFieldResolver<Source, GraphqlContext, Values, Result>;

/** Returns a function that returns the groups of a holder. It throws a ForbiddenError if the caller may not group entries of the type. */
function guard(type: ContentType): (holder: GroupHolder, context: GraphqlContext) => GroupNode | null {
  const action = actionOf(type, 'aggregate');
  return ({ groups }, { content }) => {
    if (!allows(content.bind.access, action)) throw missingActions([action], 'Forbidden access');
    return groups;
  };
}

/** Resolves `aggregate`; to null if the group is too small to be answered. */
export function aggregateResolver(type: ContentType): Resolver<GroupHolder, GroupNode | null> {
  const groupsOf = guard(type);
  return (holder, _args, context) => {
    const node = groupsOf(holder, context);
    return node?.group === null && node.tree.total === null ? null : node;
  };
}

/** Resolves `groupBy`. */
export function groupByResolver(type: ContentType): Resolver<GroupHolder, KeySource | null> {
  const groupsOf = guard(type);
  return (holder, _args, context) => {
    const node = groupsOf(holder, context);
    return node && { node, path: [] };
  };
}

/*
 * The resolvers of the types of groups, which read what was loaded for the connection.
 */
export const countOf = ({ group }: GroupNode): number | null => group?.count ?? null;
export const totalCountOf = ({ tree }: GroupNode): number | null => tree.total;
export const figuresOf =
  (name: FunctionName) =>
  ({ group }: GroupNode): FigureSource | null =>
    group && { figures: group.figures, name, prefix: '' };
export const figuresInPart =
  (name: string) =>
  (source: FigureSource): FigureSource => ({ ...source, prefix: `${source.prefix}${name}.` });
export const figureOf =
  (attribute: string) =>
  ({ figures, name, prefix }: FigureSource): unknown =>
    figures[name]?.[prefix + attribute] ?? null;

export const keysInPart =
  (name: string) =>
  ({ node, path }: KeySource): KeySource => ({ node, path: [...path, name] });
export const groupsOf =
  (attribute: string): Resolver<KeySource, readonly GroupNode[]> =>
  ({ node, path }, args) =>
    groupsIn(node, keyOfField([...path, attribute], args));

export const keyOf = ({ group }: GroupNode): unknown => group?.keys.at(-1) ?? null;
export const holderOf = (groups: GroupNode): GroupHolder => ({ groups });
export const entryOf: Resolver<GroupNode, Row | null> = (node, _args, _context, { fieldNodes }) =>
  keyOf(node) === null ? null : node.tree.entryOf(keyOf(node), fieldNodes);
