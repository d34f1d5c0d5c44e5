import path from 'node:path';
import { findBlob, publishBlobs, type StoredBlob } from '../mongo/blob-store.js';
import { findStored, readStored } from './find-stored.js';
import type { ResizeOrder } from './image-types.js';
import type { Media } from './media.js';
import { Staging } from './staging.js';

const underWay = new WeakMap<Media, Map<string, Promise<StoredBlob>>>();

/** An image in another size or format: drawn when it is first asked for, kept with the file, and deleted with it. */
export async function resizedFile(original: StoredBlob, order: ResizeOrder, media: Media): Promise<StoredBlob> {
  const name = nameOfOrder(original.name, order);
  const stored = await findStored(name, media);
  if (stored !== null) return stored;
  const making = underWay.get(media) ?? new Map<string, Promise<StoredBlob>>();
  underWay.set(media, making);
  const running = making.get(name) ?? make(original, order, name, media).finally(() => making.delete(name));
  making.set(name, running);
  return running;
}

/** Two spellings of one order share a name. */
function nameOfOrder(name: string, { width, height, format }: ResizeOrder): string {
  const { name: base, ext } = path.parse(name);
  const size = `${width === null ? '' : `w${String(width)}`}${height === null ? '' : `h${String(height)}`}`;
  return `${base}~${size}${format === null ? ext : `.${format}`}`;
}

async function make(original: StoredBlob, order: ResizeOrder, name: string, media: Media): Promise<StoredBlob> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of readStored(original, { start: 0, end: original.size }, media)) pieces.push(bytes);
  const { bytes } = await media.images.resize(Buffer.concat(pieces), order);
  const staging = new Staging(media);
  try {
    const { id, size } = await staging.stage([bytes], { name, mime: `image/${order.format ?? 'png'}` });
    await publishBlobs(media.database, [{ id, name, size, variantOf: original.name }]);
    staging.keep([id]);
  } finally {
    await staging.discard();
  }
  const made = await findBlob(media.database, name);
  if (made === null) throw new Error(`${name} is not there although it was stored`);
  return made;
}
