import {
  getNamedType,
  Kind,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type TypeNode,
} from 'graphql';
import { badRequestError, forbiddenError } from '#base/errors.js';
import type { MultipartBody } from '#http/read-multipart.js';
import { decodeOrNull, isRecord, textOrNull } from '#base/values.js';
import { requirementOf, type FieldRequirement } from '../types/schema-context.js';
import type { Documents } from './documents.js';

interface FileRules {
  readonly schema: GraphQLSchema;
  /** Throws a ForbiddenError if the caller lacks the rights of a mutation; an UnauthorizedError if their token has expired. */
  readonly checkField: (requirement: FieldRequirement) => void;
  /** Returns the operation of a query text; null if there is none. */
  readonly find: Documents['find'];
}

/** A mutation that takes files, and the names of the variables for the files. */
interface Taking {
  readonly mutation: OperationDefinitionNode;
  readonly variables: ReadonlySet<string>;
}

/** Returns the mutation of a request that takes files; null if there is none. */
type FindTaking = (request: Readonly<Record<string, unknown>>) => Taking | null;

/**
 * Returns the check of files in one multipart request. It is called before each file is read. A mutation must take the file in a
 * variable of type Upload, and the caller must have the rights of the mutation. Throws a 400 that names the missing part, or a
 * ForbiddenError. Each document is parsed only once.
 */
export function createFileCheck(rules: FileRules): (part: string, fields: MultipartBody['fields']) => void {
  const found = new Map<string, Taking | null>();
  const allowed = new Set<OperationDefinitionNode>();
  const findTaking: FindTaking = (request) => {
    const key = JSON.stringify([request['query'], request['operationName']].map(textOrNull));
    const known = found.get(key);
    if (known !== undefined) return known;
    const taking = readTaking(request, rules);
    found.set(key, taking);
    return taking;
  };
  return (part, fields) => {
    for (const { mutation } of takingsOf(part, fields, findTaking)) {
      if (!allowed.has(mutation)) checkFields(mutation, rules);
      allowed.add(mutation);
    }
  };
}

/** Maximum number of variables per file. */
const mostPlaces = 100;

/** Returns the mutations that take a file. Throws a 400 if a variable in `map` is not one for files. */
function takingsOf(part: string, fields: MultipartBody['fields'], find: FindTaking): readonly Taking[] {
  const operations = decodeField(fields, 'operations');
  const map = decodeField(fields, 'map');
  const paths = Object.hasOwn(map, part) ? [map[part]].flat() : [];
  if (paths.length === 0) throw badRequestError(`The field map names no variable for the file ${part}`);
  if (paths.length > mostPlaces)
    throw badRequestError(`The field map names more than ${String(mostPlaces)} variables for the file ${part}`);
  return paths.map((path) => {
    const keys = typeof path === 'string' ? path.split('.') : [];
    const taking = findMutation(operations, keys, find);
    if (taking === null) throw badRequestError(onlyUploads);
    return taking;
  });
}

const onlyUploads = 'Files are accepted only for variables of type Upload of a mutation';

/** Returns the names of the variables that an operation uses as arguments of type Upload. */
function takenVariables(operation: OperationDefinitionNode, schema: GraphQLSchema): Set<string> {
  const types = new TypeInfo(schema);
  const taken = new Set<string>();
  const visitor = visitWithTypeInfo(types, {
    VariableDefinition: () => false,
    Variable: (node) => {
      if (getNamedType(types.getInputType())?.name === 'Upload') taken.add(node.name.value);
    },
  });
  visit(operation, visitor);
  return taken;
}

/** Returns the decoded JSON of a field. By the convention of multipart requests it precedes the files. */
function decodeField(fields: MultipartBody['fields'], name: string): Readonly<Record<string, unknown>> {
  const [text] = fields.get(name) ?? [];
  if (text === undefined) throw badRequestError(`The field ${name} must come before the files`);
  const value = decodeOrNull(text);
  if (!isRecord(value) && !Array.isArray(value)) throw badRequestError(`The field ${name} is not valid JSON`);
  return value as Readonly<Record<string, unknown>>; // the keys of a list are its indices
}

/**
 * Returns the mutation that takes a file at a path: `variables.file`, `variables.files.0`, or `0.variables.file` in a batch; null
 * if there is none.
 */
function findMutation(
  operations: Readonly<Record<string, unknown>>,
  [first = '', ...rest]: readonly string[],
  find: FindTaking,
): Taking | null {
  if (Array.isArray(operations)) {
    const member: unknown = operations[Number(first)];
    return isRecord(member) ? findMutation(member, rest, find) : null;
  }
  const taking = first === 'variables' ? find(operations) : null;
  return taking?.variables.has(rest[0] ?? '') === true ? taking : null;
}

/** Returns the mutation of a request, with the variables that are declared and used as files; null if there is no mutation. */
function readTaking(request: Readonly<Record<string, unknown>>, { schema, find }: FileRules): Taking | null {
  const mutation = find(textOrNull(request['query']) ?? '', textOrNull(request['operationName']))?.operation;
  if (mutation?.operation !== OperationTypeNode.MUTATION) return null;
  const taken = takenVariables(mutation, schema);
  const declared = (mutation.variableDefinitions ?? [])
    .filter(({ type }) => nameOfType(type) === 'Upload')
    .map(({ variable }) => variable.name.value);
  return { mutation, variables: new Set(declared.filter((name) => taken.has(name))) };
}

/**
 * Throws a ForbiddenError if the caller lacks the rights of a field of a mutation. Fragments are refused, because they may hide
 * fields.
 */
function checkFields({ selectionSet }: OperationDefinitionNode, { schema, checkField }: FileRules): void {
  const fields = schema.getMutationType()?.getFields() ?? {};
  for (const node of selectionSet.selections) {
    if (node.kind !== Kind.FIELD) throw forbiddenError('Forbidden access');
    const field = fields[node.name.value];
    if (field !== undefined) checkField(requirementOf(field));
  }
}

const nameOfType = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOfType(type.type));
