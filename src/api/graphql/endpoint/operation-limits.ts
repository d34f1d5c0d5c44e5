import { exceeding } from '#base/limits/exceeded.js';
import {
  type FieldNode,
  GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { rootFieldsOf } from './document-parts.js';

/**
 * Refuses operations with too many aliases, because each alias costs as much as its field. Aliases in a fragment count for each
 * spread, because a few aliases in nested fragments can select millions of fields.
 */
export const aliasLimit =
  (maximum: number): ValidationRule =>
  (context) => ({
    OperationDefinition(operation) {
      if (countAliases(operation.selectionSet, new Map(), context) <= maximum) return;
      const error = new GraphQLError(`The query has more than ${String(maximum)} aliases`, { nodes: operation });
      context.reportError(exceeding('plugins.graphql.config.limits.aliases', error));
    },
  });

/**
 * Returns the number of aliases. `counts` are those of fragments so far. A fragment that spreads itself counts as 0 here, and
 * is refused by another rule.
 */
function countAliases(set: SelectionSetNode | undefined, counts: Map<string, number>, context: ValidationContext): number {
  return (set?.selections ?? []).reduce((sum, selection) => sum + aliasesOf(selection, counts, context), 0);
}

function aliasesOf(node: SelectionNode, counts: Map<string, number>, context: ValidationContext): number {
  if (node.kind === Kind.FIELD) return (node.alias === undefined ? 0 : 1) + countAliases(node.selectionSet, counts, context);
  if (node.kind === Kind.INLINE_FRAGMENT) return countAliases(node.selectionSet, counts, context);
  const name = node.name.value;
  const before = counts.get(name);
  if (before !== undefined) return before;
  counts.set(name, 0);
  const count = countAliases(context.getFragment(name)?.selectionSet, counts, context);
  counts.set(name, count);
  return count;
}

/**
 * Refuses operations with too many root fields, including those of fragments, because each takes at least one database command.
 */
export const rootFieldLimit =
  (maximum: number): ValidationRule =>
  (context) => ({
    OperationDefinition(operation) {
      const fields = rootFieldsOf(operation, context.getDocument());
      const keys = new Set(fields.map(({ alias, name }) => (alias ?? name).value));
      if (keys.size <= maximum) return;
      const message = `The operation has more than ${String(maximum)} fields at its root`;
      context.reportError(exceeding('plugins.graphql.config.limits.rootFields', new GraphQLError(message, { nodes: operation })));
    },
  });

/**
 * Refuses operations whose fields are nested deeper than `maximum`. A leaf at the root has depth 0. Fragments add no depth, and
 * introspection is ignored.
 */
export const depthLimit =
  (maximum: number): ValidationRule =>
  (context) => ({
    OperationDefinition(operation) {
      const walk = { context, maximum, name: operation.name?.value ?? '', walked: new Set<string>() };
      measure(operation.selectionSet, 0, walk);
    },
  });

interface Walk {
  readonly context: ValidationContext;
  readonly maximum: number;
  readonly name: string;
  /**
   * Fragments with the depths at which they were visited. Each is visited once per depth; otherwise fragments that spread each
   * other twice would take exponential time.
   */
  readonly walked: Set<string>;
}

function measure(set: SelectionSetNode | undefined, depth: number, walk: Walk): void {
  for (const node of set?.selections ?? []) {
    if (node.kind === Kind.FRAGMENT_SPREAD) measureFragment(node.name.value, depth, walk);
    else if (node.kind === Kind.INLINE_FRAGMENT) measure(node.selectionSet, depth, walk);
    else if (!node.name.value.startsWith('__')) measureField(node, depth, walk);
  }
}

function measureField(node: FieldNode, depth: number, walk: Walk): void {
  if (depth <= walk.maximum) return measure(node.selectionSet, depth + 1, walk);
  const message = `'${walk.name}' exceeds maximum operation depth of ${String(walk.maximum)}`;
  walk.context.reportError(exceeding('plugins.graphql.config.depthLimit', new GraphQLError(message, { nodes: node })));
}

function measureFragment(name: string, depth: number, walk: Walk): void {
  const place = `${name} ${String(depth)}`;
  if (walk.walked.has(place)) return;
  walk.walked.add(place);
  measure(walk.context.getFragment(name)?.selectionSet, depth, walk);
}
