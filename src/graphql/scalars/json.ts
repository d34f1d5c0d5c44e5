import { GraphQLScalarType, valueFromASTUntyped } from 'graphql';

const standard = 'http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf';

/** Any JSON value, as it is. */
export const jsonScalar = new GraphQLScalarType({
  name: 'JSON',
  description: `The \`JSON\` scalar type represents JSON values as specified by [ECMA-404](${standard}).`,
  specifiedByURL: standard,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
});
