import { type Attribute, type ContentType, type Registry, uploadFile, attributeOf } from '../schema/content-type.js';
import { isPlainObject, isRecord, type Values } from '../values.js';
import { type Access, accessInPart, readable } from './access.js';
import { isGroup, isOperator } from './operators.js';

/** A condition that has no effect: its name, and the type that has no such attribute, or one that filters cannot name. */
export interface DroppedCondition {
  readonly name: string;
  readonly type: ContentType;
}

interface Sorting extends Names {
  readonly dropped: DroppedCondition[];
}

/** The names that filters may use. */
interface Names {
  readonly registry: Registry;
  /** Conditions on attributes that these rights hide are removed too; absent for code, which sees all. */
  readonly access?: Access;
}

/** Parameters of REST, and the conditions that they have no more. */
interface KnownFilters {
  readonly parameters: Values;
  readonly dropped: readonly DroppedCondition[];
}

/**
 * Removes conditions on names that are no attribute, and on passwords and dynamic zones, from `filters`, also in populated relations.
 * Strapi v4 does so with the parameters of code.
 */
export function knownFilters(parameters: Values, type: ContentType, names: Names): KnownFilters {
  if (parameters['filters'] === undefined && !isRecord(parameters['populate'])) return { parameters, dropped: [] };
  const sorting: Sorting = { ...names, dropped: [] };
  return { parameters: knownParameters(parameters, type, sorting), dropped: sorting.dropped };
}

function knownParameters(parameters: Values, type: ContentType | undefined, sorting: Sorting): Values {
  const { filters, populate, on } = parameters;
  return {
    ...parameters,
    ...(filters !== undefined && filters !== '' && { filters: knownConditions(filters, type, sorting) }),
    ...(isRecord(populate) && {
      populate: mapNested(populate, (name) => targetOf(type && attributeOf(type, name), sorting), sorting),
    }),
    ...(isRecord(on) && { on: mapNested(on, (uid) => sorting.registry.types.get(uid), sorting) }),
  };
}

const mapNested = (nested: Values, typeOf: (name: string) => ContentType | undefined, sorting: Sorting): Values =>
  Object.fromEntries(
    Object.entries(nested).map(([name, value]) => [
      name,
      isRecord(value) ? knownParameters(value, typeOf(name), sorting) : value,
    ]),
  );

/** Returns the type of a relation, media or component; undefined for other attributes. */
function targetOf(attribute: Attribute | undefined, { registry }: Sorting): ContentType | undefined {
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

/** Without a type, names are not known, and all conditions stay. A list means that all its conditions must be met. */
function knownConditions(filters: unknown, type: ContentType | undefined, sorting: Sorting): unknown {
  if (type === undefined) return filters;
  return Array.isArray(filters) ? { $and: knownList(filters, type, sorting) } : known(filters, type, sorting);
}

function known(filters: unknown, type: ContentType, sorting: Sorting): unknown {
  if (!isPlainObject(filters)) return filters;
  return Object.fromEntries(
    Object.entries(filters).flatMap(([key, value]) => {
      const entry = knownEntry(key, value, type, sorting);
      return entry === null ? [] : [[key, entry.value]];
    }),
  );
}

const knownList = (list: readonly unknown[], type: ContentType, sorting: Sorting): unknown[] =>
  list.map((item) => known(item, type, sorting)).filter((item) => !isPlainObject(item) || Object.keys(item).length > 0);

function knownEntry(key: string, value: unknown, type: ContentType, sorting: Sorting): { readonly value: unknown } | null {
  const inner = key.startsWith('$') ? operandType(key, type) : fieldType(key, type, sorting);
  if (inner === null) {
    sorting.dropped.push({ name: key, type });
    return null;
  }
  if (Array.isArray(value)) return { value: isGroup(key.slice(1)) ? knownList(value, inner, sorting) : value };
  return { value: known(value, inner, sortingBelow(key, type, sorting)) };
}

function sortingBelow(name: string, type: ContentType, sorting: Sorting): Sorting {
  const { access } = sorting;
  const attribute = attributeOf(type, name);
  if (access === undefined || attribute?.kind !== 'component') return sorting;
  return { ...sorting, access: accessInPart(access, type, attribute.name) };
}

const operandType = (key: string, type: ContentType): ContentType | null =>
  isGroup(key.slice(1)) || isOperator(key.slice(1)) ? type : null;

/** Returns the type of the names below an attribute; null if it cannot be filtered by. */
function fieldType(name: string, type: ContentType, sorting: Sorting): ContentType | null {
  const attribute = attributeOf(type, name);
  if (attribute !== undefined && sorting.access !== undefined && readable(type, name, sorting.access) === null) return null;
  if (name === 'id' || (attribute?.kind === 'scalar' && attribute.type !== 'password')) return type;
  return targetOf(attribute, sorting) ?? null;
}
