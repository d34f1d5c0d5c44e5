import { type FieldNode, isObjectType } from 'graphql';
import {
  type FunctionName,
  functionNames,
  type FunctionQuery,
  type GroupingQuery,
  isAggregated,
  type ZonedKey,
} from '#model/query/aggregate/aggregation.js';
import { validationError } from '#base/errors.js';
import { parseTimeZone } from '#model/query/aggregate/buckets.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { keyOfField, keysText } from '../group-nodes.js';
import {
  aggregateName,
  figuresName,
  groupByName,
  groupEntriesName,
  linkGroupName,
  scalarGroupName,
  typeName,
} from '../type-names.js';
import { argumentsOf, collectFields } from './collect-fields.js';
import { mergeSelections, readEntity } from './read-selection.js';
import type { ReadingContext, TypeSelection } from './reading-context.js';

/** The groups that a connection selects. */
export interface SelectedGroups {
  /** By the text of their keys. */
  readonly groupings: ReadonlyMap<string, GroupingQuery>;
  readonly withTotal: boolean;
  readonly entries: readonly SelectedEntries[];
}

/** Related entries that are selected beside the keys of groups. */
export interface SelectedEntries {
  /** The field that selects them. */
  readonly nodes: readonly FieldNode[];
  readonly target: ContentType;
  readonly selected: TypeSelection;
  /** The texts of the keys of the groupings whose last key has these entries. */
  readonly groupings: ReadonlySet<string>;
}

/** Returns whether a field selects the entries. */
export const isOfField = ({ nodes }: Pick<SelectedEntries, 'nodes'>, others: readonly FieldNode[]): boolean =>
  nodes.length === others.length && nodes.every((node, index) => node === others[index]);

interface MutableGrouping {
  readonly keys: readonly ZonedKey[];
  readonly functions: Map<string, FunctionQuery>;
}

interface Reading {
  readonly type: ContentType;
  readonly context: ReadingContext;
  readonly groupings: Map<string, MutableGrouping>;
  readonly entries: (SelectedEntries & { readonly groupings: Set<string> })[];
  withTotal: boolean;
}

/** Reads the groups that nodes select on a connection; null if they select none. Throws a ValidationError for an unknown time zone. */
export function readGroups(
  nodes: readonly FieldNode[],
  holder: string,
  type: ContentType,
  context: ReadingContext,
): SelectedGroups | null {
  if (!isAggregated(type)) return null;
  const reading: Reading = { type, context, groupings: new Map(), entries: [], withTotal: false };
  readHolder(nodes, holder, [], reading);
  const { entries, withTotal } = reading;
  if (reading.groupings.size === 0 && !withTotal) return null;
  const groupings = [...reading.groupings].map(
    ([text, { keys, functions }]) => [text, { keys, functions: [...functions.values()] }] as const,
  );
  return { groupings: new Map(groupings), withTotal, entries };
}

/** Reads `aggregate` and `groupBy`, of all entries or of those of a group. */
function readHolder(nodes: readonly FieldNode[], holder: string, keys: readonly ZonedKey[], reading: Reading): void {
  for (const [, fields] of collectFields(nodes, holder, reading.context.operation)) {
    const name = fields[0]?.name.value;
    if (name === 'aggregate') readAggregate(fields, keys, reading);
    if (name === 'groupBy') readKeys(fields, { owner: reading.type, path: [] }, keys, reading);
  }
}

/** Returns the grouping by keys; it is added unless it is there. */
function groupingOf(keys: readonly ZonedKey[], { groupings }: Reading): MutableGrouping {
  const text = keysText(keys);
  const grouping = groupings.get(text) ?? { keys, functions: new Map() };
  groupings.set(text, grouping);
  return grouping;
}

function readAggregate(nodes: readonly FieldNode[], keys: readonly ZonedKey[], reading: Reading): void {
  const { type, context } = reading;
  context.countType();
  for (const [, fields] of collectFields(nodes, aggregateName(type), context.operation)) {
    const name = fields[0]?.name.value ?? '';
    if (name === 'totalCount') reading.withTotal = true;
    if (!isFunction(name)) continue;
    const { functions } = groupingOf(keys, reading);
    if (name === 'count') continue;
    for (const path of readPaths(fields, { owner: type, path: [] }, name, context))
      functions.set(`${name} ${path.join('.')}`, { name, path });
  }
}

const isFunction = (name: string): name is FunctionName => (functionNames as readonly string[]).includes(name);

/** A type or component, and the names that lead to it. */
interface Place {
  readonly owner: ContentType;
  readonly path: readonly string[];
}

/** Reads the attributes of a function. */
function readPaths(
  nodes: readonly FieldNode[],
  place: Place,
  name: FunctionName,
  context: ReadingContext,
): (readonly string[])[] {
  context.countType();
  return attributesOf(nodes, figuresName(place.owner, name), place, context).flatMap(({ attribute, fields, path }) => {
    const part = partOf(attribute, context);
    return part === null ? [path] : readPaths(fields, { owner: part, path }, name, context);
  });
}

interface SelectedAttribute {
  readonly attribute: Attribute;
  readonly fields: readonly FieldNode[];
  readonly path: readonly string[];
}

/** Returns the attributes of a place that nodes select on an object type. */
const attributesOf = (
  nodes: readonly FieldNode[],
  typeName: string,
  { owner, path }: Place,
  { operation }: ReadingContext,
): SelectedAttribute[] =>
  [...collectFields(nodes, typeName, operation).values()].flatMap((fields) => {
    const attribute = owner.attributes.get(fields[0]?.name.value ?? '');
    if (attribute === undefined) return [];
    refuseGuarded(owner, attribute, operation);
    return [{ attribute, fields, path: [...path, attribute.name] }];
  });

/** Throws a ValidationError for an attribute whose values are guarded by code of an extension, which groups do not run. */
function refuseGuarded(owner: ContentType, { name }: Attribute, { schema }: ReadingContext['operation']): void {
  const type = schema.getType(typeName(owner));
  if (isObjectType(type) && type.getFields()[name]?.extensions['guarded'] === true)
    throw validationError(`Invalid parameter ${name}: an extension resolves it, so that groups cannot have its values`);
}

const partOf = (attribute: Attribute, { bind }: ReadingContext): ContentType | null =>
  attribute.kind === 'component' ? (bind.registry.types.get(attribute.component) ?? null) : null;

/** Reads the keys below `groupBy`, or below a component in it. Throws a ValidationError for a time zone that is unknown, or has no part. */
function readKeys(nodes: readonly FieldNode[], place: Place, keys: readonly ZonedKey[], reading: Reading): void {
  const { type, context } = reading;
  context.countType();
  const name = groupByName(type, place.owner);
  for (const { attribute, fields, path } of attributesOf(nodes, name, place, context)) {
    const part = partOf(attribute, context);
    const [field] = fields;
    if (part !== null) readKeys(fields, { owner: part, path }, keys, reading);
    else if (field !== undefined) {
      const args = argumentsOf(field, name, context.operation);
      const key = keyOfField(path, args);
      parseTimeZone(args['timezone'] ?? undefined, [key]);
      readKey(fields, attribute, [...keys, key], reading);
    }
  }
}

/** Reads what is selected of the groups of the last key. */
function readKey(nodes: readonly FieldNode[], attribute: Attribute, keys: readonly ZonedKey[], reading: Reading): void {
  const { type, context } = reading;
  groupingOf(keys, reading);
  const target = 'target' in attribute ? context.bind.registry.types.get(attribute.target) : undefined;
  const group =
    attribute.kind === 'scalar' ? scalarGroupName(type, attribute.type) : target === undefined ? '' : linkGroupName(type, target);
  for (const [alias, fields] of collectFields(nodes, group, context.operation)) {
    const name = fields[0]?.name.value;
    if (name === 'connection') readHolder(fields, groupEntriesName(type), keys, reading);
    if (name === 'entry' && target !== undefined) readEntries(fields, { target, holder: group, alias }, keys, reading);
  }
}

interface EntryPlace {
  readonly target: ContentType;
  readonly holder: string;
  readonly alias: string;
}

function readEntries(
  nodes: readonly FieldNode[],
  { target, holder, alias }: EntryPlace,
  keys: readonly ZonedKey[],
  { context, entries }: Reading,
): void {
  const grouping = keysText(keys);
  const known = entries.find((one) => isOfField(one, nodes));
  if (known !== undefined) known.groupings.add(grouping);
  else
    entries.push({
      nodes,
      target,
      selected: mergeSelections(readEntity(nodes, target, { holder, around: [alias] }, context)),
      groupings: new Set([grouping]),
    });
}
