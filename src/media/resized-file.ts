import path from 'node:path';
import { notFoundError } from '../errors.js';
import type { StoredBlob } from '../mongo/blob-store.js';
import { publishVariant } from '../mongo/publish-variant.js';
import { findStored, readStored } from './find-stored.js';
import type { ResizeOrder } from './image-types.js';
import type { Media } from './media.js';
import { Staging } from './staging.js';

const underWay = new WeakMap<Media, Map<string, Promise<StoredBlob>>>();

/**
 * An image in another size or format: drawn when it is first asked for, kept with the file, and deleted with it. Throws a
 * NotFoundError where the file is deleted in the meantime.
 */
export async function resizedFile(original: StoredBlob, order: ResizeOrder, media: Media): Promise<StoredBlob> {
  const name = nameOfOrder(original.name, order);
  const stored = await findStored(name, media);
  if (stored !== null) return stored;
  const making = underWay.get(media) ?? new Map<string, Promise<StoredBlob>>();
  underWay.set(media, making);
  const running = making.get(name) ?? makeOfNewest(original, order, name, media).finally(() => making.delete(name));
  making.set(name, running);
  return running;
}

/** Of a file that got other content in the meantime, the other size is drawn once more. */
async function makeOfNewest(original: StoredBlob, order: ResizeOrder, name: string, media: Media): Promise<StoredBlob> {
  const newest = () => findStored(original.name, media);
  const made = await make(original, order, name, media).catch(async (error: unknown) => {
    if ((await newest())?.id === original.id) throw error;
    return null; // its bytes went while they were read
  });
  return made ?? makeOfNewest((await newest()) ?? missing(), order, name, media);
}

function missing(): never {
  throw notFoundError();
}

/** Two spellings of one order share a name. */
function nameOfOrder(name: string, { width, height, format }: ResizeOrder): string {
  const { name: base, ext } = path.parse(name);
  const size = `${width === null ? '' : `w${String(width)}`}${height === null ? '' : `h${String(height)}`}`;
  return `${base}~${size}${format === null ? ext : `.${format}`}`;
}

/** Null where the original was deleted or replaced before its other size was stored. */
async function make(original: StoredBlob, order: ResizeOrder, name: string, media: Media): Promise<StoredBlob | null> {
  const { bytes } = await media.images.resize(() => readAll(original, media), order);
  const staging = new Staging(media);
  try {
    const { id, size } = await staging.stage([bytes], { name, mime: `image/${order.format ?? 'png'}` });
    if (!(await publishVariant(media.database, { id, name, size }, original))) return null;
    staging.keep([id]);
  } finally {
    await staging.discard();
  }
  return findStored(name, media);
}

async function readAll(file: StoredBlob, media: Media): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of readStored(file, { start: 0, end: file.size }, media)) pieces.push(bytes);
  return Buffer.concat(pieces);
}
