import {
  getNamedType,
  Kind,
  OperationTypeNode,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type TypeNode,
} from 'graphql';
import { badRequestError, forbiddenError } from '../../errors.js';
import type { MultipartBody } from '../../http/read-multipart.js';
import { isRecord } from '../../values.js';
import { requirementOf, type FieldRequirement } from '../types/schema-context.js';

/** The inputs of the check of files. */
interface FileRules {
  readonly schema: GraphQLSchema;
  /** Throws a ForbiddenError if the caller lacks the rights of a mutation; an UnauthorizedError if their token has expired. */
  readonly checkField: (asked: FieldRequirement) => void;
  /** Maximum number of tokens of a document. */
  readonly tokens: number;
}

/**
 * Checks a file of a multipart request before it is read: a mutation must take it in a variable of type Upload, and the caller must
 * have the rights of that mutation. Throws a 400 that says what is missing, or a ForbiddenError.
 */
export function acceptFile(part: string, fields: MultipartBody['fields'], rules: FileRules): void {
  const operations = decodeField(fields, 'operations');
  const map = decodeField(fields, 'map');
  const paths = Object.hasOwn(map, part) ? [map[part]].flat() : [];
  if (paths.length === 0) throw badRequestError(`The field map names no variable for the file ${part}`);
  for (const path of paths) {
    const keys = typeof path === 'string' ? path.split('.') : [];
    const mutation = findMutation(operations, keys, rules.tokens);
    if (mutation === null || !isTaken(variableOf(keys), mutation, rules.schema)) throw badRequestError(onlyUploads);
    checkFields(mutation, rules);
  }
}

const onlyUploads = 'Files are accepted only for variables of type Upload of a mutation';

/** The variable of a path, with or without the number of an operation in front. */
const variableOf = (keys: readonly string[]): string => keys[keys.indexOf('variables') + 1] ?? '';

/** Whether an argument of an operation takes a variable as a file. */
function isTaken(name: string, operation: OperationDefinitionNode, schema: GraphQLSchema): boolean {
  const types = new TypeInfo(schema);
  let taken = false;
  const visitor = visitWithTypeInfo(types, {
    VariableDefinition: () => false,
    Variable: (node) => {
      taken ||= node.name.value === name && getNamedType(types.getInputType())?.name === 'Upload';
    },
  });
  visit(operation, visitor);
  return taken;
}

/** Returns the decoded JSON of a field. The convention of multipart requests puts it before the files. */
function decodeField(fields: MultipartBody['fields'], name: string): Readonly<Record<string, unknown>> {
  const [text] = fields.get(name) ?? [];
  if (text === undefined) throw badRequestError(`The field ${name} has to come before the files`);
  const value = decode(text);
  if (!isRecord(value) && !Array.isArray(value)) throw badRequestError(`The field ${name} is not valid JSON`);
  return value as Readonly<Record<string, unknown>>; // a list has its indices as keys
}

function decode(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The mutation that takes a file in the variable of a path: `variables.file`, `variables.files.0`, and in a batch `0.variables.file`.
 * Null if there is none.
 */
function findMutation(
  operations: Readonly<Record<string, unknown>>,
  [first = '', ...rest]: readonly string[],
  tokens: number,
): OperationDefinitionNode | null {
  if (Array.isArray(operations)) {
    const member: unknown = operations[Number(first)];
    return isRecord(member) ? findMutation(member, rest, tokens) : null;
  }
  const operation = first === 'variables' ? operationOf(operations, tokens) : null;
  if (operation?.operation !== OperationTypeNode.MUTATION) return null;
  const takesFile = (operation.variableDefinitions ?? []).some(
    ({ variable, type }) => variable.name.value === rest[0] && nameOfType(type) === 'Upload',
  );
  return takesFile ? operation : null;
}

/**
 * Throws a ForbiddenError if the caller lacks the rights of a field of a mutation. Fragments are refused here, since they may
 * hide fields.
 */
function checkFields({ selectionSet }: OperationDefinitionNode, { schema, checkField }: FileRules): void {
  const fields = schema.getMutationType()?.getFields() ?? {};
  for (const node of selectionSet.selections) {
    if (node.kind !== Kind.FIELD) throw forbiddenError('Forbidden access');
    const field = fields[node.name.value];
    if (field !== undefined) checkField(requirementOf(field));
  }
}

/** The operation of a request, as far as it is known before its document is checked; null if there is none. */
function operationOf(
  { query, operationName }: Readonly<Record<string, unknown>>,
  tokens: number,
): OperationDefinitionNode | null {
  const document = typeof query === 'string' ? parseDocument(query, tokens) : null;
  const found = document?.definitions.find(
    (node): node is OperationDefinitionNode =>
      node.kind === Kind.OPERATION_DEFINITION && (typeof operationName !== 'string' || node.name?.value === operationName),
  );
  return found ?? null;
}

function parseDocument(text: string, maxTokens: number): DocumentNode | null {
  try {
    return parse(text, { maxTokens });
  } catch {
    return null;
  }
}

const nameOfType = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOfType(type.type));
