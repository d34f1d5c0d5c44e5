import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import type { ByteSource } from '#media/storage/file-storage.js';

/** A file in an archive. */
export interface PackedFile {
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  readonly bytes: ByteSource;
}

/**
 * Writes an archive in the format of Strapi. The extension decides about compression, `key` about encryption. The file gets its
 * name when it is complete. If a source of bytes fails, rejects and leaves no file.
 */
export async function writeArchive(file: string, files: AsyncIterable<PackedFile>, key: string | null): Promise<void> {
  const part = `${file}.${randomBytes(6).toString('hex')}.part`;
  const archive = pack();
  const steps = [
    ...(/\.t?gz(\.enc)?$/.test(file) ? [createGzip()] : []),
    ...(key === null ? [] : [createCipheriv('aes-128-ecb', scryptSync(key, '', 16), null)]),
  ];
  const source = archive as unknown as NodeJS.ReadableStream; // close enough to Node's streams
  const written = pipeline([source, ...steps, createWriteStream(part, { flags: 'wx', mode: 0o600 })]);
  try {
    await Promise.all([fill(archive, files), written]);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function fill(archive: Pack, files: AsyncIterable<PackedFile>): Promise<void> {
  try {
    for await (const { name, size, bytes } of files) {
      const sink = archive.entry({ name, size, mode: 0o644 });
      await pipeline(Readable.from(bytes), sink as unknown as NodeJS.WritableStream); // close enough to Node's streams
    }
    archive.finalize();
  } catch (error) {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

/** Approximate size of a file of lines, in bytes. */
const fileBytes = 8_388_608;

/** Packs values as lines of JSON into files `<folder>/<folder>_00001.jsonl` and so on. Only one file at a time is in memory. */
export async function* packLines(folder: string, values: AsyncIterable<unknown>): AsyncGenerator<PackedFile> {
  let lines: Buffer[] = [];
  let size = 0;
  let number = 0;
  const take = (): PackedFile => {
    const bytes = Buffer.concat(lines);
    lines = [];
    size = 0;
    number++;
    return { name: `${folder}/${folder}_${String(number).padStart(5, '0')}.jsonl`, size: bytes.length, bytes: [bytes] };
  };
  for await (const value of values) {
    const line = Buffer.from(`${JSON.stringify(value)}\n`);
    lines.push(line);
    size += line.length;
    if (size >= fileBytes) yield take();
  }
  if (size > 0) yield take();
}

/** Packs a value as a file of JSON. */
export function packJson(name: string, value: unknown): PackedFile {
  const bytes = Buffer.from(JSON.stringify(value));
  return { name, size: bytes.length, bytes: [bytes] };
}
