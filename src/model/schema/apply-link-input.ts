import { validationError } from '#base/errors.js';

/** What identifies a related entry in a list: its id, or type and id if the relation is polymorphic (see `morphKey`). */
export type LinkKey = number | string;

/** The position of a connected entry in a list; `end` unless the input names another one. */
export type Position<Key extends LinkKey = number> =
  { readonly kind: 'start' | 'end' } | { readonly kind: 'before' | 'after'; readonly id: Key };

export interface Connection<Key extends LinkKey = number> {
  readonly id: Key;
  readonly position: Position<Key>;
}

/** The change of a relation, read from any of its spellings. `none`: no change. */
export type LinkInput<Key extends LinkKey = number> =
  | { readonly kind: 'none' }
  | { readonly kind: 'set'; readonly ids: readonly Key[] }
  | {
      /** Removes entries from the list, and adds entries to it or moves them within it. */
      readonly kind: 'patch';
      readonly connect: readonly Connection<Key>[];
      readonly disconnect: readonly Key[];
      /** Whether a position must refer to an entry of the list. */
      readonly strict: boolean;
    };

/**
 * Returns the keys of the stored links after a write, in order. Takes time in proportion to the lengths of both. Throws a
 * ValidationError for impossible positions.
 */
export function applyLinkInput<Key extends LinkKey>(current: readonly Key[], input: LinkInput<Key>): readonly Key[] {
  if (input.kind === 'none') return current;
  if (input.kind === 'set') return input.ids;
  const removed = new Set(input.disconnect);
  const remainingKeys = current.filter((id) => !removed.has(id));
  const list = listOf(remainingKeys);
  for (const { id, position } of orderConnections(input, current, new Set(remainingKeys))) move(list, id, position);
  return idsOf(list);
}

/**
 * Returns the connections, each after the one that it refers to, unless that entry is in the list already: then its place of that
 * moment counts. Throws a ValidationError for a cycle and, if `strict`, for an unknown reference.
 */
function orderConnections<Key extends LinkKey>(
  { connect, strict }: Extract<LinkInput<Key>, { kind: 'patch' }>,
  current: readonly Key[],
  kept: ReadonlySet<Key>,
): ReadonlySet<Connection<Key>> {
  const byId = new Map(connect.map((connection) => [connection.id, connection]));
  const currentKeys = new Set(current);
  const ordered = new Set<Connection<Key>>();
  for (const connection of connect) {
    const chain = new Set<Connection<Key>>();
    for (let next: Connection<Key> | undefined = connection; next !== undefined && !ordered.has(next);) {
      if (chain.has(next)) throw circular();
      chain.add(next);
      const { position }: Connection<Key> = next;
      if ('id' in position && position.id === next.id) throw circular();
      if ('id' in position && strict && !byId.has(position.id) && !currentKeys.has(position.id))
        throw notConnected(next.id, position);
      next = 'id' in position && !kept.has(position.id) ? byId.get(position.id) : undefined;
    }
    for (const placed of [...chain].reverse()) ordered.add(placed);
  }
  return ordered;
}

const circular = (): Error =>
  validationError(
    'A circular reference was found in the connect array. One relation is trying to connect before/after another one that is trying to connect before/after it',
  );

const notConnected = (key: LinkKey, position: Extract<Position<LinkKey>, { id: LinkKey }>): Error =>
  validationError(
    `There was a problem connecting relation with id ${String(idOf(key))} at position ${JSON.stringify({ [position.kind]: idOf(position.id) })}. ` +
      `The relation with id ${String(idOf(position.id))} needs to be connected first.`,
  );

/** Returns the id of the entry that a key identifies. */
export const idOf = (key: LinkKey): number => (typeof key === 'number' ? key : Number(key.slice(key.lastIndexOf(' '))));

/** A linked list of keys, in which a move takes constant time. It is a ring that starts and ends at `edge`. */
interface MovableList<Key> {
  readonly next: Map<Key | typeof edge, Key | typeof edge>;
  readonly previous: Map<Key | typeof edge, Key | typeof edge>;
}

const edge = null;

function listOf<Key extends LinkKey>(ids: readonly Key[]): MovableList<Key> {
  const list: MovableList<Key> = { next: new Map([[edge, edge]]), previous: new Map([[edge, edge]]) };
  for (const id of ids) move(list, id, { kind: 'end' });
  return list;
}

/** Puts an id at a position; at the end if the position refers to an id that is not in the list. */
function move<Key extends LinkKey>({ next, previous }: MovableList<Key>, id: Key, position: Position<Key>): void {
  const [left, right] = [previous.get(id), next.get(id)];
  if (left !== undefined && right !== undefined) {
    next.set(left, right);
    previous.set(right, left);
  }
  const reference = 'id' in position && next.has(position.id) ? position.id : edge;
  const isBehind = position.kind === 'start' || (position.kind === 'after' && reference !== edge);
  const before = isBehind ? reference : (previous.get(reference) ?? edge);
  const after = isBehind ? (next.get(reference) ?? edge) : reference;
  next.set(before, id).set(id, after);
  previous.set(after, id).set(id, before);
}

function idsOf<Key extends LinkKey>({ next }: MovableList<Key>): Key[] {
  const ids: Key[] = [];
  for (let id = next.get(edge) ?? edge; id !== edge; id = next.get(id) ?? edge) ids.push(id);
  return ids;
}

/** Returns whether an input only removes entries and appends others, so that the entries that it does not name do not matter. */
export const namesAllItChanges = (input: LinkInput): boolean =>
  input.kind === 'patch' && input.connect.every(({ position }) => position.kind === 'end');
