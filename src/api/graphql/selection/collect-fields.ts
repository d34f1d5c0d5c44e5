import {
  type FieldNode,
  getArgumentValues,
  getDirectiveValues,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { appendTo } from '#base/values.js';

/** The parts of an operation that are needed to read selections. */
export type Operation = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

/**
 * Returns the fields that nodes select on an object type, by response key. As in execution, fragments are expanded, `@skip` and
 * `@include` are applied, and nodes with the same key are merged.
 */
export function collectFields(nodes: readonly FieldNode[], typeName: string, operation: Operation): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const seen = new Set<string>();
  for (const { selectionSet } of nodes)
    if (selectionSet !== undefined) collect(selectionSet, { typeName, operation, fields, fragments: seen });
  return fields;
}

/** Returns the fields with a name that nodes select on an object type. */
export const fieldsBelow = (
  nodes: readonly FieldNode[],
  [typeName, name]: readonly [typeName: string, name: string],
  operation: Operation,
): readonly FieldNode[] =>
  [...collectFields(nodes, typeName, operation).values()].flat().filter((node) => node.name.value === name);

interface Collection {
  readonly typeName: string;
  readonly operation: Operation;
  readonly fields: Map<string, FieldNode[]>;
  readonly fragments: Set<string>;
}

function collect({ selections }: SelectionSetNode, collection: Collection): void {
  for (const selection of selections) {
    if (!isIncluded(selection, collection.operation)) continue;
    switch (selection.kind) {
      case Kind.FIELD:
        appendTo(collection.fields, selection.alias?.value ?? selection.name.value, selection);
        break;
      case Kind.INLINE_FRAGMENT:
        if (applies(selection.typeCondition?.name.value, collection)) collect(selection.selectionSet, collection);
        break;
      case Kind.FRAGMENT_SPREAD:
        collectFragment(selection.name.value, collection);
        break;
    }
  }
}

function collectFragment(name: string, collection: Collection): void {
  const fragment = collection.operation.fragments[name];
  if (fragment === undefined || collection.fragments.has(name)) return;
  collection.fragments.add(name);
  if (applies(fragment.typeCondition.name.value, collection)) collect(fragment.selectionSet, collection);
}

function applies(condition: string | undefined, { typeName, operation: { schema } }: Collection): boolean {
  if (condition === undefined || condition === typeName) return true;
  const type = schema.getType(condition);
  const object = schema.getType(typeName);
  return isAbstractType(type) && isObjectType(object) && schema.isSubType(type, object);
}

function isIncluded(node: SelectionNode, { variableValues }: Operation): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] !== false;
}

/** Returns the coerced arguments of a field of an object type, with defaults. */
export function argumentsOf(node: FieldNode, typeName: string, operation: Operation): Readonly<Record<string, unknown>> {
  const field = fieldDefinition(typeName, node.name.value, operation);
  return field === undefined ? {} : getArgumentValues(field, node, operation.variableValues);
}

/** Returns whether an extension resolves the field. Its code may read any attribute of the parent. */
export const isCustomField = (typeName: string, name: string, operation: Operation): boolean =>
  fieldDefinition(typeName, name, operation)?.extensions['custom'] === true;

function fieldDefinition(typeName: string, name: string, { schema }: Operation): GraphQLField<unknown, unknown> | undefined {
  const type = schema.getType(typeName);
  return isObjectType(type) ? type.getFields()[name] : undefined;
}

type Path = GraphQLResolveInfo['path'];

/**
 * Returns the key of a populated attribute in a loaded entry: its name, if neither the attribute nor the `data` and `attributes`
 * around it have an alias. Otherwise it is composed of the response keys, so that two selections of one attribute have different
 * keys. Such a key contains a colon, which attribute names cannot contain.
 */
export function childKey(name: string, around: readonly string[], alias: string): string {
  const plain = alias === name && around.every((key) => key === 'data' || key === 'attributes');
  return plain ? name : [...around, alias, name].join(':');
}

/** Names of the types around the attributes of a content type. */
interface Around {
  readonly entity: string;
  readonly edge: string;
}

/** Returns the same key for a resolver's place in the answer. `types` is null for components. */
export const childKeyAt = (name: string, types: Around | null, path: Path): string =>
  childKey(name, keysAround(path.prev, types), String(path.key));

/**
 * Returns the response keys of `data` and `attributes`, in connections of `edges`, `node` and `attributes`; none inside components and
 * targets of polymorphic relations.
 */
function keysAround(holder: Path | undefined, types: Around | null): string[] {
  if (types === null || holder?.typename !== types.entity) return [];
  const data = fieldAt(holder.prev);
  const edges = data?.typename === types.edge ? [String(fieldAt(data.prev)?.key)] : [];
  return [...edges, String(data?.key), String(holder.key)];
}

/** Returns the place of a field, which may be that of an item in its list. */
const fieldAt = (path: Path | undefined): Path | undefined => (typeof path?.key === 'number' ? path.prev : path);
