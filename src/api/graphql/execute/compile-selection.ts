import {
  getArgumentValues,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  locatedError,
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
} from 'graphql';
import type { Budget } from '#base/limits/budget.js';
import { collectFields } from '../selection/collect-fields.js';
import { bytesOf } from '#base/values.js';
import type { GraphqlContext } from '../graphql-context.js';

/** The state of an answer: the current path, and the errors so far. */
export interface Progress {
  readonly path: (string | number)[];
  readonly errors: GraphQLError[];
  readonly context: GraphqlContext;
  readonly budget: Budget;
  /** Bytes that are not charged to the budget yet. They are charged with each object. */
  unspent: number;
}

/** Converts a resolved value to its part of the answer. Throws if it is null and its type is non-null. */
export type Complete = (value: unknown, progress: Progress) => unknown;

/** The information about a selected field that is the same for all rows. */
export type FieldInfo = Omit<GraphQLResolveInfo, 'path'> & {
  readonly path: NonNullable<GraphQLResolveInfo['path']>;
  /** Counts a type whose fields are compiled. Throws a ValidationError if there are too many. */
  readonly countType: () => void;
  /**
   * Compiled fields that are reached by several fragments. They are compiled once per place, instead of once per path, whose
   * number can grow exponentially. Null if the operation has no fragments.
   */
  readonly compiledFields: Map<FieldNode, Map<string, CompiledField>> | null;
  /** Number of compiled fields. */
  readonly compiled: { count: number };
};

/** Thrown if an extension resolves a selected field. Such a field may be asynchronous, so graphql-js runs the operation. */
export class NotPlainError extends Error {}

/**
 * Compiles the selection below a field once for all rows. graphql-js would process each field of each row: for 25 articles with
 * authors, their articles and categories this takes 0.9 ms, compiled 0.2 ms. (graphql-jit takes 0.07 ms by generating code from
 * the query text, but has another form of errors and eighteen packages.) Resolvers of generated fields read loaded values
 * synchronously. Throws NotPlain.
 */
export function compileComplete(type: GraphQLOutputType, info: FieldInfo): Complete {
  if (isNonNullType(type)) return compileNonNull(type.ofType as GraphQLOutputType, info);
  const complete = compileNullable(type, info);
  return (value, progress) => (value === null || value === undefined ? null : complete(value, progress));
}

function compileNonNull(type: GraphQLOutputType, info: FieldInfo): Complete {
  const complete = compileComplete(type, info);
  return (value, progress) => {
    const completed = complete(value, progress);
    if (completed === null)
      throw new Error(`Cannot return null for non-nullable field ${info.parentType.name}.${info.fieldName}.`);
    return completed;
  };
}

function compileNullable(type: GraphQLOutputType, info: FieldInfo): Complete {
  if (isLeafType(type)) return (value, progress) => weigh(type.serialize(value), progress);
  if (isListType(type)) return compileList(type.ofType as GraphQLOutputType, info);
  if (isObjectType(type)) return compileObject(type, info);
  if (!isAbstractType(type)) throw new NotPlainError();
  const byName = new Map(info.schema.getPossibleTypes(type).map((possible) => [possible.name, possible]));
  const compiled = new Map<string, Complete>();
  for (const [name, possible] of byName) compiled.set(name, compileObject(possible, info));
  return (value, progress) => {
    const name = type.resolveType?.(value, progress.context, info, type);
    const complete = typeof name === 'string' ? compiled.get(name) : undefined;
    if (complete === undefined)
      throw new Error(
        `Abstract type "${type.name}" must resolve to an Object type at runtime for field "${info.parentType.name}.${info.fieldName}".`,
      );
    return complete(value, progress);
  };
}

function weigh(value: unknown, progress: Progress): unknown {
  progress.unspent += bytesOf(value);
  return value;
}

function compileList(itemType: GraphQLOutputType, info: FieldInfo): Complete {
  const place = { nullable: !isNonNullType(itemType), nodes: info.fieldNodes, complete: compileComplete(itemType, info) };
  return (value, progress) => {
    if (!Array.isArray(value))
      throw new Error(`Expected Iterable, but did not find one for field "${info.parentType.name}.${info.fieldName}".`);
    return value.map((item: unknown, index) => completeAt(index, place, item, progress));
  };
}

interface Place {
  readonly nullable: boolean;
  readonly nodes: readonly FieldNode[];
  readonly complete: Complete;
}

/** Completes one place of the answer. After an error this place becomes null, or the nearest nullable place above it. */
function completeAt(key: string | number, { nullable, nodes, complete }: Place, value: unknown, progress: Progress): unknown {
  const { path, errors } = progress;
  const depth = path.push(key);
  try {
    return complete(value, progress);
  } catch (thrown) {
    if (thrown === progress.budget.exceeded) throw thrown; // refuses the whole request
    const located = locatedError(thrown, nodes, path.slice(0, depth));
    if (!nullable) throw located;
    errors.push(located);
    return null;
  } finally {
    path.pop();
  }
}

function compileObject(type: GraphQLObjectType, info: FieldInfo): Complete {
  const selected = [...collectFields(info.fieldNodes, type.name, info)];
  if (selected.some(([, [node]]) => node?.name.value !== '__typename')) info.countType();
  const fields = selected.map(([key, nodes]) => compileField(key, nodes, type, info));
  const bytes = selected.reduce((sum, [key]) => sum + key.length, 2);
  return (source, progress) => {
    progress.budget.spend('answerBytes', bytes + progress.unspent);
    progress.unspent = 0;
    const answer: Record<string, unknown> = {};
    for (const field of fields) answer[field.key] = completeAt(field.key, field, source, progress);
    return answer;
  };
}

/** A place whose value comes from the parent object. */
interface CompiledField extends Place {
  readonly key: string;
}

/** Compiles a field, or reuses one that was compiled for an equal place, where resolvers see the same names around it. */
function compileField(key: string, nodes: readonly FieldNode[], parentType: GraphQLObjectType, outer: FieldInfo): CompiledField {
  const [node] = nodes;
  if (outer.compiledFields === null || node?.selectionSet === undefined || nodes.length > 1)
    return compileOne(key, nodes, parentType, outer);
  const { path } = outer;
  const place = [parentType.name, path.typename, path.key, path.prev?.key].join(' ');
  const known = outer.compiledFields.get(node) ?? new Map<string, CompiledField>();
  outer.compiledFields.set(node, known);
  const field = known.get(place) ?? compileOne(key, nodes, parentType, outer);
  known.set(place, field);
  return field;
}

function compileOne(key: string, nodes: readonly FieldNode[], parentType: GraphQLObjectType, outer: FieldInfo): CompiledField {
  const name = nodes[0]?.name.value ?? '';
  if (key === '__proto__') throw new NotPlainError(); // assigning this key would set the prototype
  if (name === '__typename') return { key, nullable: false, nodes, complete: () => parentType.name };
  const field = parentType.getFields()[name];
  if (field === undefined || field.extensions['custom'] === true) throw new NotPlainError();
  outer.compiled.count += 1;
  const info = fieldInfo(field, { key, nodes, parentType }, outer);
  const complete = compileRun(field, info, compileComplete(field.type, info));
  return { key, nullable: !isNonNullType(field.type), nodes, complete };
}

/** Returns the information about a field. Its `path` contains only response keys, because list indexes differ between rows. */
export function fieldInfo(
  { name, type }: GraphQLField<unknown, unknown>,
  {
    key,
    nodes,
    parentType,
  }: { readonly key: string; readonly nodes: readonly FieldNode[]; readonly parentType: GraphQLObjectType },
  outer: Omit<FieldInfo, 'path'> & { readonly path: FieldInfo['path'] | undefined },
): FieldInfo {
  const path = { key, prev: outer.path, typename: parentType.name };
  return { ...outer, fieldName: name, fieldNodes: nodes, returnType: type, parentType, path };
}

function compileRun(field: GraphQLField<unknown, unknown>, info: FieldInfo, complete: Complete): Complete {
  const { name, resolve } = field;
  if (resolve === undefined) return (source, progress) => complete((source as Record<string, unknown>)[name], progress); // the source is a row
  const [node] = info.fieldNodes;
  if (node === undefined) throw new NotPlainError();
  const args = field.args.length === 0 ? {} : getArgumentValues(field, node, info.variableValues);
  return (source, progress) => complete(resolve(source, args, progress.context, info), progress);
}
