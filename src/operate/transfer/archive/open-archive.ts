import { createDecipheriv, createHash, scryptSync } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import { upTo } from '../byte-reader.js';
import type { Source, Stage, TransferRecord } from '../source.js';
import { type ArchiveLine, archivePlace, parseRecord, readLines } from './archive-lines.js';
import { messageOf } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';

/** Limits of an archive, which is untrusted. */
export interface ArchiveLimits {
  /** Maximum size in bytes after decompression. */
  readonly bytes: number;
  /** Maximum number of files. */
  readonly files: number;
  /** Maximum length of a line of JSON in bytes. */
  readonly line: number;
}

interface ArchiveInput {
  readonly file: string;
  /** The key of an encrypted archive; null if there is none. */
  readonly key: string | null;
  /** The limits; by default those of `limitsFor`. */
  readonly limits?: ArchiveLimits;
}

/**
 * Returns the limits for an archive of a size in bytes. JSON of real projects is compressed to a twentieth, and a document of
 * MongoDB has at most 16 MB.
 */
const limitsFor = (size: number): ArchiveLimits => ({
  bytes: Math.max(2 ** 30, size * 200),
  files: 10_000_000,
  line: 24_000_000,
});

/**
 * Opens an archive of `strapi export`: .tar or .tar.gz, possibly followed by .enc. Throws an Error if the key of an encrypted one
 * is missing.
 */
export async function openArchive({ file, key, limits }: ArchiveInput): Promise<Source> {
  const { size } = await stat(file);
  if (isEncrypted(file) && key === null) throw new Error(`${file} is encrypted, and no key is given`);
  const missing = new MissingLinks();
  const archive = { file, key, limits: limits ?? limitsFor(size), missing };
  return {
    identity: await identityOf(file, size),
    description: basename(file),
    mayChange: false,
    read: (stages) => readArchive(archive, new Set(stages)),
    notes: () => missing.notes(),
    close: () => Promise.resolve(),
  };
}

const isEncrypted = (file: string): boolean => file.endsWith('.enc');
const isCompressed = (file: string): boolean => /\.t?gz(\.enc)?$/.test(file);

/** Number of bytes at either end of a file that identify it. */
const sampled = 1_048_576;

async function identityOf(file: string, size: number): Promise<string> {
  const handle = await open(file);
  try {
    const ends = [await sample(handle, 0), await sample(handle, Math.max(size - sampled, 0))];
    return createHash('sha256').update(String(size)).update(Buffer.concat(ends)).digest('hex').slice(0, 32);
  } finally {
    await handle.close();
  }
}

async function sample(handle: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(sampled), 0, sampled, position);
  return buffer.subarray(0, bytesRead);
}

/** First minor version of Strapi 4 that exports the links of `morphToOne`. */
const firstWith = 20;

const versionPattern = /"version":\s*"4\.(\d+)\./;

/**
 * Collects the relations whose links are missing from an archive, because its version of Strapi does not export the links of
 * `morphToOne`. It is filled while the archive is read.
 */
class MissingLinks {
  readonly #relations = new Set<string>();
  #minor: number | null = null;

  takeSchema({ uid, attributes }: Values): void {
    for (const [name, attribute] of Object.entries(isRecord(attributes) ? attributes : {}))
      if (isRecord(attribute) && attribute['relation'] === 'morphToOne') this.#relations.add(`${String(uid)} ${name}`);
  }

  /** Reads the version from a line of metadata.json. */
  takeMetadata(line: string): void {
    const [, minor] = versionPattern.exec(line) ?? [];
    if (minor !== undefined) this.#minor = Number(minor);
  }

  /** Returns each relation with the reason, for the report of an import. */
  notes(): readonly (readonly [reason: string, where: string])[] {
    if (this.#minor === null || this.#minor >= firstWith) return [];
    const reason = `a relation is imported without links: Strapi 4.${String(this.#minor)} does not export links of morphToOne`;
    return [...this.#relations].map((where) => [reason, where]);
  }
}

type Archive = Required<ArchiveInput> & { readonly missing: MissingLinks };

/** Name of the file that an export writes last. */
const metadataName = 'metadata.json';

async function* readArchive(archive: Archive, stages: ReadonlySet<Stage>): AsyncGenerator<TransferRecord> {
  const files = extract();
  const filled = pipeline([createReadStream(archive.file), ...decoders(archive), files as unknown as NodeJS.WritableStream]); // close enough to Node's streams
  filled.catch(() => undefined); // the iteration throws it
  let isWhole = false;
  let count = 0;
  try {
    for await (const entry of files) {
      count++;
      if (count > archive.limits.files) throw new Error(`contains more than ${String(archive.limits.files)} files`);
      isWhole ||= entry.header.name === metadataName;
      yield* recordsOf(entry as unknown as ArchivedFile, stages, archive); // yields bytes
      entry.resume();
    }
    await filled;
  } catch (error) {
    throw damaged(archive, error);
  } finally {
    files.destroy();
  }
  if (!isWhole) throw new Error(`${archive.file} is incomplete: it has no ${metadataName}`);
}

/**
 * Returns the streams that decrypt, decompress and limit an archive. Strapi encrypts with AES-128-ECB and a key from scrypt
 * without salt.
 */
function decoders({ file, key, limits }: Archive): NodeJS.ReadWriteStream[] {
  return [
    ...(isEncrypted(file) ? [createDecipheriv('aes-128-ecb', scryptSync(key ?? '', '', 16), null)] : []),
    ...(isCompressed(file) ? [createGunzip()] : []),
    Duplex.from((bytes: AsyncIterable<Uint8Array>) => upTo(limits.bytes, bytes, tooLarge)),
  ];
}

const tooLarge = (): Error => new Error('becomes too large when it is decompressed');

/** A file in an archive. Its bytes must be read or skipped. */
type ArchivedFile = AsyncIterable<Uint8Array> & { readonly header: Header };

async function* recordsOf(
  entry: ArchivedFile,
  stages: ReadonlySet<Stage>,
  { limits, missing }: Archive,
): AsyncGenerator<TransferRecord> {
  const { name, size } = entry.header;
  const place = archivePlace(entry.header);
  const lines = (): AsyncGenerator<ArchiveLine> => readLines({ name, bytes: entry }, limits.line);
  if (name === metadataName) for await (const { bytes } of lines()) missing.takeMetadata(bytes.toString('utf8'));
  if (place === null || !stages.has(place.stage)) return;
  if (place.stage === 'assets') {
    yield { stage: 'assets', name: place.name, size, open: () => entry };
    return;
  }
  for await (const line of lines()) {
    const record = parseRecord(place.stage, line);
    if (record.stage === 'schemas') missing.takeSchema(record.schema);
    yield record;
  }
}

/** Returns an error that explains the error of a damaged archive. */
function damaged({ file, key }: Archive, error: unknown): Error {
  const message = messageOf(error);
  if (
    /bad decrypt|wrong final block/i.test(message) ||
    (key !== null && isEncrypted(file) && /header check|tar header/i.test(message))
  )
    return new Error(`${file} cannot be decrypted: the key is wrong, or the file is damaged`);
  if (/unexpected end/i.test(message)) return new Error(`${file} is truncated`);
  return new Error(`${file}: ${message}`, { cause: error });
}
