import type { Header } from 'tar-stream';
import type { ByteSource } from '../../media/storage/file-storage.js';
import { isRecord, type Values } from '../../values.js';
import type { LinkEnd } from '../../mongo/transfer/transferred.js';
import type { Stage, TransferRecord } from '../source.js';

const newline = 10;

/** Returns the non-empty lines of a text. Throws an Error for a line of more than `limit` bytes. */
export async function* readLines(source: ByteSource, limit: number): AsyncGenerator<string> {
  let held: Uint8Array[] = [];
  let size = 0;
  const take = (last: Uint8Array): string => {
    const text = Buffer.concat([...held, last]).toString('utf8');
    held = [];
    size = 0;
    return text;
  };
  for await (const bytes of source) {
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      assertFits(size + end - start, limit);
      const line = take(bytes.subarray(start, end));
      if (line !== '') yield line;
      start = end + 1;
    }
    const rest = bytes.subarray(start);
    if (rest.length > 0) held.push(rest);
    size += rest.length;
    assertFits(size, limit);
  }
  const last = take(new Uint8Array());
  if (last !== '') yield last;
}

function assertFits(size: number, limit: number): void {
  if (size > limit) throw new Error(`a line has more than ${String(limit)} bytes`);
}

/**
 * Returns the record in a line of a file. Throws an Error if the line is not JSON, or if a model or setting is invalid. Any other
 * invalid line becomes an `unreadable` record.
 */
export function parseRecord(
  { stage, name }: { readonly stage: RecordStage; readonly name: string },
  line: string,
): TransferRecord {
  const value: unknown = parseJson(line);
  const record = isRecord(value) ? readers[stage](value, line.length) : null;
  if (record !== null) return record;
  if (value === undefined || stage === 'schemas' || stage === 'configuration')
    throw new Error(`${name} contains a line that is not a record of an export`);
  return { stage: 'unreadable', of: stage, reason: `a line of ${stage} is not a record of an export`, where: line };
}

type RecordStage = Exclude<Stage, 'assets'>;

/** Parses a line; returns undefined if it is not JSON. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const readers: Readonly<Record<RecordStage, (value: Values, bytes: number) => TransferRecord | null>> = {
  schemas: (schema, bytes) => ({ stage: 'schemas', schema, bytes }),
  entities: ({ type, id, data }, bytes) =>
    isTypeName(type) && isId(id) && isRecord(data) ? { stage: 'entities', type, id, data, bytes } : null,
  links: readLink,
  configuration: ({ type, value }, bytes) => {
    if (typeof type !== 'string' || !isRecord(value)) return null;
    const key = type === 'core-store' ? String(value['key']) : type;
    return { stage: 'configuration', key, value: value['value'] ?? value, bytes };
  },
};

/** Returns whether a value is the name of a type. The length is limited, because types are counted by name in memory. */
const isTypeName = (value: unknown): value is string => typeof value === 'string' && value.length <= 200;

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

function readLink({ kind, left, right }: Values): TransferRecord | null {
  const [from, to] = [readEnd(left), readEnd(right)];
  if (from === null || to === null) return null;
  return { stage: 'links', isMorph: kind === 'relation.morph', left: from, right: to };
}

function readEnd(end: unknown): LinkEnd | null {
  if (!isRecord(end)) return null;
  const { type, ref, field, pos } = end;
  if (!isTypeName(type) || !isId(ref)) return null;
  return { type, id: ref, field: typeof field === 'string' ? field : null, position: typeof pos === 'number' ? pos : null };
}

/** The place of a file in an archive. */
interface ArchivePlace {
  readonly stage: Stage;
  /** File name without the folder. */
  readonly name: string;
}

const places: readonly { readonly path: RegExp; readonly stage: (folder: string) => Stage }[] = [
  { path: /^(schemas|entities|links|configuration)\/([^/]+\.jsonl)$/, stage: (folder) => folder as Stage }, // one of the pattern
  { path: /^(assets\/uploads)\/([^/]+)$/, stage: () => 'assets' },
];

/**
 * Returns the place of a file in an archive; null if the file contains no records. Throws an Error for entries that no export
 * writes: links, and paths that lead out of the archive.
 */
export function archivePlace({ name, type }: Header): ArchivePlace | null {
  if (type === 'directory') return null;
  const path = name.replaceAll('\\', '/').replace(/^\.\//, '');
  if (type !== 'file') throw new Error(`contains ${JSON.stringify(name)}, a ${String(type)}; only files are allowed`);
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.includes('\0') || path.split('/').includes('..'))
    throw new Error(`contains ${JSON.stringify(name)}, a path that leads out of it`);
  for (const place of places) {
    const [, folder, file] = place.path.exec(path) ?? [];
    if (folder !== undefined && file !== undefined) return { stage: place.stage(folder), name: file };
  }
  return null;
}
