import path from 'node:path';
import { notFoundError, unavailableError } from '#base/errors.js';
import type { EndSignal } from '#base/limits/ending.js';
import type { Sender } from '#base/limits/queue.js';
import { blobRecords, type StoredBlob } from '#store/stores/blob-store.js';
import type { ResizeOrder } from './images/image-types.js';
import { boxOf, measureImage } from './images/transform-image.js';
import { findStoredFile, type Media, readStoredRange } from './media.js';
import { Staging } from './staging.js';
import { joinBytes } from './storage/file-storage.js';

/** An image that is being drawn, shared by all requests that wait for it. */
interface Drawing {
  readonly result: Promise<StoredBlob>;
  readonly abandon: AbortController;
  waiting: number;
}

const underWay = new WeakMap<Media['owner'], Map<string, Drawing>>();

/**
 * Returns an image in another size or format. It is drawn at the first request, stored with the file, and deleted with it. Throws
 * a NotFoundError if the file is deleted in the meantime, and a 503 if too many images are waiting.
 */
export async function resizedFile(
  original: StoredBlob,
  order: ResizeOrder,
  { media, sender }: { readonly media: Media; readonly sender: Sender },
): Promise<StoredBlob> {
  const name = nameOfOrder(original.name, order);
  const stored = await findStoredFile(name, media);
  if (stored !== null) return stored;
  if (sender.signal.aborted) throw unavailableError('The request has ended');
  return join(drawingOf({ original, order, name, client: sender.client }, media), sender.signal);
}

/** A requested image, and its original. */
interface Commission {
  readonly original: StoredBlob;
  readonly order: ResizeOrder;
  /** The name under which the image is stored. */
  readonly name: string;
  /** The client of the first request for the image. */
  readonly client: string;
}

function drawingOf(commission: Commission, media: Media): Drawing {
  const drawings = underWay.get(media.owner) ?? new Map<string, Drawing>();
  underWay.set(media.owner, drawings);
  const running = drawings.get(commission.name);
  if (running !== undefined) return running;
  const abandon = new AbortController();
  const drawing = { result: drawNewest(commission, media, abandon.signal), abandon, waiting: 0 };
  drawings.set(commission.name, drawing);
  const forget = (): void => {
    if (drawings.get(commission.name) === drawing) drawings.delete(commission.name);
  };
  drawing.result.then(forget, forget);
  abandon.signal.addEventListener('abort', forget);
  return drawing;
}

/** Waits for a drawing. The drawing is abandoned when the last request that waits for it has ended. */
async function join(drawing: Drawing, signal: EndSignal): Promise<StoredBlob> {
  drawing.waiting += 1;
  const leave = (): void => {
    drawing.waiting -= 1;
    if (drawing.waiting === 0) drawing.abandon.abort();
  };
  signal.addEventListener('abort', leave);
  try {
    return await drawing.result;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** Draws an image, and draws it again if the content of the file was replaced in the meantime. */
async function drawNewest(commission: Commission, media: Media, signal: AbortSignal): Promise<StoredBlob> {
  const { original } = commission;
  const newest = () => findStoredFile(original.name, media);
  const drawn = await draw(commission, media, signal).catch(async (error: unknown) => {
    if (signal.aborted || (await newest())?.id === original.id) throw error;
    return null; // its bytes were deleted while they were read
  });
  return drawn ?? drawNewest({ ...commission, original: (await newest()) ?? missing() }, media, signal);
}

function missing(): never {
  throw notFoundError();
}

/** Returns whether an image was resized on request. Only names of such images contain the character `~`. */
export const isOtherSize = ({ name }: Pick<StoredBlob, 'name'>): boolean => name.includes('~');

/** Returns the name of a resized image. It is the same for all spellings of a size. */
function nameOfOrder(name: string, { width, height, format }: ResizeOrder): string {
  const { name: base, ext } = path.parse(name);
  const size = `${width === null ? '' : `w${String(width)}`}${height === null ? '' : `h${String(height)}`}`;
  return `${base}~${size}${format === null ? ext : `.${format}`}`;
}

/** Draws an image and stores it; null if the original was deleted or replaced in the meantime. */
async function draw(
  { original, order, name, client }: Commission,
  media: Media,
  signal: AbortSignal,
): Promise<StoredBlob | null> {
  const { bytes } = await media.images.resize(() => readSource(original, order, media), order, { client, signal });
  const staging = new Staging(media);
  try {
    const { id, size } = await staging.stage([bytes], { name, mime: `image/${order.format ?? 'png'}` });
    if (!(await blobRecords.publishVariant(media.database, { id, name, size }, original))) return null;
    staging.keep([id]);
  } finally {
    await staging.discard();
  }
  return findStoredFile(name, media);
}

/**
 * Reads the image to draw from: the smallest stored variant that is large enough, because it has few bytes, else the original.
 */
async function readSource(original: StoredBlob, order: ResizeOrder, media: Media): Promise<Buffer> {
  const { breakpoints, resize } = media.settings;
  const box = boxOf(order, resize);
  const longestSide = order.width ?? order.height ?? Math.max(box.width, box.height);
  const candidates = Object.entries(breakpoints)
    .filter(([, side]) => side >= longestSide)
    .sort(([, a], [, b]) => a - b);
  for (const [variant] of candidates) {
    const stored = await findStoredFile(`${variant}_${original.name}`, media);
    const bytes = stored === null ? null : await readAll(stored, media);
    if (bytes !== null && isLargeEnough(bytes, order, longestSide)) return bytes;
  }
  return readAll(original, media);
}

function isLargeEnough(bytes: Buffer, { width, height }: ResizeOrder, wanted: number): boolean {
  const size = measureImage(bytes);
  if (size === null) return false;
  if (width !== null) return size.width >= width;
  if (height !== null) return size.height >= height;
  return Math.max(size.width, size.height) >= wanted;
}

const readAll = (file: StoredBlob, media: Media): Promise<Buffer> =>
  joinBytes(readStoredRange(file, { start: 0, end: file.size }, media));
