import { isDeepStrictEqual } from 'node:util';
import type { StoredDocument } from '#store/form/loaded.js';
import { morphLinks } from '#store/form/layout.js';
import { type Attribute, type ContentType, type Registry, underServedNames } from '#model/schema/content-type.js';
import { hasParts, listsParts, mapParts } from '#model/schema/parts.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import type { ContentContext } from './content-context.js';
import { sharedAttributes } from './sync-locales.js';

/** The data of a write as the code before it sees and changes them. */
export interface DataForCode<Data = Values> {
  readonly data: Data;
  /** Returns data that code has changed, without the added values that it has left as they were. */
  own(changed: unknown): unknown;
}

interface WrittenData {
  /** The part that is written. */
  readonly data: Values;
  /** The data as they were sent, with values that are not written; absent if there are none. */
  readonly input?: unknown;
}

interface NewData extends WrittenData {
  /** An entry of the localization group that the new one joins; null if it starts its own. */
  readonly source: StoredDocument | null;
}

/**
 * Returns the data of a new entry with what the write will add to it: defaults, empty lists of components, and the shared values of
 * the localization group of `source`. Queries of code (`strapi.db.query`) add them later, as in Strapi v4.
 */
export function createForCode(type: ContentType, { data, input, source }: NewData, context: ContentContext): DataForCode {
  const { bind, isRaw } = context;
  const others = besideAttributes(type, input, context);
  if (isRaw === true)
    return { data: Object.keys(others).length === 0 ? data : { ...data, ...others }, own: (changed) => changed };
  const shared = source === null ? {} : sharedValues(type, source, bind.registry);
  const missing = Object.entries({ ...defaultsOf(type), ...shared }).filter(([name]) => data[name] === undefined);
  const added = Object.fromEntries(missing);
  const isAdded = (name: string, value: unknown): boolean => Object.hasOwn(added, name) && isDeepStrictEqual(value, added[name]);
  return {
    data: { ...castScalars(type, data), ...added, ...others },
    own: (changed) =>
      isRecord(changed) ? Object.fromEntries(Object.entries(changed).filter(([name, value]) => !isAdded(name, value))) : changed,
  };
}

/** Returns the data of an update. Values that it does not set stay absent. */
export const updateForCode = (type: ContentType, { data, input }: WrittenData, context: ContentContext): DataForCode => ({
  data: { ...(context.isRaw === true ? data : castScalars(type, data)), ...besideAttributes(type, input, context) },
  own: (changed) => changed,
});

/**
 * Returns the values of code that are no attributes of the type, such as flags for lifecycle hooks, which are not stored. Those of clients
 * are left out, so that no client sets such a flag.
 */
function besideAttributes(type: ContentType, given: unknown, { bind, author }: ContentContext): Values {
  if (!isRecord(given) || bind.access.seesPrivate !== true || author !== undefined) return {};
  const values = Object.entries(underServedNames(type, given));
  return Object.fromEntries(values.filter(([name, value]) => name !== 'id' && value !== undefined && !type.attributes.has(name)));
}

/** Returns the values that a new entry has if its data lacks them. Those inside components are not among them. */
export const defaultsOf = (type: ContentType): Values =>
  Object.fromEntries(
    [...type.attributes.values()].flatMap((attribute) => {
      const value = attribute.writable ? defaultOf(attribute) : undefined;
      return value === undefined ? [] : [[attribute.name, value] as const];
    }),
  );

function defaultOf(attribute: Attribute): unknown {
  if (attribute.kind === 'scalar') return attribute.default;
  return listsParts(attribute) && !attribute.required ? [] : undefined;
}

/** Returns checked values with numbers, booleans and options in place of the texts that stand for them. */
const castScalars = ({ attributes }: ContentType, data: Values): Values =>
  mapValues(data, (value, name) => {
    const attribute = attributes.get(name);
    if (attribute?.kind !== 'scalar' || value === null || value === undefined) return value;
    const { castsInput, store } = scalarTypes[attribute.type];
    return castsInput === true ? store(value, name) : value;
  });

/** Returns the shared values of a stored entry as data of a write. Passwords, which are stored as hashes, are left out. */
function sharedValues(type: ContentType, source: StoredDocument, registry: Registry): Values {
  const values = sharedAttributes(type).flatMap((name) => {
    const attribute = type.attributes.get(name);
    const value = attribute?.writable === true ? asData(attribute, source[name] ?? null, registry) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
}

/** Returns the data that stand for a stored entry: what a create with its values would have. */
export const storedForCode = (type: ContentType, document: StoredDocument, registry: Registry): Values =>
  Object.fromEntries(
    [...type.attributes.values()].flatMap((attribute) => {
      const { name } = attribute;
      const value = Object.hasOwn(document, name) ? asData(attribute, document[name] ?? null, registry) : undefined;
      return value === undefined ? [] : [[name, value] as const];
    }),
  );

/** Returns the data that stand for a stored value. Components have no ids, because the new entry has components of its own. */
function asData(attribute: Attribute, stored: unknown, registry: Registry): unknown {
  if (attribute.kind === 'scalar' && attribute.type === 'password') return undefined;
  if (stored === null) return listsParts(attribute) ? [] : null;
  if (attribute.kind === 'scalar') return scalarTypes[attribute.type].output(stored);
  if (attribute.kind === 'morph') {
    const links = morphLinks(stored).map(({ __type, id }) => ({ __type, id }));
    return attribute.many ? links : (links[0] ?? null);
  }
  if (!hasParts(attribute)) return stored;
  return mapParts(attribute, stored, registry, (part, type) => {
    const values = [...type.attributes.values()].map((inner) => [inner.name, asData(inner, part[inner.name] ?? null, registry)]);
    return { ...(attribute.kind === 'dynamiczone' && { __component: type.uid }), ...(Object.fromEntries(values) as Values) };
  });
}
