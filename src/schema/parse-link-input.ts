import { validationError } from '../errors.js';
import type { LinkAttribute } from './content-type.js';
import { isRecord } from '../values.js';
import { decodeId, isId } from './names.js';

/** Where a connected entry goes in a list; `end` where nothing is said. */
type Position = { readonly kind: 'start' | 'end' } | { readonly kind: 'before' | 'after'; readonly id: number };

interface Connection {
  readonly id: number;
  readonly position: Position;
}

/** What a write asks of a relation, read from any of its spellings. `none`: nothing. */
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
  if (!isRecord(value)) return parseSet(value, target);
  if (value['set'] !== undefined) return value['set'] === null ? { kind: 'none' } : parseSet(value['set'], target);
  if (value['connect'] !== undefined || value['disconnect'] !== undefined) return parsePatch(value, target);
  return value['id'] === undefined ? { kind: 'none' } : parseSet(value, target);
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

/** A number, a text of digits, or an object with an `id`; null for anything else. */
function parseId(item: unknown): number | null {
  const id: unknown = isRecord(item) ? item['id'] : item;
  if (typeof id === 'number') return isId(id) ? id : noSuchId;
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
    strict: !(isRecord(options) && options['strict'] === false),
  };
}

/** Equal items count once, whatever the order of their keys. */
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

/** The uid and id that an item of a polymorphic relation names; null for what it lacks. */
export function parseMorphTarget(item: unknown): { readonly uid: string | null; readonly id: number | null } {
  if (!isRecord(item)) return { uid: null, id: null };
  const uid = item['__type'] ?? item['type'];
  return { uid: typeof uid === 'string' ? uid : null, id: parseId(item) };
}

/**
 * Reads what a checked value asks of a relation. A relation to one entry has no positions: of the ids that are set or connected
 * it takes the last, on create and for files the first.
 */
export function readLinkInput(link: LinkAttribute, value: unknown, mode: 'create' | 'update'): LinkInput {
  const input = parseLinkInput(value, link.target) ?? { kind: 'none' };
  if (link.many || input.kind === 'none') return input;
  const ids = input.kind === 'set' ? input.ids : input.connect.map(({ id }) => id);
  if (ids.length === 0) return input;
  return { kind: 'set', ids: mode === 'create' || link.kind === 'media' ? ids.slice(0, 1) : ids.slice(-1) };
}

/** The ids that a document stores for a relation: one, or a list. */
export const storedIds = (stored: unknown): readonly number[] =>
  Array.isArray(stored) ? (stored as number[]) : typeof stored === 'number' ? [stored] : []; // stored as ids

/** Returns the ids that a write leaves behind. Throws a ValidationError for positions that cannot be, and for an id that is connected twice. */
export function applyLinkInput(current: readonly number[], input: LinkInput): readonly number[] {
  switch (input.kind) {
    case 'none':
      return current;
    case 'set':
      return input.ids;
    case 'patch': {
      const removed = new Set(input.disconnect);
      return connect(
        current.filter((id) => !removed.has(id)),
        orderConnections(refuseRepeats(input.connect), current, input.strict),
      );
    }
  }
}

function refuseRepeats(connections: readonly Connection[]): readonly Connection[] {
  const seen = new Set<number>();
  for (const { id } of connections) {
    if (seen.has(id))
      throw validationError(
        `The relation with id ${String(id)} is already connected. You cannot connect the same relation twice.`,
      );
    seen.add(id);
  }
  return connections;
}

/** Puts connections behind those that they refer to. In loose mode an unknown reference means the end. */
function orderConnections(connections: readonly Connection[], current: readonly number[], strict: boolean): Connection[] {
  const byId = new Map(connections.map((connection) => [connection.id, connection]));
  const known = new Set(current);
  const ordered = new Set<Connection>();
  const place = (connection: Connection, waiting: ReadonlySet<number>): void => {
    if (ordered.has(connection)) return;
    const { id, position } = connection;
    if (waiting.has(id))
      throw validationError(
        'A circular reference was found in the connect array. One relation is trying to connect before/after another one that is trying to connect before/after it',
      );
    const reference = 'id' in position ? byId.get(position.id) : undefined;
    if (reference !== undefined) place(reference, new Set([...waiting, id]));
    else if ('id' in position && !known.has(position.id) && strict) throw notConnected(connection, position);
    ordered.add(connection);
  };
  for (const connection of connections) place(connection, new Set());
  return [...ordered];
}

const notConnected = ({ id }: Connection, position: { readonly kind: string; readonly id: number }) =>
  validationError(
    `There was a problem connecting relation with id ${String(id)} at position ${JSON.stringify({ [position.kind]: position.id })}. ` +
      `The relation with id ${String(position.id)} needs to be connected first.`,
  );

function connect(list: readonly number[], connections: readonly Connection[]): number[] {
  let ids = [...list];
  for (const { id, position } of connections) {
    ids = ids.filter((other) => other !== id);
    const at = 'id' in position ? ids.indexOf(position.id) : -1;
    if (position.kind === 'start') ids.unshift(id);
    else if (at === -1) ids.push(id);
    else ids.splice(position.kind === 'before' ? at : at + 1, 0, id);
  }
  return ids;
}
