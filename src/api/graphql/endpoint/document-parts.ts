import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { memoize } from '#base/caches.js';

/** The parts of a schema that a document uses. The document is equally valid in all schemas that have these parts. */
export interface DocumentParts {
  /** Types without the root types. */
  readonly types: ReadonlySet<GraphQLNamedType>;
  /** The selected fields of the root types. */
  readonly queries: ReadonlySet<RootField>;
  readonly mutations: ReadonlySet<RootField>;
}

type RootField = GraphQLField<unknown, unknown>;

/** Returns the parts that a valid document uses. */
export function partsOf(document: DocumentNode, schema: GraphQLSchema): DocumentParts {
  const parts = { types: new Set<GraphQLNamedType>(), queries: new Set<RootField>(), mutations: new Set<RootField>() };
  const ofRoots = new Map<unknown, Set<RootField>>([
    [schema.getQueryType(), parts.queries],
    [schema.getMutationType(), parts.mutations],
  ]);
  const add = (type: GraphQLType | null | undefined): void => {
    const named = getNamedType(type);
    if (named !== undefined && !ofRoots.has(named)) parts.types.add(named);
  };
  const types = new TypeInfo(schema);
  const enter = (node: { readonly kind: Kind; readonly name?: unknown }): void => {
    for (const type of [types.getType(), types.getParentType(), types.getInputType()]) add(type);
    const field = node.kind === Kind.FIELD ? types.getFieldDef() : null;
    if (field) ofRoots.get(types.getParentType())?.add(field);
  };
  visit(document, visitWithTypeInfo(types, { enter, NamedType: (node) => add(schema.getType(node.name.value)) }));
  return parts;
}

/** Returns whether a schema has all of these parts. Unchanged parts of two successive schemas are the same objects. */
export const hasParts = (schema: GraphQLSchema, { types, queries, mutations }: DocumentParts): boolean =>
  hasFields(schema.getQueryType(), queries) &&
  hasFields(schema.getMutationType(), mutations) &&
  [...types].every((type) => schema.getType(type.name) === type);

const hasFields = (root: GraphQLObjectType | null | undefined, fields: ReadonlySet<RootField>): boolean =>
  [...fields].every((field) => isMeta(field) || root?.getFields()[field.name] === field);

/** Returns whether all schemas have the field: `__schema`, `__type` and `__typename`. */
const isMeta = ({ name }: RootField): boolean => name.startsWith('__');

/** The operation of a request, and its document, which was not validated. */
export interface NamedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** Returns the names of the root fields of an operation, with their definitions; undefined for those that the schema does not have. */
export function askedFields({ document, operation }: NamedOperation, schema: GraphQLSchema): readonly AskedField[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  return rootFieldsOf(operation, document).map(({ name: { value: name } }) => ({ name, field: fields[name] }));
}

interface AskedField {
  readonly name: string;
  readonly field: RootField | undefined;
}

/** Returns the fields at the root of an operation, including those in fragments. The document need not be valid. */
export function rootFieldsOf({ selectionSet }: OperationDefinitionNode, document: DocumentNode): readonly FieldNode[] {
  const fragments = fragmentsOf(document);
  const [fields, visited]: [FieldNode[], Set<string>] = [[], new Set()];
  const read = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) fields.push(node);
      else if (node.kind === Kind.INLINE_FRAGMENT) read(node.selectionSet);
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value);
        const fragment = fragments.get(node.name.value);
        if (fragment !== undefined) read(fragment);
      }
    }
  };
  read(selectionSet);
  return fields;
}

/** Returns the selections of the fragments of a document, by name. */
const fragmentsOf = memoize(({ definitions }: DocumentNode): ReadonlyMap<string, SelectionSetNode> => {
  const named = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(named.map((node) => [node.name.value, node.selectionSet]));
});
