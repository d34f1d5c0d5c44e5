import type { Header } from 'tar-stream';
import type { ByteSource } from '../../media/storage/file-storage.js';
import { isRecord, type Values } from '../../values.js';
import type { LinkEnd } from '../../mongo/transfer/transferred.js';
import { parseImported } from '../parse-imported.js';
import type { Stage, TransferRecord } from '../source.js';

const newline = 10;

/** A line of a file in an archive. */
export interface ArchiveLine {
  readonly bytes: Buffer;
  /** Names the line in errors: `entities/entities_00001.jsonl, line 3`. */
  readonly place: string;
}

/** A file of lines. */
interface LinedFile {
  readonly name: string;
  readonly bytes: ByteSource;
}

/** Returns the non-empty lines of a file. Throws an Error for a line of more than `limit` bytes. */
export async function* readLines({ name, bytes: source }: LinedFile, limit: number): AsyncGenerator<ArchiveLine> {
  let held: Uint8Array[] = [];
  let [size, number] = [0, 1];
  const place = (): string => `${name}, line ${String(number)}`;
  const hold = (piece: Uint8Array): void => {
    held.push(piece);
    size += piece.length;
    if (size > limit) throw new Error(`${place()} has more than ${String(limit)} bytes`);
  };
  const take = (): ArchiveLine => {
    const line = { bytes: Buffer.concat(held), place: place() };
    held = [];
    size = 0;
    number += 1;
    return line;
  };
  for await (const bytes of source) {
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      hold(bytes.subarray(start, end));
      const line = take();
      if (line.bytes.length > 0) yield line;
      start = end + 1;
    }
    if (start < bytes.length) hold(bytes.subarray(start));
  }
  if (size > 0) yield take();
}

/**
 * Returns the record in a line. Throws an Error if the line is not JSON or too large to decode, or if a model or setting is
 * invalid. Any other invalid line becomes an `unreadable` record.
 */
export function parseRecord(stage: RecordStage, { bytes: text, place }: ArchiveLine): TransferRecord {
  const { value, bytes } = parseImported(text, place);
  const record = isRecord(value) ? readers[stage](value, bytes) : null;
  if (record !== null) return record;
  if (value === undefined || stage === 'schemas' || stage === 'configuration')
    throw new Error(`${place} is not a record of an export`);
  const where = text.toString('utf8', 0, mostShown);
  return { stage: 'unreadable', of: stage, reason: `a line of ${stage} is not a record of an export`, where };
}

/** Number of bytes of an unreadable line that are kept for the report. */
const mostShown = 300;

type RecordStage = Exclude<Stage, 'assets'>;

const readers: Readonly<Record<RecordStage, (value: Values, bytes: number) => TransferRecord | null>> = {
  schemas: (schema, bytes) => ({ stage: 'schemas', schema, bytes }),
  entities: ({ type, id, data }, bytes) =>
    isName(type) && isId(id) && isRecord(data) ? { stage: 'entities', type, id, data, bytes } : null,
  links: readLink,
  configuration: ({ type, value }, bytes) => {
    if (typeof type !== 'string' || !isRecord(value)) return null;
    const key = type === 'core-store' ? String(value['key']) : type;
    return { stage: 'configuration', key, value: value['value'] ?? value, bytes };
  },
};

/** Returns whether a value is the name of a type or field. The length is limited, because many are in memory at a time. */
const isName = (value: unknown): value is string => typeof value === 'string' && value.length <= 200;

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

function readLink({ kind, left, right }: Values): TransferRecord | null {
  const [from, to] = [readEnd(left), readEnd(right)];
  if (from === null || to === null) return null;
  return { stage: 'links', isMorph: kind === 'relation.morph', left: from, right: to };
}

function readEnd(end: unknown): LinkEnd | null {
  if (!isRecord(end)) return null;
  const { type, ref, field, pos } = end;
  if (!isName(type) || !isId(ref) || (typeof field === 'string' && !isName(field))) return null;
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
