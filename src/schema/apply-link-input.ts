import { validationError } from '../errors.js';
import type { Connection, LinkInput } from './parse-link-input.js';

/** The list of ids that a write leaves behind. Throws a ValidationError for positions that cannot be (rest.md 8.2). */
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
        orderConnections(distinct(input.connect), current, input.strict),
      );
    }
  }
}

/** One id of a list for a to-one relation: the last sent, and on create the first, as in the reference. */
export const applyToOne = (current: number | null, input: LinkInput, mode: 'create' | 'update'): number | null => {
  const ids = applyLinkInput(current === null ? [] : [current], input);
  return (mode === 'create' ? ids[0] : ids.at(-1)) ?? null;
};

function distinct(connections: readonly Connection[]): Connection[] {
  const byId = new Map<number, Connection>();
  for (const connection of connections) {
    const same = byId.get(connection.id);
    if (same !== undefined && JSON.stringify(same) !== JSON.stringify(connection))
      throw validationError(
        `The relation with id ${String(connection.id)} is already connected. You cannot connect the same relation twice.`,
      );
    byId.set(connection.id, connection);
  }
  return [...byId.values()];
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
