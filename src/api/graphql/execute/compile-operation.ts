import {
  getArgumentValues,
  getVariableValues,
  GraphQLError,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type OperationDefinitionNode,
} from 'graphql';
import { BoundedCache, memoize } from '#base/caches.js';
import { collectFields } from '../selection/collect-fields.js';
import { markRepeatedField } from '../selection/read-root.js';
import type { GraphqlContext } from '../graphql-context.js';
import { compileComplete, fieldInfo, NotPlainError, type Complete, type FieldInfo } from './compile-selection.js';

export interface RootField {
  readonly key: string;
  readonly nullable: boolean;
  readonly nodes: readonly FieldNode[];
  /** `root` is the change of a subscription; otherwise there is none. */
  readonly resolve: (context: GraphqlContext, root: unknown) => unknown;
  readonly complete: Complete;
}

interface CompiledOperation {
  readonly fields: readonly RootField[];
  readonly serial: boolean;
}

/** An operation with the values of its variables. Equal requests share it. */
interface Prepared {
  readonly args: ExecutionArgs;
  readonly operation: OperationDefinitionNode;
  readonly parentType: GraphQLObjectType;
  readonly variableValues: Record<string, unknown>;
}

/** Returns a compiled operation; null if graphql-js has to run it. Repeated queries are compiled once. */
export function findCompiled(args: ExecutionArgs, context: GraphqlContext): CompiledOperation | null {
  const prepared = prepare(args);
  if (prepared === null) return null;
  const key = prepared.operation.operation === 'query' ? keyOf(prepared) : null;
  if (key === null) return compileOperation({ isRepeated: false, ...prepared }, context).compiled;
  const cache = cacheOf(args.schema);
  const kept = cache.get(key);
  if (kept !== undefined) return kept.compiled;
  const compiled = compileOperation({ isRepeated: true, ...prepared }, context);
  cache.set(key, compiled, bytesPerField * (compiled.fieldCount + 1));
  return compiled.compiled;
}

interface CompiledDocument {
  /** Null if graphql-js has to run the operation. */
  readonly compiled: CompiledOperation | null;
  readonly fieldCount: number;
}

/** Bounds of the cache of each schema. A compiled field takes about one kilobyte, including its parsed list arguments. */
const bounds = { entries: 1_000, bytes: 32_000_000 };
const bytesPerField = 1_000;
const longestKey = 2_000;

const cacheOf = memoize<GraphQLSchema, BoundedCache<CompiledDocument>>(() => new BoundedCache(bounds));

/** Numbers of the documents that were used before. Equal source texts have the same document while it is cached. */
const numbers = new WeakMap<DocumentNode, number>();
let lastNumber = 0;

/**
 * Returns the cache key; null for a document that is used for the first time, because many are sent only once, and for long
 * variables.
 */
function keyOf({ args: { document }, operation, variableValues }: Prepared): string | null {
  const number = numbers.get(document);
  if (number === undefined) {
    numbers.set(document, ++lastNumber);
    return null;
  }
  const key = `${String(number)} ${operation.name?.value ?? ''} ${JSON.stringify(variableValues)}`;
  return key.length > longestKey ? null : key;
}

/** Returns the operation with coerced variables; null if there is no such operation, or the variables are invalid. */
function prepare(args: ExecutionArgs): Prepared | null {
  const { schema, document, operationName } = args;
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const operation = operationName ? operations.find(({ name }) => name?.value === operationName) : operations[0];
  const parentType = operation === undefined ? null : schema.getRootType(operation.operation);
  if (operation === undefined || !parentType) return null;
  const { variableDefinitions = [] } = operation;
  const { coerced } = getVariableValues(schema, variableDefinitions, args.variableValues ?? {}, { maxErrors: 1 });
  return coerced === undefined ? null : { args, operation, parentType, variableValues: coerced };
}

interface Compiling extends Prepared {
  /** Whether the compiled operation will be cached. */
  readonly isRepeated: boolean;
}

function compileOperation(compiling: Compiling, { content }: GraphqlContext): CompiledDocument {
  const { args, operation, parentType, variableValues, isRepeated } = compiling;
  const definitions = args.document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const fragments: Record<string, FragmentDefinitionNode> = Object.fromEntries(
    definitions.map((node) => [node.name.value, node]),
  );
  const { schema } = args;
  const outer = {
    schema,
    fragments,
    variableValues,
    operation,
    rootValue: undefined,
    path: undefined,
    countType: content.bind.budget.typeCounter(),
    compiledFields: definitions.length === 0 ? null : new Map(),
    compiled: { count: 0 },
  };
  const base = { isRepeated, fieldName: '', fieldNodes: [], returnType: parentType, parentType, ...outer };
  try {
    const compiled = { fields: rootFields(base), serial: operation.operation === 'mutation' };
    return { compiled, fieldCount: outer.compiled.count };
  } catch (error) {
    // the variable of a directive or argument is null: graphql-js reports it with its position
    if (error instanceof NotPlainError || error instanceof GraphQLError) return { compiled: null, fieldCount: 0 };
    throw error;
  }
}

type Base = Omit<FieldInfo, 'path'> & Pick<Compiling, 'isRepeated'> & { readonly path: undefined };

function rootFields(base: Base): RootField[] {
  const { selectionSet } = base.operation;
  const root: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '' }, selectionSet };
  return [...collectFields([root], base.parentType.name, base)].map(([key, nodes]) => compileRoot(key, nodes, base));
}

function compileRoot(key: string, nodes: readonly FieldNode[], base: Base): RootField {
  const { parentType } = base;
  const [node] = nodes;
  const name = node?.name.value ?? '';
  if (name === '__typename') return { key, nullable: false, nodes, resolve: () => parentType.name, complete: (value) => value };
  const field = parentType.getFields()[name];
  if (node === undefined || field?.resolve === undefined || field.extensions['custom'] === true || key === '__proto__')
    throw new NotPlainError();
  const { resolve } = field;
  const info = fieldInfo(field, { key, nodes, parentType }, base);
  if (base.isRepeated) markRepeatedField(info);
  const args = getArgumentValues(field, node, base.variableValues);
  return {
    key,
    nullable: !isNonNullType(field.type),
    nodes,
    resolve: (context, root) => resolve(root, args, context, info),
    complete: compileComplete(field.type, info),
  };
}
