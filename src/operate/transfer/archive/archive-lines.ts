import type { Header } from 'tar-stream';
import { isRecord, type Values } from '#base/values.js';
import type { LinkEnd } from '../../raw/transferred.js';
import { ByteReader, newline } from '../byte-reader.js';
import { parseImported } from '../parse-imported.js';
import type { Stage, TransferRecord } from '../source.js';

/** A line of a file in an archive. */
export interface ArchiveLine {
  readonly bytes: Buffer;
  /** Names the line in errors: `entities/entities_00001.jsonl, line 3`. */
  readonly place: string;
}

/** A file of lines. */
interface LinedFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Returns the non-empty lines of a file. Throws an Error for a line of more than `limit` bytes. */
export async function* readLines({ name, bytes: source }: LinedFile, limit: number): AsyncGenerator<ArchiveLine> {
  const reader = new ByteReader(source);
  for (let number = 1; ; number += 1) {
    const line = await reader.line(limit + 1);
    if (line === null) return;
    const place = `${name}, line ${String(number)}`;
    const bytes = line.at(-1) === newline ? line.subarray(0, -1) : line;
    if (bytes.length > limit) throw new Error(`${place} has more than ${String(limit)} bytes`);
    if (bytes.length > 0) yield { bytes, place };
  }
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
  const where = text.toString('utf8', 0, maxShown);
  return { stage: 'unreadable', of: stage, reason: `a line of ${stage} is not a record of an export`, where };
}

/** Number of bytes of an unreadable line that are kept for the report. */
const maxShown = 300;

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

/** The place of a file in an archive: a folder of lines, or the name of a stored file. */
type ArchivePlace = { readonly stage: RecordStage } | { readonly stage: 'assets'; readonly name: string };

const placePattern = /^(?:(schemas|entities|links|configuration)\/[^/]+\.jsonl|assets\/uploads\/([^/]+))$/;

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
  const [, folder, asset] = placePattern.exec(path) ?? [];
  if (asset !== undefined) return { stage: 'assets', name: asset };
  return folder === undefined ? null : { stage: folder as RecordStage }; // one of the pattern
}
