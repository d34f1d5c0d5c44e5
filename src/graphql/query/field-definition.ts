import { getArgumentValues, isObjectType } from 'graphql';
import type { FieldNode, GraphQLField } from 'graphql';
import type { ContentType } from '../../schema/content-type.js';
import { typeName } from '../schema/names.js';
import type { Operation } from './collect-fields.js';

/** The arguments of a field of a type's attributes, coerced, defaults filled in. */
export function argumentsOf(node: FieldNode, owner: ContentType, operation: Operation): Readonly<Record<string, unknown>> {
  const field = fieldDefinition(owner, node.name.value, operation);
  return field === undefined ? {} : getArgumentValues(field, node, operation.variableValues);
}

/** Whether an extension gave the field a resolver of its own, which may read any attribute of its parent. */
export const isCustomField = (owner: ContentType, name: string, operation: Operation): boolean =>
  fieldDefinition(owner, name, operation)?.extensions['custom'] === true;

function fieldDefinition(owner: ContentType, name: string, { schema }: Operation): GraphQLField<unknown, unknown> | undefined {
  const type = schema.getType(typeName(owner));
  return isObjectType(type) ? type.getFields()[name] : undefined;
}
