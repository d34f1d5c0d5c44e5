import { crc32 } from 'node:zlib';
import { validationError } from '../errors.js';
import type { LinkAttribute } from './content-type.js';
import { decodeId, isRecord } from '../values.js';
import { applyLinkPatch, type Connection, type LinkPatch, type Position } from './apply-link-patch.js';

/** The change of a relation, read from any of its spellings. `none`: no change. */
export type LinkInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'set'; readonly ids: readonly number[] }
  | ({ readonly kind: 'patch' } & LinkPatch);

/** Maximum number of entries that one document stores for one relation, and that one write may name. */
export const maximumLinks = 10_000;

/**
 * Parses the change of a relation. Returns null if the value has none of the accepted forms, or names another type than `target`
 * (`{ id, type }`).
 */
export function parseLinkInput(value: unknown, target: string): LinkInput | null {
  if (value === null) return { kind: 'set', ids: [] };
  if (!isRecord(value)) return parseSet(value, target);
  if (value['set'] !== undefined) return parseNewSet(value['set'], target);
  if (value['connect'] !== undefined || value['disconnect'] !== undefined) return parsePatch(value, target);
  return value['id'] === undefined ? { kind: 'none' } : parseSet(value, target);
}

/** Parses `set`, which takes only a list, unlike the relation itself. */
function parseNewSet(value: unknown, target: string): LinkInput | null {
  if (value === null) return { kind: 'none' };
  return Array.isArray(value) ? parseSet(value, target) : null;
}

function parseSet(value: unknown, target: string): LinkInput | null {
  const ids = parseIds(Array.isArray(value) ? value : [value], target);
  return ids === null ? null : { kind: 'set', ids: [...new Set(ids)] };
}

function parseIds(items: readonly unknown[], target: string): number[] | null {
  const ids = items.map((item) => (isOfType(item, target) ? parseId(item) : null));
  return ids.every((id) => id !== null) ? ids : null;
}

const isOfType = (item: unknown, target: string): boolean => !isRecord(item) || (item['type'] ?? target) === target;

/**
 * Returns the id in a number, a string, or an object with an `id`; null for other values. Strings that are not ids become
 * different negative numbers, so that they are counted as missing entries, like any id that does not exist.
 */
function parseId(item: unknown): number | null {
  const id: unknown = isRecord(item) ? item['id'] : item;
  if (typeof id === 'number') return id;
  return typeof id === 'string' ? decodeId(id) || -1 - crc32(id) : null;
}

function parsePatch({ connect, disconnect, options }: Readonly<Record<string, unknown>>, target: string): LinkInput | null {
  const coming = connect ?? [];
  if (!Array.isArray(coming)) return null;
  const connected = distinct(coming).map((item) => parseConnection(item, target));
  const disconnected = parseIds([disconnect ?? []].flat(), target);
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

function parseConnection(item: unknown, target: string): Connection | null {
  const [id] = parseIds([item], target) ?? [];
  const position =
    isRecord(item) && item['position'] !== undefined ? parsePosition(item['position']) : ({ kind: 'end' } as const);
  return id === undefined || position === null ? null : { id, position };
}

function parsePosition(position: unknown): Position | null {
  if (!isRecord(position)) return null;
  if (position['start'] === true) return { kind: 'start' };
  for (const kind of ['before', 'after'] as const) {
    if (position[kind] === undefined || position[kind] === null) continue;
    const id = parseId(position[kind]);
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
export function readLinkInput(link: LinkAttribute, value: unknown, mode: 'create' | 'update'): LinkInput {
  const input = parseLinkInput(value, link.target) ?? { kind: 'none' };
  if (input.kind === 'patch') refuseRepeats(input.connect);
  if (link.many || input.kind === 'none') return input;
  const ids = input.kind === 'set' ? input.ids : input.connect.map(({ id }) => id);
  if (ids.length === 0) return input;
  return { kind: 'set', ids: mode === 'create' || link.kind === 'media' ? ids.slice(0, 1) : ids.slice(-1) };
}

function refuseRepeats(connections: readonly Connection[]): void {
  const seen = new Set<number>();
  for (const { id } of connections) {
    if (seen.has(id))
      throw validationError(
        `The relation with id ${String(id)} is already connected. You cannot connect the same relation twice.`,
      );
    seen.add(id);
  }
}

/** Returns the stored ids after a write, in order. Throws a ValidationError for impossible positions. */
export function applyLinkInput(current: readonly number[], input: LinkInput): readonly number[] {
  switch (input.kind) {
    case 'none':
      return current;
    case 'set':
      return input.ids;
    case 'patch':
      return applyLinkPatch(current, input);
  }
}

/** Returns whether an input only removes entries and appends others, so that the entries that it does not name do not matter. */
export const namesAllItChanges = (input: LinkInput): boolean =>
  input.kind === 'patch' && input.connect.every(({ position }) => position.kind === 'end');

/** Returns the ids that a document stores for a relation, as one id or a list. */
export const storedIds = (stored: unknown): readonly number[] =>
  Array.isArray(stored) ? (stored as number[]) : typeof stored === 'number' ? [stored] : []; // stored as ids
