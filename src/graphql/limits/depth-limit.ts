import { GraphQLError, Kind } from 'graphql';
import type { DefinitionNode, FragmentDefinitionNode, SelectionNode, ValidationContext, ValidationRule } from 'graphql';

/**
 * Refuses operations whose fields nest deeper than `maximum`, a leaf at the root being 0 deep; fragments add nothing and
 * introspection is not counted (graphql.md 4.3).
 */
export const depthLimit =
  (maximum: number): ValidationRule =>
  (context) => ({
    OperationDefinition(operation) {
      const walk = {
        context,
        maximum,
        name: operation.name?.value ?? '',
        fragments: fragmentsOf(context),
        open: new Set<string>(),
      };
      for (const selection of operation.selectionSet.selections) measure(selection, 0, walk);
    },
  });

interface Walk {
  readonly context: ValidationContext;
  readonly maximum: number;
  readonly name: string;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Fragments that are being walked, since a document that is refused for other reasons may go in circles. */
  readonly open: Set<string>;
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
  const fragment = walk.fragments.get(name);
  if (fragment === undefined || walk.open.has(name)) return;
  walk.open.add(name);
  for (const inner of fragment.selectionSet.selections) measure(inner, depth, walk);
  walk.open.delete(name);
}

const fragmentsOf = (context: ValidationContext): Map<string, FragmentDefinitionNode> =>
  new Map(
    context
      .getDocument()
      .definitions.filter(isFragment)
      .map((fragment) => [fragment.name.value, fragment]),
  );

const isFragment = (node: DefinitionNode): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION;
