import { validationError } from '../errors.js';
import type { LinkAttribute } from './content-type.js';
import { parseLinkInput, type Connection, type LinkInput } from './parse-link-input.js';

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
