import { GraphQLError } from 'graphql';
import type { ValidationRule } from 'graphql';

/** Refuses documents with more aliases than allowed: each alias of a field is work of its own. */
export const aliasLimit =
  (maximum: number): ValidationRule =>
  (context) => {
    let count = 0;
    return {
      Field(node) {
        if (node.alias === undefined || ++count !== maximum + 1) return;
        context.reportError(new GraphQLError(`The query has more than ${String(maximum)} aliases`, { nodes: node }));
      },
    };
  };

/** Refuses operations with more fields at their root than allowed: each is at least one database command. */
export const rootFieldLimit =
  (maximum: number): ValidationRule =>
  (context) => ({
    OperationDefinition(operation) {
      const [extra] = operation.selectionSet.selections.slice(maximum);
      if (extra === undefined) return;
      context.reportError(
        new GraphQLError(`The operation has more than ${String(maximum)} fields at its root`, { nodes: extra }),
      );
    },
  });
