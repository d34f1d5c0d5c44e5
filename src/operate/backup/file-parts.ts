import { lookup } from 'mime-types';
import type { FileStorage } from '#media/storage/file-storage.js';
import type { StorageOf } from '#media/storage/storage-of.js';
import type { OutsideFile } from '../raw/one-moment.js';
import type { PartOf } from './parts.js';
import { messageOf } from '#base/errors.js';

/** Approximate bytes of one part. */
const partBytes = 2_097_152;

/**
 * Returns the bytes of a file. If it is missing in its storage, or shorter than its record says, the last part says so. Throws an Error
 * if the storage cannot be read.
 */
export async function* fileParts({ provider, key, size }: OutsideFile, storageOf: StorageOf): AsyncGenerator<PartOf<'file'>> {
  const storage = storageOf(provider);
  const head = { part: 'file', provider, key } as const;
  let payload: Uint8Array[] = [];
  let [held, done] = [0, 0];
  try {
    for await (const bytes of storage.read(key, { start: 0, end: size })) {
      if (held + bytes.length > partBytes && held > 0) {
        yield { head: { ...head, last: false }, payload };
        [payload, held] = [[], 0];
      }
      payload.push(bytes);
      held += bytes.length;
      done += bytes.length;
    }
  } catch (error) {
    if (!(await isMissing(storage, key))) throw unreadable(`${provider} cannot be read: ${key}`, error);
    done = -1;
  }
  yield done === size ? { head: { ...head, last: true }, payload } : { head: { ...head, last: true, cut: true }, payload: [] };
}

/** Returns whether a storage that can be read lacks a file. */
const isMissing = (storage: FileStorage, key: string): Promise<boolean> =>
  storage.sizeOf(key).then(
    (size) => size === null,
    () => false,
  );

const unreadable = (what: string, error: unknown): Error =>
  new Error(`the storage ${what}: ${messageOf(error)}`, { cause: error });

interface StoringFile {
  /** Returns the parts that follow. */
  readonly next: () => Promise<PartOf<'file'>>;
  readonly storageOf: StorageOf;
  /** The size in bytes by its record; undefined if it has none. */
  readonly size: number | undefined;
}

/**
 * Stores a file whose first part was read, unless the storage has it: the bytes of a key never change. Deletes nothing, because others
 * may use the storage. Returns whether the backup has all of the file.
 */
export async function storeFile(first: PartOf<'file'>, { next, storageOf, size }: StoringFile): Promise<boolean> {
  const { provider, key, cut } = first.head;
  if (cut === true) return false;
  const storage = storageOf(provider);
  const parts = partsFrom(first, next);
  const storedSize = await storage.sizeOf(key);
  if (storedSize !== null && storedSize === (size ?? storedSize)) return isWhole(parts);
  const mime = lookup(key) || 'application/octet-stream';
  try {
    await storage.write(key, bytesOf(parts), mime);
    return true;
  } catch (error) {
    if (error instanceof CutFile) return false;
    throw error;
  }
}

/** Skips the parts of a file. Returns whether it is whole. */
async function isWhole(parts: AsyncIterable<PartOf<'file'>>): Promise<boolean> {
  let whole = true;
  for await (const { head } of parts) whole = head.cut !== true;
  return whole;
}

class CutFile extends Error {}

async function* partsFrom(first: PartOf<'file'>, next: () => Promise<PartOf<'file'>>): AsyncGenerator<PartOf<'file'>> {
  yield first;
  for (let part = first; !part.head.last; yield part) part = await next();
}

async function* bytesOf(parts: AsyncIterable<PartOf<'file'>>): AsyncGenerator<Uint8Array> {
  for await (const { head, payload } of parts) {
    if (head.cut === true) throw new CutFile();
    for (const bytes of payload) yield Buffer.from(bytes); // a storage may keep some of them, and the memory of a part is used again
  }
}
