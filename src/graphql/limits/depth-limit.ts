import { GraphQLError, Kind } from 'graphql';
import type { SelectionNode, ValidationContext, ValidationRule } from 'graphql';

/**
 * Refuses operations whose fields nest deeper than `maximum`, a leaf at the root being 0 deep; fragments add nothing and
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
  /** Fragments by the depths at which they were walked: once each, since fragments that double one another would take for ever. */
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
