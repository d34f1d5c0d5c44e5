import type { FieldNode } from 'graphql';
import { ApiError } from '#base/errors.js';
import { mayReach } from '#model/query/entry-access.js';
import { emptyQuery, fieldOf, noPopulate, type PopulateField, type Query } from '#model/query/ast.js';
import { bindNested } from '#model/query/bind-nested.js';
import { unlimited } from '#base/limits/budget.js';
import type { Attribute, ComponentAttribute, ContentType, LinkAttribute, ScalarAttribute } from '#model/schema/content-type.js';
import { entityName, relationCollectionName, responseName, typeName } from '../type-names.js';
import { argumentsOf, childKey, collectFields, isCustomField } from './collect-fields.js';
import { parseListArguments } from './parse-list-arguments.js';
import type { TypeSelection, ReadingContext } from './reading-context.js';

/**
 * Reads the selection below `data` of a response type: attributes to load, and relations to populate under the keys that their
 * resolvers use.
 */
export function readSelection(
  nodes: readonly FieldNode[],
  response: string,
  type: ContentType,
  context: ReadingContext,
): TypeSelection {
  const parts = [...collectFields(nodes, response, context.operation)].flatMap(([key, data]) =>
    data[0]?.name.value === 'data' ? readEntity(data, type, { holder: response, around: [key] }, context) : [],
  );
  return mergeSelections(parts);
}

/** Reads the selections on an entity. `holder` is the type that has it, `around` the response keys below the field that was resolved. */
export function readEntity(
  nodes: readonly FieldNode[],
  type: ContentType,
  { holder, around }: { readonly holder: string; readonly around: readonly string[] },
  context: ReadingContext,
): readonly TypeSelection[] {
  const { operation } = context;
  const parts: TypeSelection[] = isCustomField(holder, nodes[0]?.name.value ?? '', operation) ? [seenByCode] : [];
  for (const [key, attributes] of collectFields(nodes, entityName(type), operation)) {
    const name = attributes[0]?.name.value ?? '';
    if (isCustomField(entityName(type), name, operation)) parts.push(seenByCode);
    if (name === 'attributes') parts.push(readAttributes(attributes, type, [...around, key], context));
  }
  return parts;
}

/** The selection of all attributes, for extensions that receive the entry. */
export const seenByCode: TypeSelection = { fields: null, includePrivate: true, populate: noPopulate };

/** Reads a selection on the attributes of a content type, or on a component. `around` is explained at `childKey`. */
function readAttributes(
  nodes: readonly FieldNode[],
  type: ContentType,
  around: readonly string[],
  context: ReadingContext,
): TypeSelection {
  const fields = new Set<string>();
  const populated: PopulateField[] = [];
  let whole = false;
  const selection = collectFields(nodes, typeName(type), context.operation);
  if (selection.size > 0) context.countType();
  for (const [alias, selected] of selection) {
    const name = selected[0]?.name.value ?? '';
    const attribute = type.attributes.get(name);
    // a field that an extension has added or replaced may read any attribute of its parent
    whole ||=
      name !== '__typename' &&
      name !== 'id' &&
      (attribute === undefined || isCustomField(typeName(type), name, context.operation));
    if (attribute?.kind === 'scalar') fields.add(name);
    else if (attribute !== undefined) populated.push(...readChild(attribute, selected, { owner: type, around, alias }, context));
  }
  return { fields: whole ? null : [...fields], includePrivate: whole, populate: { all: false, fields: populated } };
}

/** Returns the union of several selections. */
export function mergeSelections(parts: readonly TypeSelection[]): TypeSelection {
  const whole = parts.some(({ fields }) => fields === null);
  return {
    fields: whole ? null : [...new Set(parts.flatMap(({ fields }) => fields ?? []))],
    includePrivate: whole,
    populate: { all: false, fields: parts.flatMap(({ populate }) => populate.fields) },
  };
}

/** The place of a field: its type, its response key, and the response keys of the `data` and `attributes` around it. */
interface Place {
  readonly owner: ContentType;
  readonly around: readonly string[];
  readonly alias: string;
}

/** Attributes that contain or link to other entries or components. */
export type Structured = Exclude<Attribute, ScalarAttribute>;

/**
 * Reads the selection of a relation, component, dynamic zone or polymorphic relation. Returns an empty list if its resolver will
 * refuse it.
 */
export function readChild(
  attribute: Structured,
  nodes: readonly FieldNode[],
  place: Place,
  context: ReadingContext,
): readonly PopulateField[] {
  const [node] = nodes;
  if (node === undefined || nodes.length > 1) return readAt(attribute, nodes, place, context);
  const known = context.fieldResults.get(node) ?? new Map<string, readonly PopulateField[]>();
  context.fieldResults.set(node, known);
  const key = [place.owner.uid, ...place.around, place.alias].join(' ');
  const fields = known.get(key) ?? readAt(attribute, nodes, place, context);
  known.set(key, fields);
  return fields;
}

function readAt(attribute: Structured, nodes: readonly FieldNode[], place: Place, context: ReadingContext): PopulateField[] {
  const fields = readStructured(attribute, nodes, place, context);
  return isCustomField(typeName(place.owner), attribute.name, context.operation) ? fields.map(showWhole) : fields;
}

/** Returns the field with all attributes selected, for an extension that wraps it. */
const showWhole = ({ query, on, ...field }: PopulateField): PopulateField => ({
  ...field,
  query: whole(query),
  on: on === null ? null : new Map([...on].map(([uid, one]) => [uid, whole(one)])),
});

const whole = (query: Query): Query => ({ ...query, ...mergeSelections([query, seenByCode]) });

function readStructured(
  attribute: Structured,
  nodes: readonly FieldNode[],
  place: Place,
  context: ReadingContext,
): PopulateField[] {
  const { name } = attribute;
  const key = childKey(name, place.around, place.alias);
  switch (attribute.kind) {
    case 'relation':
    case 'media':
      return readLink(attribute, nodes, place.owner, context).map((query) => fieldOf(name, query, { key }));
    case 'component':
      return readComponent(attribute, nodes, place.owner, context).map((query) => fieldOf(name, query, { key }));
    case 'dynamiczone':
      return [fieldOf(name, related, { key, on: readFragments(nodes, attribute.components, context) })];
    case 'morph':
      return [fieldOf(name, withDrafts, { key, on: readFragments(nodes, [...context.bind.registry.types.keys()], context) })];
  }
}

const related: Query = { ...emptyQuery, withTotal: false };

/** A query with drafts, for fields without an argument for the publication state. */
const withDrafts: Query = { ...related, publicationState: 'preview' };

/** Reads the selection of a relation. To-one relations include drafts; to-many relations have arguments. */
function readLink(link: LinkAttribute, nodes: readonly FieldNode[], owner: ContentType, context: ReadingContext): Query[] {
  const target = context.bind.registry.types.get(link.target);
  if (target === undefined || !mayReach(context.bind.access, link.target)) return [];
  const response = link.many ? relationCollectionName(target) : responseName(target);
  const list = link.many ? readList(nodes, owner, target, context) : { publicationState: 'preview' as const };
  if (list === null) return [];
  return [{ ...related, ...list, ...readSelection(nodes, response, target, context) }];
}

function readComponent(
  attribute: ComponentAttribute,
  nodes: readonly FieldNode[],
  owner: ContentType,
  context: ReadingContext,
): Query[] {
  const type = context.bind.registry.types.get(attribute.component);
  if (type === undefined) return [];
  const list = attribute.repeatable ? readList(nodes, owner, type, context) : {};
  return list === null ? [] : [{ ...related, ...list, ...readAttributes(nodes, type, [], context) }];
}

/** Returns one query per possible type. Types without selected attributes are included, for their `__typename`. */
function readFragments(nodes: readonly FieldNode[], uids: readonly string[], context: ReadingContext): Map<string, Query> {
  const queries = new Map<string, Query>();
  for (const uid of uids) {
    const type = context.bind.registry.types.get(uid);
    const shown = type?.inGraphql === true && context.operation.schema.getType(typeName(type)) !== undefined;
    if (shown) queries.set(uid, queryOf(readAttributes(nodes, type, [], context)));
  }
  return queries;
}

/** Returns the query of a selection. All empty selections share one query, so that it is bound once. */
const queryOf = (selected: TypeSelection): Query =>
  selected.fields?.length === 0 && selected.populate.fields.length === 0 ? bare : { ...related, ...selected };

const bare: Query = { ...related, fields: [] };

/**
 * Returns the arguments of a nested list; null if they are invalid. In that case the error is recorded for the resolver of the
 * field.
 */
function readList(
  nodes: readonly FieldNode[],
  owner: ContentType,
  target: ContentType,
  context: ReadingContext,
): Partial<Query> | null {
  const [node] = nodes;
  if (node === undefined) return null;
  try {
    const given = context.argumentOverrides?.get(node) ?? argumentsOf(node, typeName(owner), context.operation);
    const list = parseListArguments(given, target, context.bind);
    bindNested({ ...related, ...list }, target, { ...context.bind, budget: unlimited });
    return list;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.failures.set(node, error);
    return null;
  }
}
