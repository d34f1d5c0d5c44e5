import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  printSchema,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isUnionType,
  type GraphQLNamedType,
  type GraphQLType,
} from 'graphql';

/** Files to write for each new schema; false to write none. */
export interface Artifacts {
  readonly schema: string | false;
  readonly typegen: string | false;
}

/** Writes the schema as SDL and as TypeScript declarations, if the configuration has files for them. */
export async function writeArtifacts(schema: GraphQLSchema, { schema: sdl, typegen }: Artifacts): Promise<void> {
  if (sdl !== false) await write(sdl, `${printSchema(schema)}\n`);
  if (typegen !== false) await write(typegen, printTypescript(schema));
}

async function write(file: string, content: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
}

const scalars: Readonly<Record<string, string>> = {
  ID: 'string',
  String: 'string',
  Boolean: 'boolean',
  Int: 'number',
  Float: 'number',
  Long: 'number | string',
  Date: 'string',
  Time: 'string',
  DateTime: 'string',
  I18NLocaleCode: 'string',
};

/** Returns TypeScript declarations of the output and input types of a schema, for authors of resolvers. */
function printTypescript(schema: GraphQLSchema): string {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  return `// Generated from the GraphQL schema; changes are lost.\n\n${types.map(printType).join('\n\n')}\n`;
}

function printType(type: GraphQLNamedType): string {
  if (isScalarType(type)) return `export type ${aliasOf(type.name)} = ${scalars[type.name] ?? 'unknown'};`;
  if (isEnumType(type))
    return `export type ${type.name} = ${type
      .getValues()
      .map(({ name }) => `'${name}'`)
      .join(' | ')};`;
  if (isUnionType(type))
    return `export type ${type.name} = ${type
      .getTypes()
      .map(({ name }) => name)
      .join(' | ')};`;
  if (!isObjectType(type) && !isInputObjectType(type)) return '';
  const fields = Object.values(type.getFields()).map((field) => {
    const optional = isInputObjectType(type) && !isNonNullType(field.type) ? '?' : '';
    return `  ${field.name}${optional}: ${printReference(field.type)};`;
  });
  return `export interface ${type.name} {\n${fields.join('\n')}\n}`;
}

/** Returns the TypeScript name of a type. Types with the name of a built-in type are renamed. */
const aliasOf = (name: string): string => (['String', 'Boolean', 'Date', 'JSON'].includes(name) ? `${name}Scalar` : name);

function printReference(type: GraphQLType): string {
  return isNonNullType(type) ? printNonNull(type.ofType as GraphQLType) : `${printNonNull(type)} | null`;
}

const printNonNull = (type: GraphQLType): string =>
  isListType(type) ? `(${printReference(type.ofType as GraphQLType)})[]` : aliasOf(String(type));
