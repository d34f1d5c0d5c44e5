import { GraphQLError } from 'graphql';
import type { ValidationRule } from 'graphql';

const message =
  'GraphQL introspection is not allowed by Apollo Server, but the query contained __schema or __type. ' +
  'To enable introspection, pass introspection: true to ApolloServer in production';

/** Refuses `__schema` and `__type`, in the words that tools of the reference look for; `__typename` is always fine. */
export const noIntrospection: ValidationRule = (context) => ({
  Field(node) {
    if (node.name.value === '__schema' || node.name.value === '__type')
      context.reportError(new GraphQLError(message, { nodes: node }));
  },
});
