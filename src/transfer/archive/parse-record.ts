import { isRecord, type Values } from '../../values.js';
import type { LinkEnd } from '../../mongo/transfer/transferred.js';
import type { Stage, TransferRecord } from '../source.js';

/** Returns the record that a line of a stage stands for; null if it stands for none. */
export function parseRecord(stage: Exclude<Stage, 'assets'>, line: string): TransferRecord | null {
  const value = parseJson(line);
  return isRecord(value) ? readers[stage](value, line.length) : null;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const readers: Readonly<Record<Exclude<Stage, 'assets'>, (value: Values, bytes: number) => TransferRecord | null>> = {
  schemas: (schema) => ({ stage: 'schemas', schema }),
  entities: ({ type, id, data }, bytes) =>
    typeof type === 'string' && isId(id) && isRecord(data) ? { stage: 'entities', type, id, data, bytes } : null,
  links: readLink,
  configuration: ({ type, value }) => {
    if (typeof type !== 'string' || !isRecord(value)) return null;
    return { stage: 'configuration', key: type === 'core-store' ? String(value['key']) : type, value: value['value'] ?? value };
  },
};

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

function readLink({ kind, left, right }: Values): TransferRecord | null {
  const [from, to] = [readEnd(left), readEnd(right)];
  if (from === null || to === null) return null;
  return { stage: 'links', isMorph: kind === 'relation.morph', left: from, right: to };
}

function readEnd(end: unknown): LinkEnd | null {
  if (!isRecord(end)) return null;
  const { type, ref, field, pos } = end;
  if (typeof type !== 'string' || !isId(ref)) return null;
  return { type, id: ref, field: typeof field === 'string' ? field : null, position: typeof pos === 'number' ? pos : null };
}
