import type { Access } from '#model/query/access.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import { Components, schemasByName } from './components.js';
import { createSchema, filtersSchema, inputSchema } from './input-schemas.js';
import { isRecord } from '#base/values.js';
import { printDart } from './languages/dart.js';
import { printKotlin } from './languages/kotlin.js';
import { printSwift } from './languages/swift.js';
import { answerSchema } from './scalar-schemas.js';
import { anything, oneOf, orNull, record, type Schema } from '#http/json-schema.js';
import { shownAttributes, type ShownAttribute } from './shown-attributes.js';
import { allowedOn, usedTypes } from './used-types.js';

type Print = (registry: Registry, access: Access) => string;

const printing =
  (print: (components: Components) => string): Print =>
  (registry, access) =>
    print(new Components(registry, access));

/** By language: prints the content types that the caller may use as declarations. */
export const languages = {
  dart: printing(printDart),
  kotlin: printing(printKotlin),
  swift: printing(printSwift),
  typescript: printing(printTypeScript),
} as const;

/** Prints the content types that the caller may use as declarations of TypeScript. */
export const printTypes: Print = languages.typescript;

/** `ContentTypes` lists the types by name. */
function printTypeScript(components: Components): string {
  contentTypes(components);
  const { ContentTypes = {}, ...others } = components.schemas();
  return head + printDeclarations([['ContentTypes', ContentTypes], ...Object.entries(others)]);
}

const head = '// The content types of a Mangrove service. Generated from its models: changes are lost.\n\n';

/** Returns the shapes of the content types on which the caller may do an action, by their name in paths; users and files by uid. */
const contentTypes = (components: Components): Schema =>
  components.named('ContentTypes', () =>
    record(Object.fromEntries(usedTypes(components).map(([name, type]) => [name, typeShape(type, components)]))),
  );

/** Returns the shape of a type for the client: values, links, accepted values, and filters. */
const typeShape = (type: ContentType, components: Components): Schema =>
  components.ofType(type, 'Shape', () => {
    const actions = allowedOn(type, components);
    const shown = shownAttributes(type, components);
    return {
      ...record({
        uid: { const: type.uid },
        kind: { const: type.kind },
        actions: { enum: actions },
        values: record(schemasByName(shown, valueOf)),
        links: record(schemasByName(shown, (attribute) => linkOf(attribute, components))),
        input: actions.some(writes) ? inputSchema(type, components) : nothing,
        create: actions.includes('create') ? createSchema(type, components) : nothing,
        filters: type.kind === 'component' ? nothing : filtersSchema(type, components),
        ...(keepsDrafts(type) && { drafts: { const: 'beside' } }),
      }),
      description: type.description === '' ? type.uid : `${type.uid}: ${type.description}`,
    };
  });

const nothing: Schema = { enum: [] };

const writes = (action: string): boolean => ['create', 'update', 'createLocalization'].includes(action);

/** Returns the schema of a value. Only drafts may have null in required attributes. */
function valueOf(shown: ShownAttribute): Schema | null {
  if (shown.kind !== 'scalar') return null;
  const { attribute } = shown;
  return attribute.required ? answerSchema(attribute) : orNull(answerSchema(attribute));
}

/** Returns the schema of the targets of an attribute. The key names the form in which they are answered. */
function linkOf(shown: ShownAttribute, components: Components): Schema | null {
  const shapes = (types: readonly ContentType[]): Schema => oneOf(types.map((type) => typeShape(type, components)));
  switch (shown.kind) {
    case 'scalar':
      return null;
    case 'link': {
      const { attribute, target } = shown;
      const key = !attribute.many ? 'one' : attribute.kind === 'media' ? 'files' : 'many';
      return record({ [key]: shapes([target]) });
    }
    case 'morph':
      return record({ [shown.many ? 'targets' : 'target']: shown.targets === null ? anything : shapes(shown.targets) });
    case 'parts': {
      const { attribute, parts } = shown;
      const key = attribute.kind === 'dynamiczone' ? 'zone' : attribute.repeatable ? 'parts' : 'part';
      return record({ [key]: shapes(parts) });
    }
  }
}

type NamedSchema = readonly [name: string, schema: Schema];

/** Prints schemas as TypeScript declarations. Lists are readonly, so that constants are accepted. */
const printDeclarations = (schemas: readonly NamedSchema[]): string =>
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

function printObject({ properties, required, additionalProperties: more }: Schema, indent: string): string {
  if (!isRecord(properties)) return `{ readonly [name: string]: ${isRecord(more) ? printType(more, indent) : 'unknown'} }`;
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
