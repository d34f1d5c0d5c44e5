import { createHash } from 'node:crypto';
import { packageVersion } from '#base/package-root.js';
import { isRecord, type Values } from '#base/values.js';

/** The version of the format, which docs/backup.md describes. Others are refused. */
export const formatVersion = 1;

/** The beginning of every backup. */
export const startOf = (database: string): StartHead => ({
  part: 'start',
  format: formatVersion,
  mangrove: packageVersion,
  database,
  begun: new Date().toISOString(),
});

interface StartHead {
  readonly part: 'start';
  readonly format: number;
  /** The version that has written it. */
  readonly mangrove: string;
  readonly database: string;
  readonly begun: string;
}

/** Documents that follow each other, in BSON. Each replaces an earlier one with its id. */
interface DocumentsHead {
  readonly part: 'documents';
  readonly collection: string;
  readonly count: number;
}

/** Ids of documents that were deleted after an earlier part has them, in the same form. */
interface DeletedHead extends Omit<DocumentsHead, 'part'> {
  readonly part: 'deleted';
}

/** Bytes of a file that is stored outside of the database. */
interface FileHead {
  readonly part: 'file';
  readonly provider: string;
  readonly key: string;
  /** Whether the file ends with this part. */
  readonly last: boolean;
  /** Whether the file could not be read to its end, so that it is left out. */
  readonly cut?: true;
}

/** The end of every backup. */
export interface EndHead {
  readonly part: 'end';
  /** The moment that everything is of. */
  readonly moment: string;
  /** Documents, each of which counts once, although it may have been written again. */
  readonly documents: number;
  readonly files: number;
  /** The collections, with their options and indexes as Extended JSON. */
  readonly collections: readonly unknown[];
}

export type PartHead = StartHead | DocumentsHead | DeletedHead | FileHead | EndHead;

/** A part of a backup: a line of JSON, which the bytes follow. */
export interface Part<Head extends PartHead = PartHead> {
  readonly head: Head;
  readonly payload: readonly Uint8Array[];
}

/** The part of a backup with that name. */
export type PartOf<Name extends PartHead['part']> = Part<Extract<PartHead, { readonly part: Name }>>;

/** Returns the SHA-256 of bytes. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Returns pieces as one. */
export function joinPieces(pieces: readonly Uint8Array[]): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined
    ? Buffer.from(first.buffer, first.byteOffset, first.length)
    : Buffer.concat(pieces);
}

/** Maximum bytes that follow a line. A larger part would be refused when it is read. */
export const largestPart = 67_108_864;

/**
 * Adds the sizes and checksums. Throws an Error if a part is too large. The last part has the checksum of all lines before it, which
 * contain those of all bytes.
 */
export async function* sealed(parts: AsyncIterable<Part>): AsyncGenerator<Uint8Array> {
  const whole = createHash('sha256');
  for await (const { head, payload } of parts) {
    const seal = head.part === 'end' ? { whole: whole.copy().digest('hex') } : null;
    const bytes = joinPieces(payload);
    if (bytes.length > largestPart) throw new Error(`a part of ${String(bytes.length)} bytes is too large for a backup`);
    const line = Buffer.from(`${JSON.stringify({ ...head, ...seal, bytes: bytes.length, sha256: digestOf(bytes) })}\n`);
    whole.update(line);
    yield line;
    if (bytes.length > 0) yield bytes;
  }
}

/** Returns whether a value has the form of the line of a part, apart from its sizes and checksums. */
export const isHead = (value: Values): boolean => {
  const check = Object.hasOwn(forms, String(value['part'])) ? forms[value['part'] as PartHead['part']] : undefined; // a name of it
  return check?.(value) === true;
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const forms: Readonly<Record<PartHead['part'], (value: Values) => boolean>> = {
  start: ({ format, database }) => isCount(format) && isText(database),
  documents: ({ collection, count }) => isText(collection) && isCount(count),
  deleted: ({ collection, count }) => isText(collection) && isCount(count),
  file: ({ provider, key, last }) => isText(provider) && isText(key) && !/[/\\]|^\.+$/.test(key) && typeof last === 'boolean',
  end: ({ moment, documents, files, collections, whole }) =>
    isText(moment) &&
    isCount(documents) &&
    isCount(files) &&
    isText(whole) &&
    Array.isArray(collections) &&
    collections.every(isRecord),
};
