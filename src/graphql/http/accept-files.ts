import { Kind, OperationTypeNode, parse, type DocumentNode, type OperationDefinitionNode, type TypeNode } from 'graphql';
import { uploadAction } from '../../access/known-actions.js';
import { badRequestError, forbiddenError } from '../../errors.js';
import type { MultipartBody } from '../../http/read-multipart.js';
import { allows, type Access } from '../../query/access.js';
import { isRecord } from '../../query/is-record.js';

/** What decides about the files of a request. */
export interface FileRules {
  readonly access: Access;
  /** Tokens that a document may have. */
  readonly tokens: number;
}

/**
 * Checks, before the first file of a multipart request is read, that files are wanted: by a mutation that takes each of them in a
 * variable of type Upload, from a caller who may upload. Throws a 400 that says what is missing, or a ForbiddenError.
 */
export function acceptFiles(fields: MultipartBody['fields'], { access, tokens }: FileRules): void {
  const operations = decodeField(fields, 'operations');
  const map = decodeField(fields, 'map');
  if (!allows(access, uploadAction)) throw forbiddenError('Forbidden access');
  const paths = Object.values(map).flat();
  if (!paths.every((path) => typeof path === 'string' && takesFile(operations, path.split('.'), tokens)))
    throw badRequestError('Files are accepted only for variables of type Upload of a mutation');
}

/** The JSON of a field, an object or a list; the convention of multipart requests has it before the files. */
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

/** `variables.file`, `variables.files.0`, and in a batch `0.variables.file`. */
function takesFile(operations: Readonly<Record<string, unknown>>, path: readonly string[], tokens: number): boolean {
  const [first = '', ...rest] = path;
  if (Array.isArray(operations)) {
    const member: unknown = operations[Number(first)];
    return isRecord(member) && takesFile(member, rest, tokens);
  }
  const operation = first === 'variables' ? operationOf(operations, tokens) : null;
  if (operation?.operation !== OperationTypeNode.MUTATION) return false;
  return (operation.variableDefinitions ?? []).some(
    ({ variable, type }) => variable.name.value === rest[0] && nameOfType(type) === 'Upload',
  );
}

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
