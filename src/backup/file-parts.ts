import { lookup } from 'mime-types';
import { endless } from '../limits/clock.js';
import type { FileStorage } from '../media/storage/file-storage.js';
import type { OutsideFile } from '../mongo/transfer/one-moment.js';
import type { PartOf } from './parts.js';

/** Returns the storage of a name. Throws an Error if there is none, or if it is not configured. */
export type StorageOf = (provider: string) => FileStorage;

/** Approximate bytes of one part. */
const partBytes = 2_097_152;

/** Returns the bytes of a file. If they cannot be read to their end, the last part says so. */
export async function* fileParts({ provider, key, size }: OutsideFile, storageOf: StorageOf): AsyncGenerator<PartOf<'file'>> {
  const head = { part: 'file', provider, key } as const;
  let payload: Uint8Array[] = [];
  let [held, done] = [0, 0];
  try {
    for await (const bytes of storageOf(provider).read(key, { start: 0, end: size })) {
      if (held + bytes.length > partBytes && held > 0) {
        yield { head: { ...head, last: false }, payload };
        [payload, held] = [[], 0];
      }
      payload.push(bytes);
      held += bytes.length;
      done += bytes.length;
    }
  } catch {
    done = -1;
  }
  yield done === size ? { head: { ...head, last: true }, payload } : { head: { ...head, last: true, cut: true }, payload: [] };
}

/** Stores a file whose first part was read. Returns whether it is whole. `next` returns the parts that follow. */
export async function storeFile(
  first: PartOf<'file'>,
  { next, storageOf }: { readonly next: () => Promise<PartOf<'file'>>; readonly storageOf: StorageOf },
): Promise<boolean> {
  const { provider, key } = first.head;
  const storage = storageOf(provider);
  await storage.remove(key); // of a restore that was interrupted
  const following = partsFrom(first, next);
  const mime = lookup(key) || 'application/octet-stream';
  try {
    await storage.write(key, bytesOf(following), { mime, time: endless });
    return true;
  } catch (error) {
    await storage.remove(key);
    if (error instanceof CutFile) return false;
    throw error;
  }
}

/** Skips a file whose first part was read. */
export async function skipFile(first: PartOf<'file'>, next: () => Promise<PartOf<'file'>>): Promise<void> {
  for (let part = first; !part.head.last;) part = await next();
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
