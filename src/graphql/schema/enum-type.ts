import { GraphQLEnumType } from 'graphql';
import { enumValueName } from '../../schema/read-attribute.js';
import type { ContentType, ScalarAttribute } from '../../schema/content-type.js';
import { enumName } from './names.js';
import type { SchemaContext } from './schema-context.js';

/** The enum of an enumeration attribute: names that GraphQL allows, the stored values behind them. */
export const enumType = (type: ContentType, attribute: ScalarAttribute, { store }: SchemaContext): GraphQLEnumType =>
  store.define(type, enumName(type, attribute), (name) => {
    const values = attribute.enum.map((value) => [enumValueName(value), { value }] as const);
    return new GraphQLEnumType({ name, values: Object.fromEntries(values) });
  });
