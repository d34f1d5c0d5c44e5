import type { FieldNode } from 'graphql';
import { ApiError } from '../../errors.js';
import { maySee } from '../../query/access.js';
import { emptyQuery, type PopulateField, type Query } from '../../query/ast.js';
import type { Attribute, ComponentAttribute, ContentType, LinkAttribute, ScalarAttribute } from '../../schema/content-type.js';
import { childKey } from '../execute/child-key.js';
import { relationCollectionName, responseName, typeName } from '../schema/names.js';
import { argumentsOf } from './field-definition.js';
import { parseListArguments } from './parse-list-arguments.js';
import { readAttributes, readSelection } from './read-selection.js';
import type { SelectionContext } from './selection-context.js';

/** Where a field stands: the type it belongs to, its response key, and those of the `data` and `attributes` around it. */
export interface Place {
  readonly owner: ContentType;
  readonly around: readonly string[];
  readonly alias: string;
}

type Structured = Exclude<Attribute, ScalarAttribute>;

/** Reads one selected relation, component, dynamic zone or polymorphic relation; nothing where its resolver will refuse it. */
export function readChild(
  attribute: Structured,
  nodes: readonly FieldNode[],
  place: Place,
  context: SelectionContext,
): PopulateField[] {
  const { name } = attribute;
  const plain = { name, key: childKey(name, place.around, place.alias), countOnly: false, reversed: false };
  switch (attribute.kind) {
    case 'relation':
    case 'media':
      return readLink(attribute, nodes, place.owner, context).map((query) => ({ ...plain, query, on: null }));
    case 'component': {
      const query = readComponent(attribute, nodes, place.owner, context);
      return query === null ? [] : [{ ...plain, query, on: null }];
    }
    case 'dynamiczone':
      return [{ ...plain, query: related, on: readFragments(nodes, attribute.components, context) }];
    case 'morph':
      return [{ ...plain, query: related, on: readFragments(nodes, [...context.registry.types.keys()], context) }];
  }
}

const related: Query = { ...emptyQuery, withTotal: false };

/** A relation to one shows drafts; one to many has its arguments (graphql.md 3.5). */
function readLink(link: LinkAttribute, nodes: readonly FieldNode[], owner: ContentType, context: SelectionContext): Query[] {
  const target = context.registry.types.get(link.target);
  if (target === undefined || !maySee(context.access, link.target)) return [];
  const response = link.many ? relationCollectionName(target) : responseName(target);
  const list = link.many ? readList(nodes, owner, target, context) : { publicationState: 'preview' as const };
  return list === null ? [] : [{ ...related, ...list, ...readSelection(nodes, response, target, context) }];
}

function readComponent(
  attribute: ComponentAttribute,
  nodes: readonly FieldNode[],
  owner: ContentType,
  context: SelectionContext,
): Query | null {
  const type = context.registry.types.get(attribute.component);
  if (type === undefined) return null;
  const list = attribute.repeatable ? readList(nodes, owner, type, context) : {};
  return list === null ? null : { ...related, ...list, ...readAttributes(nodes, type, [], context) };
}

/** One query for each type that may come up; a type without fragments of its own still shows its `__typename`. */
function readFragments(nodes: readonly FieldNode[], uids: readonly string[], context: SelectionContext): Map<string, Query> {
  const queries = new Map<string, Query>();
  for (const uid of uids) {
    const type = context.registry.types.get(uid);
    const shown = type !== undefined && context.operation.schema.getType(typeName(type)) !== undefined;
    if (shown) queries.set(uid, { ...related, ...readAttributes(nodes, type, [], context) });
  }
  return queries;
}

/** The arguments of a nested list; null where they are wrong, which is kept for the field's own resolver. */
function readList(
  nodes: readonly FieldNode[],
  owner: ContentType,
  target: ContentType,
  context: SelectionContext,
): Partial<Query> | null {
  const [node] = nodes;
  if (node === undefined) return null;
  try {
    const list = parseListArguments(argumentsOf(node, owner, context.operation), target, context);
    context.check({ ...related, ...list }, target);
    return list;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.fail(node, error);
    return null;
  }
}
