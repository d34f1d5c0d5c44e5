import { isDeepStrictEqual } from 'node:util';
import { type Attribute, type ContentType, type Registry, uploadFile, attributeOf } from '../schema/content-type.js';
import { hasJsonPaths } from '../schema/json-options.js';
import { isPlainObject, isRecord, type Values } from '#base/values.js';
import { isGroup, isOperator, isQuantifier } from './operators.js';

/** A condition that has no effect: its name, and the type that has no such attribute, or one that filters cannot name. */
export interface DroppedCondition {
  readonly name: string;
  readonly type: ContentType;
}

/** The names that filters may use. */
interface Names {
  readonly registry: Registry;
  /** Takes the conditions that are removed. */
  readonly dropped?: DroppedCondition[];
}

/**
 * Returns parameters of REST whose `filters`, also in populated relations, have no conditions on names that are no attribute, and on
 * passwords and dynamic zones. Strapi v4 removes them from the parameters of code. Without a type, all conditions stay.
 */
export function knownFilters(parameters: Values, type: ContentType | undefined, names: Names): Values {
  const { filters, populate, on } = parameters;
  return {
    ...parameters,
    ...(filters !== undefined && filters !== '' && { filters: knownConditions(filters, type, names) }),
    ...(isRecord(populate) && {
      populate: mapNested(populate, (name) => targetOf(type && attributeOf(type, name), names), names),
    }),
    ...(isRecord(on) && { on: mapNested(on, (uid) => names.registry.types.get(uid), names) }),
  };
}

const mapNested = (nested: Values, typeOf: (name: string) => ContentType | undefined, names: Names): Values =>
  Object.fromEntries(
    Object.entries(nested).map(([name, value]) => [name, isRecord(value) ? knownFilters(value, typeOf(name), names) : value]),
  );

/** Returns the type of a relation, media or component; undefined for other attributes. */
function targetOf(attribute: Attribute | undefined, { registry }: Names): ContentType | undefined {
  switch (attribute?.kind) {
    case 'relation':
    case 'media':
      return registry.types.get(attribute.kind === 'media' ? uploadFile : attribute.target);
    case 'component':
      return registry.types.get(attribute.component);
    default:
      return undefined;
  }
}

/** A list means that all its conditions must be met. */
function knownConditions(filters: unknown, type: ContentType | undefined, names: Names): unknown {
  if (type === undefined) return filters;
  return Array.isArray(filters) ? { $and: knownList(filters, type, names) } : knownPart(filters, type, names);
}

function knownPart(filters: unknown, type: ContentType, names: Names): unknown {
  if (!isPlainObject(filters)) return filters;
  return Object.fromEntries(
    Object.entries(filters).flatMap(([key, value]) => {
      const entry = knownEntry(key, value, type, names);
      return entry === null ? [] : [[key, entry.value]];
    }),
  );
}

const knownList = (list: readonly unknown[], type: ContentType, names: Names): unknown[] =>
  list.map((item) => knownPart(item, type, names)).filter((item) => !isPlainObject(item) || Object.keys(item).length > 0);

function knownEntry(key: string, value: unknown, type: ContentType, names: Names): { readonly value: unknown } | null {
  const inner = key.startsWith('$') ? operandType(key, type) : fieldType(key, type, names);
  if (inner === null) {
    names.dropped?.push({ name: key, type });
    return null;
  }
  if (hasOwnNames(key, type)) return { value };
  if (Array.isArray(value)) return { value: isGroup(key.slice(1)) ? knownList(value, inner, names) : value };
  const left = knownPart(value, inner, names);
  // without its conditions, a quantifier would be about all entries
  const isEmptied =
    isQuantifier(key.slice(1)) && isPlainObject(left) && Object.keys(left).length === 0 && !isDeepStrictEqual(left, value);
  return isEmptied ? null : { value: left };
}

/** Returns whether the names below an attribute are paths of JSON, or parts of places and shapes, which are no attributes. */
function hasOwnNames(name: string, type: ContentType): boolean {
  const attribute = attributeOf(type, name);
  return attribute?.kind === 'scalar' && (attribute.type === 'point' || hasJsonPaths(attribute, type));
}

const operandType = (key: string, type: ContentType): ContentType | null =>
  isGroup(key.slice(1)) || isQuantifier(key.slice(1)) || isOperator(key.slice(1)) ? type : null;

/** Returns the type of the names below an attribute; null if it cannot be filtered by. */
function fieldType(name: string, type: ContentType, names: Names): ContentType | null {
  const attribute = attributeOf(type, name);
  if (name === 'id' || (attribute?.kind === 'scalar' && attribute.type !== 'password')) return type;
  return targetOf(attribute, names) ?? null;
}
