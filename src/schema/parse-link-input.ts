import { decodeId } from './names.js';

/** Where a connected entry goes in a list; `end` where nothing is said. */
export type Position = { readonly kind: 'start' | 'end' } | { readonly kind: 'before' | 'after'; readonly id: number };

export interface Connection {
  readonly id: number;
  readonly position: Position;
}

/** What a write asks of a relation, read from any of its spellings (rest.md 8.1). `none`: nothing. */
export type LinkInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'set'; readonly ids: readonly number[] }
  | {
      readonly kind: 'patch';
      readonly connect: readonly Connection[];
      readonly disconnect: readonly number[];
      readonly strict: boolean;
    };

/** Text and fractions stand for ids that no entry has: they are reported as missing, like any id that is not there. */
const noSuchId = -1;

/** Returns null if the value has none of the accepted forms, or names another type than `target` (`{ id, type }`). */
export function parseLinkInput(value: unknown, target: string): LinkInput | null {
  if (value === null) return { kind: 'set', ids: [] };
  if (!isObject(value)) return parseSet(value, target);
  if (value['set'] !== undefined) return value['set'] === null ? { kind: 'none' } : parseSet(value['set'], target);
  if (value['connect'] !== undefined || value['disconnect'] !== undefined) return parsePatch(value, target);
  return value['id'] === undefined ? { kind: 'none' } : parseSet(value, target);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseSet(value: unknown, target: string): LinkInput | null {
  const ids = parseIds(Array.isArray(value) ? value : [value], target);
  return ids === null ? null : { kind: 'set', ids: [...new Set(ids)] };
}

function parseIds(items: readonly unknown[], target: string): number[] | null {
  const ids = items.map((item) => (isOfType(item, target) ? parseId(item) : null));
  return ids.every((id) => id !== null) ? ids : null;
}

const isOfType = (item: unknown, target: string): boolean => !isObject(item) || (item['type'] ?? target) === target;

/** A number, a text of digits, or an object with an `id`; null for anything else. */
export function parseId(item: unknown): number | null {
  const id: unknown = isObject(item) ? item['id'] : item;
  if (typeof id === 'number') return Number.isSafeInteger(id) && id > 0 ? id : noSuchId;
  if (typeof id === 'string') return decodeId(id) || noSuchId;
  return null;
}

function parsePatch({ connect, disconnect, options }: Readonly<Record<string, unknown>>, target: string): LinkInput | null {
  const [coming, leaving] = [connect ?? [], disconnect ?? []];
  if (!Array.isArray(coming) || !Array.isArray(leaving)) return null;
  const connected = distinct(coming).map((item) => parseConnection(item, target));
  const disconnected = parseIds(leaving, target);
  if (disconnected === null || !connected.every((connection) => connection !== null)) return null;
  return {
    kind: 'patch',
    connect: connected,
    disconnect: disconnected,
    strict: !(isObject(options) && options['strict'] === false),
  };
}

/** Items that are written alike count once. */
const distinct = (items: readonly unknown[]): unknown[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
];

function parseConnection(item: unknown, target: string): Connection | null {
  const [id] = parseIds([item], target) ?? [];
  const position =
    isObject(item) && item['position'] !== undefined ? parsePosition(item['position']) : ({ kind: 'end' } as const);
  return id === undefined || position === null ? null : { id, position };
}

function parsePosition(position: unknown): Position | null {
  if (!isObject(position)) return null;
  if (position['start'] === true) return { kind: 'start' };
  for (const kind of ['before', 'after'] as const) {
    if (position[kind] === undefined || position[kind] === null) continue;
    const id = parseId(position[kind]);
    return id === null ? null : { kind, id };
  }
  return { kind: 'end' };
}

/** The uid and id that an item of a polymorphic relation names; null for what it lacks. */
export function parseMorphTarget(item: unknown): { readonly uid: string | null; readonly id: number | null } {
  if (!isObject(item)) return { uid: null, id: null };
  const uid = item['__type'] ?? item['type'];
  return { uid: typeof uid === 'string' ? uid : null, id: parseId(item) };
}
