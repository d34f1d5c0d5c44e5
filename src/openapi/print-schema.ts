import { isRecord } from '../values.js';
import type { Schema } from '../http/json-schema.js';

/** A schema and its name. */
type NamedSchema = readonly [name: string, schema: Schema];

/** Prints schemas as TypeScript declarations. Lists are readonly, so that constants are accepted. */
export const printDeclarations = (schemas: readonly NamedSchema[]): string =>
  schemas.map(([name, schema]) => `${comment(schema, '')}${printDeclaration(name, schema)}\n`).join('\n');

function printDeclaration(name: string, schema: Schema): string {
  const type = printType(schema, '');
  const declared = identifier(name);
  return type.startsWith('{') && isWhole(schema) ? `export interface ${declared} ${type}` : `export type ${declared} = ${type};`;
}

/** Returns whether a schema is a plain object type, which can be an interface. */
const isWhole = ({ type, properties, anyOf, allOf }: Schema): boolean =>
  type === 'object' && properties !== undefined && anyOf === undefined && allOf === undefined;

/** Returns a valid TypeScript name. Names in OpenAPI may begin with a digit. */
const identifier = (name: string): string => (/^\d/.test(name) ? `_${name}` : name);

const literals = (values: readonly unknown[]): string =>
  values.length === 0 ? 'never' : values.map((value) => JSON.stringify(value)).join(' | ');

/** Returns the TypeScript type of the values that a schema allows. `indent` is the indentation of its first line. */
function printType(schema: Schema, indent: string): string {
  const { $ref, const: only, enum: values, anyOf, allOf, type } = schema;
  if (typeof $ref === 'string') return identifier($ref.slice($ref.lastIndexOf('/') + 1));
  if (only !== undefined) return literals([only]);
  if (Array.isArray(values)) return literals(values);
  if (Array.isArray(anyOf)) return joined(anyOf as Schema[], ' | ', indent); // a list of schemas by JSON Schema
  if (Array.isArray(allOf)) return joined(allOf as Schema[], ' & ', indent); // a list of schemas too
  if (Array.isArray(type))
    return [...new Set((type as unknown[]).map((one) => printOne({ ...schema, type: one }, indent)))].join(' | ');
  return printOne(schema, indent);
}

function joined(schemas: readonly Schema[], sign: ' | ' | ' & ', indent: string): string {
  const types = schemas.map((schema) => {
    const type = printType(schema, indent);
    return sign === ' & ' && isUnion(schema) ? `(${type})` : type;
  });
  return [...new Set(types)].join(sign);
}

const isUnion = ({ anyOf, enum: values, type }: Schema): boolean =>
  [anyOf, values, type].some((several) => Array.isArray(several) && several.length > 1);

/** Returns the TypeScript type for a schema with a single `type`. */
function printOne(schema: Schema, indent: string): string {
  switch (schema['type']) {
    case 'string':
    case 'boolean':
    case 'null':
      return String(schema['type']);
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return printList(schema, indent);
    case 'object':
      return printObject(schema, indent);
    default:
      return 'unknown';
  }
}

function printList({ items, minItems, maxItems }: Schema, indent: string): string {
  const item = isRecord(items) ? printType(items, indent) : 'unknown';
  if (minItems === 2 && maxItems === 2) return `readonly [${item}, ${item}]`;
  return `readonly ${isRecord(items) && (isUnion(items) || 'allOf' in items) ? `(${item})` : item}[]`;
}

function printObject({ properties, required }: Schema, indent: string): string {
  if (!isRecord(properties)) return '{ readonly [name: string]: unknown }';
  const needed = new Set(Array.isArray(required) ? required : []);
  const inner = `${indent}  `;
  const lines = Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, schema]) => {
    const member = `${key(name)}${needed.has(name) ? '' : '?'}: ${printType(schema, inner)}`;
    return { above: comment(schema, inner), member };
  });
  const [only, ...others] = lines;
  if (only === undefined) return '{}';
  if (others.length === 0 && only.above === '' && !only.member.includes('\n')) return `{ ${only.member} }`;
  return `{\n${lines.map(({ above, member }) => `${above}${inner}${member};\n`).join('')}${indent}}`;
}

const key = (name: string): string => (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : JSON.stringify(name));

function comment({ description }: Schema, indent: string): string {
  if (typeof description !== 'string' || description === '') return '';
  return `${indent}/** ${description.replaceAll(/\s+/g, ' ').replaceAll('*/', '*\\/')} */\n`;
}
