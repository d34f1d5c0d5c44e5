import { getArgumentValues, isObjectType } from 'graphql';
import type { FieldNode, GraphQLField } from 'graphql';
import type { Operation } from './collect-fields.js';

/** The arguments of a field of an object type, coerced, defaults filled in. */
export function argumentsOf(node: FieldNode, typeName: string, operation: Operation): Readonly<Record<string, unknown>> {
  const field = fieldDefinition(typeName, node.name.value, operation);
  return field === undefined ? {} : getArgumentValues(field, node, operation.variableValues);
}

/** Whether code of an extension stands in the field, which may read any attribute of its parent. */
export const isCustomField = (typeName: string, name: string, operation: Operation): boolean =>
  fieldDefinition(typeName, name, operation)?.extensions['custom'] === true;

function fieldDefinition(typeName: string, name: string, { schema }: Operation): GraphQLField<unknown, unknown> | undefined {
  const type = schema.getType(typeName);
  return isObjectType(type) ? type.getFields()[name] : undefined;
}
