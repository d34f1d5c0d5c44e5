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

/** Null where the value has none of the accepted forms. */
export function parseLinkInput(value: unknown): LinkInput | null {
  if (value === null) return { kind: 'set', ids: [] };
  if (!isObject(value)) return setOf(Array.isArray(value) ? value : [value]);
  if (value['set'] !== undefined) return parseSet(value['set']);
  if (value['connect'] !== undefined || value['disconnect'] !== undefined) return parsePatch(value);
  return value['id'] === undefined ? { kind: 'none' } : setOf([value]);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseSet(set: unknown): LinkInput | null {
  if (set === null) return { kind: 'none' };
  return setOf(Array.isArray(set) ? set : [set]);
}

function setOf(items: readonly unknown[]): LinkInput | null {
  const ids = parseIds(items);
  return ids === null ? null : { kind: 'set', ids: [...new Set(ids)] };
}

function parseIds(items: readonly unknown[]): number[] | null {
  const ids = items.map(parseId);
  return ids.every((id) => id !== null) ? ids : null;
}

/** A number, a text of digits, or an object with an `id`; null for anything else. */
export function parseId(item: unknown): number | null {
  const id: unknown = isObject(item) ? item['id'] : item;
  if (typeof id === 'number') return Number.isSafeInteger(id) && id > 0 ? id : noSuchId;
  if (typeof id === 'string') return /^\d{1,15}$/.test(id) && Number(id) > 0 ? Number(id) : noSuchId;
  return null;
}

function parsePatch({ connect = [], disconnect = [], options }: Readonly<Record<string, unknown>>): LinkInput | null {
  if (!Array.isArray(connect) || !Array.isArray(disconnect)) return null;
  const connections = connect.map(parseConnection);
  const removed = parseIds(disconnect);
  if (removed === null || !connections.every((connection) => connection !== null)) return null;
  return {
    kind: 'patch',
    connect: connections,
    disconnect: removed,
    strict: !(isObject(options) && options['strict'] === false),
  };
}

function parseConnection(item: unknown): Connection | null {
  const id = parseId(item);
  const position =
    isObject(item) && item['position'] !== undefined ? parsePosition(item['position']) : ({ kind: 'end' } as const);
  return id === null || position === null ? null : { id, position };
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
