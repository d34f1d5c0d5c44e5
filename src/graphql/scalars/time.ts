import { GraphQLScalarType, Kind } from 'graphql';
import { parseTime } from '../../schema/scalar-types.js';

/** A time of day, `HH:mm:ss.SSS`. */
export const timeScalar = new GraphQLScalarType({
  name: 'Time',
  description: 'A time string with format HH:mm:ss.SSS',
  serialize: (value) => parseTime(value),
  parseValue: (value) => parseTime(value),
  parseLiteral: (node) => {
    if (node.kind !== Kind.STRING) throw new TypeError('Time cannot represent non string type');
    return parseTime(node.value);
  },
});
