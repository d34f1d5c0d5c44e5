import { GraphQLFloat, GraphQLInt, type GraphQLObjectType, type GraphQLOutputType, GraphQLString } from 'graphql';
import { type Figure, functionNames } from '#model/query/aggregate/aggregation.js';
import { takesValues } from '#model/query/aggregate/figures.js';
import type { ContentType, LinkAttribute, ScalarAttribute } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { countOf, figureOf, figuresInPart, figuresOf, totalCountOf } from '../execute/group-resolvers.js';
import { longScalar } from '../scalars.js';
import { aggregateName, figuresName } from '../type-names.js';
import { attributeFields } from './group-attributes.js';
import { define } from './object-types.js';
import { scalarFields } from './scalar-fields.js';
import type { Fields, SchemaContext } from './schema-context.js';

/** Returns the type of the functions of groups of a content type. */
export const aggregateType = (type: ContentType, context: SchemaContext): GraphQLObjectType =>
  define(type, aggregateName(type), context, () => {
    const fields: Fields = {
      count: { type: GraphQLInt, resolve: countOf },
      totalCount: { type: GraphQLInt, resolve: totalCountOf },
    };
    for (const name of functionNames) {
      const figures = name === 'count' ? null : figuresType(type, name, context);
      if (figures !== null) fields[name] = { type: figures, resolve: figuresOf(name) };
    }
    return fields;
  });

/** Returns the type of the values of a function, by the attributes of a type or component; null if it takes none of them. */
function figuresType(type: ContentType, name: Figure['function'], context: SchemaContext): GraphQLObjectType | null {
  const fields = attributeFields(
    type,
    {
      ofAttribute: (attribute) =>
        takesValues(name, attribute) ? { type: figureTypes[name](attribute), resolve: figureOf(attribute.name) } : null,
      ofPart: (inner, part) => {
        const figures = figuresType(part, name, context);
        return figures && { type: figures, resolve: figuresInPart(inner) };
      },
    },
    context,
  );
  return fields && define(type, figuresName(type, name), context, () => fields);
}

type FigureType = (attribute: ScalarAttribute | LinkAttribute) => GraphQLOutputType;

/** Returns the scalar of an attribute. Values that an enumeration had before are answered too. */
const ownType: FigureType = (attribute) =>
  attribute.kind !== 'scalar' || attribute.type === 'enumeration' ? GraphQLString : scalarFields[attribute.type];

/** The scalars of functions. Sums of whole numbers may be larger than those. */
const figureTypes: Readonly<Record<Figure['function'], FigureType>> = {
  countDistinct: () => GraphQLInt,
  sum: (attribute) =>
    attribute.kind === 'scalar' && scalarTypes[attribute.type].fitting === 'integer' ? longScalar : GraphQLFloat,
  avg: () => GraphQLFloat,
  min: ownType,
  max: ownType,
};
