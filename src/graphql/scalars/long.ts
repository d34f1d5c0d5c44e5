import { GraphQLScalarType, Kind, valueFromASTUntyped, type ValueNode } from 'graphql';

/** A 64-bit integer: a JSON number while that is exact, else its digits as text. */
export const longScalar = new GraphQLScalarType({
  name: 'Long',
  description: 'The `BigInt` scalar type represents non-fractional signed whole numeric values.',
  serialize: exactInteger,
  parseValue: exactInteger,
  parseLiteral: (node) => exactInteger(literalText(node)),
});

function exactInteger(value: unknown): number | string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  // BigInt says itself what it cannot read, in the words that clients of Strapi v4 know
  const integer = BigInt(typeof value === 'number' || typeof value === 'bigint' ? value : String(value));
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer.toString();
}

const literalText = (node: ValueNode): unknown =>
  node.kind === Kind.INT || node.kind === Kind.FLOAT || node.kind === Kind.STRING ? node.value : node.kind;

const standard = 'http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf';

/** Any JSON value, as it is. */
export const jsonScalar = new GraphQLScalarType({
  name: 'JSON',
  description: `The \`JSON\` scalar type represents JSON values as specified by [ECMA-404](${standard}).`,
  specifiedByURL: standard,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
});
