/** A JSON schema of draft 2020-12, as OpenAPI 3.1 uses it. */
export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const integer: Schema = { type: 'integer' };
export const anything: Schema = {};

export const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** Returns the schema of an object with these properties and no others. All are required unless `required` lists some. */
export const record = (properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** Returns the schema that also allows null. */
export function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (schema === anything) return schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }) };
}

/** Returns a schema that allows any of several. A single one is returned unchanged. */
export const oneOf = (schemas: readonly Schema[]): Schema =>
  schemas.length === 1 ? (schemas[0] ?? anything) : schemas.length === 0 ? anything : { anyOf: schemas };
