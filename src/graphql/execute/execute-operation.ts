import {
  execute,
  getArgumentValues,
  getVariableValues,
  GraphQLError,
  isNonNullType,
  Kind,
  locatedError,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type OperationDefinitionNode,
} from 'graphql';
import { bytesOf } from '../../content/shape-values.js';
import type { ApiError } from '../../errors.js';
import { collectFields } from '../selection/collect-fields.js';
import { createTypeCounter } from '../../query/budget.js';
import { compileComplete, fieldInfo, NotPlain, type Complete, type FieldInfo, type Progress } from './compile-selection.js';
import type { GraphqlContext } from '../graphql-context.js';

/**
 * Executes an operation as graphql-js does, and by graphql-js itself where introspection or a field of an extension is selected, or
 * resolvers are timed.
 * Root fields run side by side, those of a mutation one after the other; what they loaded is written out by compiled selections.
 */
export async function executeOperation(args: ExecutionArgs): Promise<ExecutionResult> {
  const context = args.contextValue as GraphqlContext; // the only context there is
  const { budget } = context.content.bind;
  try {
    if (budget.exceeded === null) {
      const result = await executeWithin(args, context);
      if (budget.exceeded === null) return result;
    }
  } catch (error) {
    if (budget.exceeded === null || error !== budget.exceeded) throw error;
  }
  return { errors: [refusal(budget.exceeded)] };
}

/** The one error of a request that costs too much. Nothing of what was read is sent. */
const refusal = ({ name, message, details }: ApiError): GraphQLError =>
  new GraphQLError(message, { extensions: { error: { name, message, details } } });

async function executeWithin(args: ExecutionArgs, context: GraphqlContext): Promise<ExecutionResult> {
  const compiled = context.tracer === null ? compileOperation(args, context) : null;
  if (compiled === null) return executeByLibrary(args, context);
  const { fields, serial } = compiled;
  const { budget } = context.content.bind;
  const progress: Progress = { path: [], errors: [], context, budget, unspent: 0 };
  const data: Record<string, unknown> = {};
  const settled: Promise<Settled>[] = [];
  for (const field of fields) {
    data[field.key] = null; // keeps the order of the query
    const running = settle(field, context);
    settled.push(running);
    if (serial) await running;
  }
  const outcomes = await Promise.all(settled);
  const whole = outcomes.every((outcome, index) => writeField(fields[index] as RootField, outcome, data, progress)); // one each
  budget.spend('answerBytes', progress.unspent);
  return progress.errors.length === 0 ? { data } : { errors: progress.errors, data: whole ? data : null };
}

async function executeByLibrary(args: ExecutionArgs, { content }: GraphqlContext): Promise<ExecutionResult> {
  const result = await execute({ ...args, options: { maxCoercionErrors: errorsToShow(args.variableValues) } });
  content.bind.budget.spend('answerBytes', bytesOf(result.data));
  return result;
}

interface RootField {
  readonly key: string;
  readonly nullable: boolean;
  readonly nodes: readonly FieldNode[];
  readonly resolve: (context: GraphqlContext) => unknown;
  readonly complete: Complete;
}

interface CompiledOperation {
  readonly fields: readonly RootField[];
  readonly serial: boolean;
}

/** Each wrong value of a variable is shown with all that is around it, which is nothing to do often with large ones. */
const errorsToShow = (variables: ExecutionArgs['variableValues']): number =>
  JSON.stringify(variables ?? {}).length > 10_000 ? 1 : 50;

/** Null if graphql-js has to do it. */
function compileOperation(args: ExecutionArgs, { content }: GraphqlContext): CompiledOperation | null {
  const { schema, document, operationName } = args;
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const operation = operationName ? operations.find(({ name }) => name?.value === operationName) : operations[0];
  const parentType = operation === undefined ? null : schema.getRootType(operation.operation);
  if (operation === undefined || !parentType) return null;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], args.variableValues ?? {}, { maxErrors: 1 });
  if (coerced === undefined) return null;
  const fragments = Object.fromEntries(
    document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node]),
  );
  try {
    const countType = createTypeCounter(content.bind);
    const known = Object.keys(fragments).length === 0 ? null : new Map();
    const fields = rootFields(operation, parentType, { fragments, countType, known, ...args, variableValues: coerced });
    return { fields, serial: operation.operation === 'mutation' };
  } catch (error) {
    // a directive or argument whose variable is null after all: graphql-js says so where it stands
    if (error instanceof NotPlain || error instanceof GraphQLError) return null;
    throw error;
  }
}

type Prepared = ExecutionArgs & {
  readonly fragments: Record<string, FragmentDefinitionNode>;
  readonly variableValues: Record<string, unknown>;
} & Pick<FieldInfo, 'countType' | 'known'>;

function rootFields(operation: OperationDefinitionNode, parentType: GraphQLObjectType, prepared: Prepared): RootField[] {
  const { schema, fragments, variableValues, countType, known } = prepared;
  const outer = { schema, fragments, variableValues, operation, rootValue: undefined, path: undefined, countType, known };
  const root: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '' }, selectionSet: operation.selectionSet };
  const base = { fieldName: '', fieldNodes: [], returnType: parentType, parentType, ...outer };
  return [...collectFields([root], parentType.name, outer)].map(([key, nodes]) => compileRoot(key, nodes, parentType, base));
}

type Base = Omit<FieldInfo, 'path'> & { readonly path: undefined };

function compileRoot(key: string, nodes: readonly FieldNode[], parentType: GraphQLObjectType, base: Base): RootField {
  const [node] = nodes;
  const name = node?.name.value ?? '';
  if (name === '__typename') return { key, nullable: false, nodes, resolve: () => parentType.name, complete: (value) => value };
  const field = parentType.getFields()[name];
  if (node === undefined || field?.resolve === undefined || field.extensions['custom'] === true || key === '__proto__')
    throw new NotPlain();
  const { resolve } = field;
  const info = fieldInfo(field, { key, nodes, parentType }, base);
  return {
    key,
    nullable: !isNonNullType(field.type),
    nodes,
    resolve: (context) => resolve(undefined, getArgumentValues(field, node, base.variableValues), context, info),
    complete: compileComplete(field.type, info),
  };
}

type Settled = { readonly value: unknown } | { readonly thrown: unknown };

async function settle({ resolve }: RootField, context: GraphqlContext): Promise<Settled> {
  try {
    return { value: await resolve(context) };
  } catch (thrown) {
    return { thrown };
  }
}

/** False where an error leaves no data at all. */
function writeField(
  { key, nullable, nodes, complete }: RootField,
  outcome: Settled,
  data: Record<string, unknown>,
  progress: Progress,
): boolean {
  progress.path.length = 0;
  progress.path.push(key);
  try {
    if ('thrown' in outcome) throw outcome.thrown;
    data[key] = complete(outcome.value, progress);
    return true;
  } catch (thrown) {
    progress.errors.push(locatedError(thrown, nodes, [key]));
    return nullable;
  }
}
