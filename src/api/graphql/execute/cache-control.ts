import {
  type ExecutionArgs,
  getNamedType,
  getVariableValues,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type FieldNode,
  type OperationDefinitionNode,
} from 'graphql';
import { isRecord } from '#base/values.js';
import { type CacheHints, CachePolicy } from '../cache-policy.js';
import { collectFields, type Operation } from '../selection/collect-fields.js';
import { staticHint } from './cache-hints.js';

/**
 * Returns the header `Cache-Control` of an answer without errors; null if caches may not keep it. As in Apollo Server 3, the field that
 * allows the least decides, and a root field or one with fields of its own allows nothing unless code or the schema says so.
 */
export function cacheControlOf(args: ExecutionArgs, operation: OperationDefinitionNode, answer: Answered): string | null {
  const type = args.schema.getRootType(operation.operation);
  if (!type) return null;
  const root: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '' }, selectionSet: operation.selectionSet };
  const walk = { operation: partsOf(args, operation), hints: answer.hints, overall: new CachePolicy() };
  restrictBy(type, { nodes: [root], value: answer.data, path: '' }, walk);
  const policy = walk.overall.policyIfCacheable();
  return policy && `max-age=${String(policy.maxAge)}, ${policy.scope.toLowerCase()}`;
}

interface Answered {
  readonly data: unknown;
  readonly hints: CacheHints;
}

interface Walk {
  readonly operation: Operation;
  readonly hints: CacheHints;
  readonly overall: CachePolicy;
}

interface Place {
  readonly nodes: readonly FieldNode[];
  /** The value in the answer. */
  readonly value: unknown;
  readonly path: string;
}

/** Restricts the policy by the fields of an object in the answer, and by those below them, until it allows nothing. */
function restrictBy(type: GraphQLObjectType, { nodes, value, path }: Place, walk: Walk): void {
  if (!isRecord(value)) return;
  for (const [key, selected] of collectFields(nodes, type.name, walk.operation)) {
    const field = type.getFields()[selected[0]?.name.value ?? ''];
    if (field === undefined || !(key in value) || walk.overall.maxAge === 0) continue;
    const place = { nodes: selected, value: value[key], path: path === '' ? key : `${path}.${key}` };
    walk.overall.restrict(policyOf(field, place.path, walk));
    descend(field.type, place, walk);
  }
}

function policyOf(field: GraphQLField<unknown, unknown>, path: string, { hints }: Walk): CachePolicy {
  const { inheritMaxAge, ...hint } = staticHint(field);
  const policy = new CachePolicy();
  policy.replace(hint);
  policy.replace(hints.get(path) ?? {});
  const isOpen = isCompositeType(getNamedType(field.type)) && inheritMaxAge !== true;
  if (policy.maxAge === undefined && (isOpen || !path.includes('.'))) policy.restrict({ maxAge: 0 });
  return policy;
}

function descend(output: GraphQLOutputType, { nodes, value, path }: Place, walk: Walk): void {
  if (Array.isArray(value))
    return void value.forEach((item: unknown, index) => {
      descend(output, { nodes, value: item, path: `${path}.${String(index)}` }, walk);
    });
  const named = getNamedType(output);
  // the answer does not say of which type a value is, but has the keys of its fields
  const types = isAbstractType(named) ? walk.operation.schema.getPossibleTypes(named) : isObjectType(named) ? [named] : [];
  for (const type of types) restrictBy(type, { nodes, value, path }, walk);
}

function partsOf(
  { schema, document, variableValues }: ExecutionArgs,
  { variableDefinitions = [] }: OperationDefinitionNode,
): Operation {
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return {
    schema,
    fragments: Object.fromEntries(fragments.map((node) => [node.name.value, node])),
    variableValues: getVariableValues(schema, variableDefinitions, variableValues ?? {}).coerced ?? {},
  };
}
