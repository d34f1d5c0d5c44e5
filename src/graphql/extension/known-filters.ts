import type { ContentContext } from '../../content/content-context.js';
import { refuseOrTell, type Undone } from '../../content/refuse-or-tell.js';
import { isGroup, isOperator } from '../../query/operators.js';
import { type Attribute, type ContentType, type Registry, uploadFile } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';

interface Sorting {
  readonly registry: Registry;
  /** The conditions that were dropped. */
  readonly dropped: Undone[];
}

/**
 * Returns parameters of code without the conditions on names that are no attribute, and on passwords and dynamic zones, also in
 * populated relations. As in Strapi v4 they have no effect. They are refused in strict mode, else told.
 */
export function withKnownFilters(parameters: Values, type: ContentType, context: ContentContext): Values {
  if (parameters['filters'] === undefined && !isRecord(parameters['populate'])) return parameters;
  const sorting = { registry: context.bind.registry, dropped: [] };
  const known = knownParameters(parameters, type, sorting);
  refuseOrTell(sorting.dropped, context);
  return known;
}

function knownParameters(parameters: Values, type: ContentType | undefined, sorting: Sorting): Values {
  const { filters, populate, on } = parameters;
  return {
    ...parameters,
    ...(filters !== undefined && filters !== '' && { filters: knownConditions(filters, type, sorting) }),
    ...(isRecord(populate) && {
      populate: mapNested(populate, (name) => targetOf(type?.attributes.get(name), sorting), sorting),
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
  if (!isRecord(filters)) return filters;
  return Object.fromEntries(
    Object.entries(filters).flatMap(([key, value]) => {
      const entry = knownEntry(key, value, type, sorting);
      return entry === null ? [] : [[key, entry.value]];
    }),
  );
}

const knownList = (list: readonly unknown[], type: ContentType, sorting: Sorting): unknown[] =>
  list.map((item) => known(item, type, sorting)).filter((item) => !isRecord(item) || Object.keys(item).length > 0);

function knownEntry(key: string, value: unknown, type: ContentType, sorting: Sorting): { readonly value: unknown } | null {
  const inner = key.startsWith('$') ? operandType(key, type) : fieldType(key, type, sorting);
  if (inner === null) {
    sorting.dropped.push(droppedCondition(key, type));
    return null;
  }
  if (Array.isArray(value)) return { value: isGroup(key.slice(1)) ? knownList(value, inner, sorting) : value };
  return { value: known(value, inner, sorting) };
}

const operandType = (key: string, type: ContentType): ContentType | null =>
  isGroup(key.slice(1)) || isOperator(key.slice(1)) ? type : null;

/** Returns the type of the names below an attribute; null if it cannot be filtered by. */
function fieldType(name: string, type: ContentType, sorting: Sorting): ContentType | null {
  const attribute = type.attributes.get(name);
  if (name === 'id' || (attribute?.kind === 'scalar' && attribute.type !== 'password')) return type;
  return targetOf(attribute, sorting) ?? null;
}

const droppedCondition = (name: string, { uid, attributes }: ContentType): Undone => ({
  path: ['filters', name],
  message: `the condition on ${name} of ${uid} has no effect, because ${attributes.has(name) ? 'filters cannot name it' : 'there is no such attribute'}`,
  remedy: 'correct or remove it in the code of the project',
});
