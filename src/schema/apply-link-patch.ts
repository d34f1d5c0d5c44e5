import { validationError } from '../errors.js';

/** The position of a connected entry in a list; `end` unless the input names another one. */
export type Position = { readonly kind: 'start' | 'end' } | { readonly kind: 'before' | 'after'; readonly id: number };

export interface Connection {
  readonly id: number;
  readonly position: Position;
}

/** Entries to remove from a list, and entries to add to it or to move within it. */
export interface LinkPatch {
  readonly connect: readonly Connection[];
  readonly disconnect: readonly number[];
  /** Whether a position must refer to an entry of the list. */
  readonly strict: boolean;
}

/**
 * Returns the ids of a list after a patch. Takes time in proportion to the lengths of both. Throws a ValidationError for
 * impossible positions.
 */
export function applyLinkPatch(current: readonly number[], { connect, disconnect, strict }: LinkPatch): readonly number[] {
  const removed = new Set(disconnect);
  const list = listOf(current.filter((id) => !removed.has(id)));
  for (const { id, position } of orderConnections(connect, current, strict)) move(list, id, position);
  return idsOf(list);
}

/**
 * Returns the connections, each after the one that it refers to. Throws a ValidationError for a cycle and, if `strict`, for an
 * unknown reference.
 */
function orderConnections(
  connections: readonly Connection[],
  current: readonly number[],
  strict: boolean,
): ReadonlySet<Connection> {
  const byId = new Map(connections.map((connection) => [connection.id, connection]));
  const known = new Set(current);
  const ordered = new Set<Connection>();
  for (const connection of connections) {
    const chain = new Set<Connection>();
    for (let next: Connection | undefined = connection; next !== undefined && !ordered.has(next);) {
      if (chain.has(next)) throw circular();
      chain.add(next);
      const { position }: Connection = next;
      if ('id' in position && strict && !byId.has(position.id) && !known.has(position.id)) throw notConnected(next.id, position);
      next = 'id' in position ? byId.get(position.id) : undefined;
    }
    for (const placed of [...chain].reverse()) ordered.add(placed);
  }
  return ordered;
}

const circular = (): Error =>
  validationError(
    'A circular reference was found in the connect array. One relation is trying to connect before/after another one that is trying to connect before/after it',
  );

const notConnected = (id: number, position: Extract<Position, { id: number }>): Error =>
  validationError(
    `There was a problem connecting relation with id ${String(id)} at position ${JSON.stringify({ [position.kind]: position.id })}. ` +
      `The relation with id ${String(position.id)} needs to be connected first.`,
  );

/** A linked list of ids, in which a move takes constant time. It is a ring that starts and ends at `edge`. */
interface MovableList {
  readonly next: Map<number, number>;
  readonly previous: Map<number, number>;
}

/** An id that no entry has. */
const edge = 0;

function listOf(ids: readonly number[]): MovableList {
  const list = { next: new Map([[edge, edge]]), previous: new Map([[edge, edge]]) };
  for (const id of ids) move(list, id, { kind: 'end' });
  return list;
}

/** Puts an id at a position; at the end if the position refers to an id that is not in the list. */
function move({ next, previous }: MovableList, id: number, position: Position): void {
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

function idsOf({ next }: MovableList): number[] {
  const ids: number[] = [];
  for (let id = next.get(edge) ?? edge; id !== edge; id = next.get(id) ?? edge) ids.push(id);
  return ids;
}
