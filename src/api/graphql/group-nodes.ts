import type { GraphQLResolveInfo } from 'graphql';
import type { FunctionName, ZonedKey } from '#model/query/aggregate/aggregation.js';
import type { BucketUnit } from '#model/query/aggregate/buckets.js';
import type { GroupTree, TreeGroup } from '#content/group-tree.js';
import { groupBy, type Values } from '#base/values.js';
import type { Row } from '../code/rows.js';

/** The groups of a connection. */
export interface ConnectionGroups {
  readonly total: GroupTree['total'];
  /** By the text of their keys: the groups by those of the group that they are in. */
  readonly groupings: ReadonlyMap<string, ReadonlyMap<string, readonly TreeGroup[]>>;
  /** Returns the related entry of a key that a field selects; null if there is none any more. */
  readonly entryOf: (id: unknown, nodes: GraphQLResolveInfo['fieldNodes']) => Row | null;
}

/** A group, or all entries. */
export interface GroupNode {
  readonly tree: ConnectionGroups;
  /** The text of its keys. */
  readonly grouping: string;
  /** Null if there is none, or it is too small. */
  readonly group: TreeGroup | null;
}

/** The value of a type with `aggregate` and `groupBy`. */
export interface GroupHolder {
  /** Null if no groups are selected, or the caller may not group. */
  readonly groups: GroupNode | null;
}

/** The value of a type with the attributes of a function. */
export interface FigureSource {
  readonly figures: TreeGroup['figures'];
  readonly name: FunctionName;
  /** Leads to the component that the attributes are in. */
  readonly prefix: string;
}

/** The value of a type with keys. */
export interface KeySource {
  readonly node: GroupNode;
  /** The names of the components that the attributes are in. */
  readonly path: readonly string[];
}

/** Returns the key that a field of an attribute asks for by its arguments. */
export const keyOfField = (path: readonly string[], { by, timezone }: Values): ZonedKey => ({
  path,
  unit: (by ?? null) as BucketUnit | null, // a value of the enum
  timeZone: typeof timezone === 'string' ? timezone : 'UTC',
});

/** Returns the text of keys from the outermost one on. */
export const keysText = (keys: readonly ZonedKey[]): string => keys.reduce(withKey, '');

/** Returns the text of keys and one more, which are separated by spaces. */
function withKey(text: string, { path, unit, timeZone }: ZonedKey): string {
  const key = path.join('.') + (unit === null ? '' : `:${unit}:${timeZone}`);
  return text === '' ? key : `${text} ${key}`;
}

/** Returns groups by those that they are in: by all of their keys but the last. */
export const groupsByParent = (groups: readonly TreeGroup[]): ReadonlyMap<string, readonly TreeGroup[]> =>
  groupBy(groups, ({ keys }) => JSON.stringify(keys.slice(0, -1)));

/** Returns the groups in a group by a further key. */
export function groupsIn({ tree, grouping, group }: GroupNode, key: ZonedKey): readonly GroupNode[] {
  const text = withKey(grouping, key);
  const inner = tree.groupings.get(text)?.get(JSON.stringify(group?.keys ?? [])) ?? [];
  return inner.map((one) => ({ tree, grouping: text, group: one }));
}
