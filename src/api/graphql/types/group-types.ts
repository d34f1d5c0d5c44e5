import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import { isAggregated } from '#model/query/aggregate/aggregation.js';
import { bucketUnits } from '#model/query/aggregate/buckets.js';
import { takesValues } from '#model/query/aggregate/figures.js';
import type { ContentType, LinkAttribute, ScalarAttribute, ScalarType } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import {
  aggregateResolver,
  entryOf,
  groupByResolver,
  groupsOf,
  holderOf,
  keyOf,
  keysInPart,
} from '../execute/group-resolvers.js';
import { groupByName, groupEntriesName, keyScalarName, linkGroupName, scalarGroupName } from '../type-names.js';
import { aggregateType } from './figure-types.js';
import { attributeFields } from './group-attributes.js';
import { define } from './object-types.js';
import { type Fields, plainField, type SchemaContext, shownType } from './schema-context.js';

/** The parts of dates by which entries are grouped. */
const bucketType = new GraphQLEnumType({
  name: 'Group_DatePart',
  values: Object.fromEntries(bucketUnits.map((unit) => [unit.toUpperCase(), { value: unit }])),
});

const bucketArgs: GraphQLFieldConfigArgumentMap = { by: plainField(bucketType), timezone: plainField(GraphQLString) };

/** Returns the fields of a connection with groups; none for types whose entries cannot be grouped. */
export function groupFields(type: ContentType, context: SchemaContext): Fields {
  if (!isAggregated(type)) return {};
  const keys = keysType(type, type, context);
  return {
    aggregate: { type: aggregateType(type, context), resolve: aggregateResolver(type) },
    ...(keys && { groupBy: { type: keys, resolve: groupByResolver(type) } }),
  };
}

/** Returns the type of the keys of a content type, or of a component in it; null if there are none. */
function keysType(type: ContentType, part: ContentType, context: SchemaContext): GraphQLObjectType | null {
  const fields = attributeFields(
    part,
    {
      ofAttribute: (attribute) => keyField(attribute, type, context),
      ofPart: (name, inner) => {
        const keys = keysType(type, inner, context);
        return keys && { type: keys, resolve: keysInPart(name) };
      },
    },
    context,
  );
  return fields && define(type, groupByName(type, part), context, () => fields);
}

function keyField(attribute: ScalarAttribute | LinkAttribute, type: ContentType, context: SchemaContext): Fields[string] | null {
  const group = attribute.kind === 'scalar' ? groupOfScalar(attribute, type, context) : groupOfLink(attribute, type, context);
  if (group === null) return null;
  const args = attribute.kind === 'scalar' && hasParts(attribute.type) ? { args: bucketArgs } : {};
  return { type: new GraphQLList(new GraphQLNonNull(group)), ...args, resolve: groupsOf(attribute.name) };
}

const hasParts = (type: ScalarType): boolean => ['Date', 'DateTime'].includes(scalarTypes[type].graphql);

const keyScalars = { Boolean: GraphQLBoolean, Float: GraphQLFloat, Int: GraphQLInt, String: GraphQLString };

function groupOfScalar(attribute: ScalarAttribute, type: ContentType, context: SchemaContext): GraphQLObjectType | null {
  if (!takesValues('countDistinct', attribute)) return null;
  return define(type, scalarGroupName(type, attribute.type), context, () => ({
    key: { type: keyScalars[keyScalarName(attribute.type)], resolve: keyOf },
    ...connectionField(type, context),
  }));
}

function groupOfLink(
  { target: uid, storage }: LinkAttribute,
  type: ContentType,
  context: SchemaContext,
): GraphQLObjectType | null {
  const target = storage.kind === 'own' || storage.kind === 'inverse' ? shownType(context, uid) : null;
  if (target === null) return null;
  return define(type, linkGroupName(type, target), context, () => ({
    key: { type: GraphQLID, resolve: keyOf },
    entry: { type: context.objects.entity(target, context), resolve: entryOf },
    ...connectionField(type, context),
  }));
}

/** Returns the field with the groups in a group. */
const connectionField = (type: ContentType, context: SchemaContext): Fields => ({
  connection: {
    type: new GraphQLNonNull(define(type, groupEntriesName(type), context, () => groupFields(type, context))),
    resolve: holderOf,
  },
});
