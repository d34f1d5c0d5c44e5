import { crc32 } from 'node:zlib';
import { validationError } from '#base/errors.js';
import type { LinkAttribute, MorphAttribute } from './content-type.js';
import { decodeId, isRecord, type Values } from '#base/values.js';
import { type Connection, idOf, type LinkKey, type Position, type LinkInput } from './apply-link-input.js';

/** Maximum number of entries that one document stores for one relation, and that one write may name. */
export const maximumLinks = 10_000;

/** How the items of a relation are written. */
interface ItemForm<Key extends LinkKey> {
  /** Returns the key of an item; null if it has none of the accepted forms. */
  readonly parse: (item: unknown) => Key | null;
  /** Returns the key of an item that stands in the position of another one. */
  readonly parseReference: (item: unknown, of: Key) => Key | null;
  /** Whether an object is an item, and not a change of the relation. */
  readonly isItem: (value: Values) => boolean;
}

/**
 * Parses the change of a relation. Returns null if the value has none of the accepted forms, or names another type than `target`
 * (`{ id, type }`).
 */
export const parseLinkInput = (value: unknown, target: string): LinkInput | null =>
  parseInput(value, {
    parse: (item) => (isOfType(item, target) ? parseId(item) : null),
    parseReference: parseId,
    isItem: ({ id }) => id !== undefined,
  });

const isOfType = (item: unknown, target: string): boolean =>
  !isRecord(item) || (item['__type'] ?? namedType(item) ?? target) === target;

/** Returns the uid in `type`. Another value is that of an attribute of an entry that is sent as a whole. */
const namedType = ({ type }: Values): string | null => (typeof type === 'string' && type.includes('::') ? type : null);

/**
 * Returns the change of a relation by code in the form in which clients send it. As in the queries of Strapi v4, one item may stand
 * for a list of it, and null and undefined in lists for no item.
 */
export function linksOfCode(value: unknown): unknown {
  if (Array.isArray(value)) return presentItems(value);
  if (!isRecord(value) || 'id' in value) return value;
  const { set, connect, disconnect } = value;
  if (Boolean(set)) return { ...value, set: presentItems(set) };
  return {
    ...value,
    ...(connect !== undefined && { connect: presentItems(connect) }),
    ...(disconnect !== undefined && { disconnect: presentItems(disconnect) }),
  };
}

const presentItems = (items: unknown): readonly unknown[] =>
  [items].flat().filter((item: unknown) => item !== null && item !== undefined);

/** Does the same for a polymorphic relation, whose items name their types. */
export const parseMorphInput = (value: unknown): LinkInput<string> | null => parseInput(value, morphForm);

const morphForm: ItemForm<string> = {
  parse: (item) => {
    const { uid, id } = parseMorphTarget(item);
    return uid === null || id === null ? null : morphKey(uid, id);
  },
  // without a type, it has the type of the other item
  parseReference: (item, of) => {
    const { uid, id } = parseMorphTarget(item);
    const bare = id ?? parseId(item);
    return bare === null ? null : morphKey(uid ?? morphTarget(of).uid, bare);
  },
  isItem: ({ id, type, __type }) => [id, type, __type].some((part) => part !== undefined),
};

/** Returns the key of an entry in a polymorphic relation. */
export const morphKey = (uid: string, id: number): string => `${uid} ${String(id)}`;

/** Returns the entry that a key of a polymorphic relation identifies. */
export const morphTarget = (key: string): { readonly uid: string; readonly id: number } => ({
  uid: key.slice(0, key.lastIndexOf(' ')),
  id: idOf(key),
});

function parseInput<Key extends LinkKey>(value: unknown, form: ItemForm<Key>): LinkInput<Key> | null {
  if (value === null) return { kind: 'set', ids: [] };
  if (!isRecord(value)) return parseSet(value, form);
  const { set } = value;
  if (set === null) return { kind: 'none' };
  if (set !== undefined) return Array.isArray(set) ? parseSet(set, form) : null; // unlike the relation itself, it takes only a list
  if (value['connect'] !== undefined || value['disconnect'] !== undefined) return parsePatch(value, form);
  return form.isItem(value) ? parseSet(value, form) : { kind: 'none' };
}

function parseSet<Key extends LinkKey>(value: unknown, form: ItemForm<Key>): LinkInput<Key> | null {
  const ids = parseItems(Array.isArray(value) ? value : [value], form);
  return ids === null ? null : { kind: 'set', ids: [...new Set(ids)] };
}

function parseItems<Key extends LinkKey>(items: readonly unknown[], { parse }: ItemForm<Key>): Key[] | null {
  const keys = items.map(parse);
  return keys.every((key) => key !== null) ? keys : null;
}

/**
 * Returns the id in a number, a string, or an object with an `id`; null for other values. Strings that are not ids become
 * different negative numbers, so that they are counted as missing entries, like any id that does not exist.
 */
function parseId(item: unknown): number | null {
  const id: unknown = isRecord(item) ? item['id'] : item;
  if (typeof id === 'number') return id;
  return typeof id === 'string' ? decodeId(id) || -1 - crc32(id) : null;
}

function parsePatch<Key extends LinkKey>({ connect, disconnect, options }: Values, form: ItemForm<Key>): LinkInput<Key> | null {
  const coming = connect ?? [];
  if (!Array.isArray(coming)) return null;
  const connected = distinct(coming).map((item) => parseConnection(item, form));
  const disconnected = parseItems([disconnect ?? []].flat(), form);
  if (disconnected === null || !connected.every((connection) => connection !== null)) return null;
  return {
    kind: 'patch',
    connect: connected,
    disconnect: disconnected,
    strict: !(isRecord(options) && options['strict'] === false),
  };
}

/** Returns the items without duplicates; the order of their keys does not matter. */
const distinct = (items: readonly unknown[]): unknown[] => [
  ...new Map(items.map((item) => [JSON.stringify(item, sortKeys), item])).values(),
];

const sortKeys = (_key: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

function parseConnection<Key extends LinkKey>(item: unknown, form: ItemForm<Key>): Connection<Key> | null {
  const id = form.parse(item);
  if (id === null) return null;
  const place = isRecord(item) ? item['position'] : undefined;
  const position = place === undefined ? ({ kind: 'end' } as const) : parsePosition(place, id, form);
  return position === null ? null : { id, position };
}

function parsePosition<Key extends LinkKey>(position: unknown, of: Key, form: ItemForm<Key>): Position<Key> | null {
  if (!isRecord(position)) return null;
  if (position['start'] === true) return { kind: 'start' };
  for (const kind of ['before', 'after'] as const) {
    if (position[kind] === undefined || position[kind] === null) continue;
    const id = form.parseReference(position[kind], of);
    return id === null ? null : { kind, id };
  }
  return { kind: 'end' };
}

/** Returns the place of an item of a relation that names another type than `target`, such as `connect[1].type`; null if none does. */
export function findOtherType(value: unknown, target: string, place = ''): string | null {
  if (Array.isArray(value)) {
    const places = value.map((item: unknown, index) => findOtherType(item, target, `${place}[${String(index)}]`));
    return places.find((found) => found !== null) ?? null;
  }
  if (!isRecord(value)) return null;
  if (!isOfType(value, target)) return `${place}.type`;
  if (place !== '') return null;
  const parts = ['set', 'connect', 'disconnect'].map((name) => findOtherType(value[name], target, `.${name}`));
  return parts.find((found) => found !== null) ?? null;
}

/** Returns the uid and id that an item of a polymorphic relation names; null for each that is missing. */
export function parseMorphTarget(item: unknown): { readonly uid: string | null; readonly id: number | null } {
  if (!isRecord(item)) return { uid: null, id: null };
  const uid = item['__type'] ?? item['type'];
  return { uid: typeof uid === 'string' ? uid : null, id: parseId(item) };
}

/**
 * Reads the change of a relation from a checked value. A relation to one entry has no positions: of the ids that are set or
 * connected it takes the last, on create and for files the first. Throws a ValidationError for an id that is connected twice.
 */
export const readLinkInput = (link: LinkAttribute, value: unknown, mode: 'create' | 'update'): LinkInput =>
  readInput(link, parseLinkInput(value, link.target), mode);

/** Does the same for a polymorphic relation. */
export const readMorphInput = (attribute: MorphAttribute, value: unknown, mode: 'create' | 'update'): LinkInput<string> =>
  readInput(attribute, parseMorphInput(value), mode);

function readInput<Key extends LinkKey>(
  { kind, many }: LinkAttribute | MorphAttribute,
  parsed: LinkInput<Key> | null,
  mode: 'create' | 'update',
): LinkInput<Key> {
  const input = parsed ?? { kind: 'none' };
  if (input.kind === 'patch') refuseRepeats(input.connect);
  if (many || input.kind === 'none') return input;
  const ids = input.kind === 'set' ? input.ids : input.connect.map(({ id }) => id);
  if (ids.length === 0) return input;
  return { kind: 'set', ids: mode === 'create' || kind === 'media' ? ids.slice(0, 1) : ids.slice(-1) };
}

function refuseRepeats(connections: readonly Connection<LinkKey>[]): void {
  const keys = new Set<LinkKey>();
  for (const { id } of connections) {
    if (keys.has(id))
      throw validationError(
        `The relation with id ${String(idOf(id))} is already connected. You cannot connect the same relation twice.`,
      );
    keys.add(id);
  }
}

/** Returns the entries that an input sets or connects. */
export function comingIn<Key extends LinkKey>(input: LinkInput<Key>): readonly Key[] {
  if (input.kind === 'patch') return input.connect.map(({ id }) => id);
  return input.kind === 'set' ? input.ids : [];
}

/** Returns the length of the longest list in an input. */
export const lengthOf = (input: LinkInput<LinkKey>): number =>
  Math.max(comingIn(input).length, input.kind === 'patch' ? input.disconnect.length : 0);
