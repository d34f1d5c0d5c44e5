import { isRecord, type Values } from '#base/values.js';

/** Actions in the form of Strapi v4, by API, controller and action. */
type PermissionTree = Record<string, { controllers: Record<string, Record<string, { enabled: boolean; policy: string }>> }>;

/** Returns actions as a tree in which the granted ones are enabled. */
export function permissionTree(actions: readonly string[], granted: ReadonlySet<string>): PermissionTree {
  const tree: PermissionTree = {};
  for (const action of actions) {
    const [api = '', controller = '', name = ''] = action.split('.');
    const { controllers } = (tree[api] ??= { controllers: {} });
    (controllers[controller] ??= {})[name] = { enabled: granted.has(action), policy: '' };
  }
  return tree;
}

/** Returns the actions that are enabled in a client's tree; none if the value is not a tree. */
export const enabledActions = (tree: unknown): string[] =>
  namedIn(tree).flatMap(([action, { enabled }]) => (enabled === true ? [action] : []));

/** Returns all actions that a client's tree names. */
export const namedActions = (tree: unknown): string[] => namedIn(tree).map(([action]) => action);

const namedIn = (tree: unknown): [action: string, Values][] =>
  entriesOf(tree).flatMap(([api, { controllers }]) =>
    entriesOf(controllers).flatMap(([controller, actions]) =>
      entriesOf(actions).map(([name, one]): [string, Values] => [`${api}.${controller}.${name}`, one]),
    ),
  );

const entriesOf = (value: unknown): [string, Values][] =>
  isRecord(value) ? Object.entries(value).filter((entry): entry is [string, Values] => isRecord(entry[1])) : [];
