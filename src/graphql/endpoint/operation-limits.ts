import {
  GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/**
 * Refuses operations with more aliases than allowed: each alias costs as much as its field. Aliases in a fragment count at every
 * spread, since a few aliases in nested fragments can select millions of fields.
 */
export const aliasLimit =
  (maximum: number): ValidationRule =>
  (context) => ({
    OperationDefinition(operation) {
      if (countAliases(operation.selectionSet, new Map(), context) <= maximum) return;
      context.reportError(new GraphQLError(`The query has more than ${String(maximum)} aliases`, { nodes: operation }));
    },
  });

/** `known`: the counts of fragments so far. A fragment that spreads itself, which is refused elsewhere, counts as 0. */
function countAliases(set: SelectionSetNode | undefined, known: Map<string, number>, context: ValidationContext): number {
  return (set?.selections ?? []).reduce((sum, selection) => sum + aliasesOf(selection, known, context), 0);
}

function aliasesOf(node: SelectionNode, known: Map<string, number>, context: ValidationContext): number {
  if (node.kind === Kind.FIELD) return (node.alias === undefined ? 0 : 1) + countAliases(node.selectionSet, known, context);
  if (node.kind === Kind.INLINE_FRAGMENT) return countAliases(node.selectionSet, known, context);
  const name = node.name.value;
  const before = known.get(name);
  if (before !== undefined) return before;
  known.set(name, 0);
  const count = countAliases(context.getFragment(name)?.selectionSet, known, context);
  known.set(name, count);
  return count;
}

/** Refuses operations with more fields at their root than allowed, those of fragments too: each is at least one database command. */
export const rootFieldLimit =
  (maximum: number): ValidationRule =>
  (context) => ({
    OperationDefinition(operation) {
      const keys = rootKeys(operation.selectionSet, { keys: new Set(), opened: new Set() }, context);
      if (keys.size <= maximum) return;
      const message = `The operation has more than ${String(maximum)} fields at its root`;
      context.reportError(new GraphQLError(message, { nodes: operation }));
    },
  });

interface RootKeys {
  readonly keys: Set<string>;
  /** Names of the fragments visited so far. */
  readonly opened: Set<string>;
}

/** Returns the response keys of a root selection, including those in fragments. */
function rootKeys(set: SelectionSetNode, found: RootKeys, context: ValidationContext): ReadonlySet<string> {
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) found.keys.add(node.alias?.value ?? node.name.value);
    else if (node.kind === Kind.INLINE_FRAGMENT) rootKeys(node.selectionSet, found, context);
    else if (!found.opened.has(node.name.value)) {
      found.opened.add(node.name.value);
      const fragment = context.getFragment(node.name.value);
      if (fragment) rootKeys(fragment.selectionSet, found, context);
    }
  }
  return found.keys;
}

/**
 * Refuses operations whose fields nest deeper than `maximum`. A leaf at the root has depth 0; fragments add no depth, and
 * introspection is not counted.
 */
export const depthLimit =
  (maximum: number): ValidationRule =>
  (context) => ({
    OperationDefinition(operation) {
      const walk = { context, maximum, name: operation.name?.value ?? '', walked: new Set<string>() };
      for (const selection of operation.selectionSet.selections) measure(selection, 0, walk);
    },
  });

interface Walk {
  readonly context: ValidationContext;
  readonly maximum: number;
  readonly name: string;
  /** The depths at which each fragment was walked, once per depth: fragments that spread one another twice take exponential time. */
  readonly walked: Set<string>;
}

function measure(node: SelectionNode, depth: number, walk: Walk): void {
  switch (node.kind) {
    case Kind.FIELD:
      if (node.name.value.startsWith('__')) return;
      if (depth > walk.maximum) {
        const message = `'${walk.name}' exceeds maximum operation depth of ${String(walk.maximum)}`;
        walk.context.reportError(new GraphQLError(message, { nodes: node }));
        return;
      }
      for (const inner of node.selectionSet?.selections ?? []) measure(inner, depth + 1, walk);
      return;
    case Kind.INLINE_FRAGMENT:
      for (const inner of node.selectionSet.selections) measure(inner, depth, walk);
      return;
    case Kind.FRAGMENT_SPREAD:
      measureFragment(node.name.value, depth, walk);
  }
}

function measureFragment(name: string, depth: number, walk: Walk): void {
  const place = `${name} ${String(depth)}`;
  if (walk.walked.has(place)) return;
  walk.walked.add(place);
  for (const inner of walk.context.getFragment(name)?.selectionSet.selections ?? []) measure(inner, depth, walk);
}
