import { imageSize } from 'image-size';
import type { Sharp } from 'sharp';
import { applicationError } from '../../errors.js';
import type { ImageFormat, ImageSize, MadeImage, ResizeOrder } from './image-types.js';
import type { MediaSettings } from '../storage/file-storage.js';

/** Width and height of an image by its header, as it is shown; null if they cannot be told. */
export function measureImage(bytes: Buffer): ImageSize | null {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    if (![width, height].every((side) => Number.isFinite(side) && side >= 1)) return null;
    const size = { width: Math.round(width), height: Math.round(height) };
    return orientation > 4 ? { width: size.height, height: size.width } : size;
  } catch {
    return null;
  }
}

/** Draws an image in another size, never larger than it is, and in another format. */
export function resizeImage(image: Sharp, order: ResizeOrder, rules: MediaSettings['resize']): Promise<MadeImage> {
  const sized = image.autoOrient().resize({ ...boxOf(order, rules), fit: 'inside', withoutEnlargement: true });
  return encodeImage(sized, order.format, { quality: 80 });
}

/** What the image has to fit into. The side that is not asked for is bounded as well, since small images may be long. */
export function boxOf({ width, height }: ResizeOrder, { sizes, pixelLimit }: MediaSettings['resize']): ImageSize {
  const other = (side: number): number => Math.max(Math.floor(pixelLimit / side), 1);
  if (width !== null) return { width, height: other(width) };
  if (height !== null) return { width: other(height), height };
  const side = Math.min(Math.max(...sizes, 1), Math.floor(Math.sqrt(pixelLimit)));
  return { width: side, height: side };
}

/** Draws and encodes an image; without a format in that of its source. Throws an ApplicationError if it is damaged. */
export async function encodeImage(
  image: Sharp,
  format: ImageFormat | null,
  rules: { readonly quality?: number },
): Promise<MadeImage> {
  const encoded = format === null ? image : image.toFormat(format, { ...rules, ...efforts[format] });
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true }).catch(refuseImage);
  return { bytes: data, width: info.width, height: info.pageHeight ?? info.height };
}

/**
 * At its usual effort AVIF takes seconds for a photo, and PNG with a quality up to 3.6 s of processor time for 800x600; so AVIF
 * takes a fifth and is 5 % larger, PNG a half to a seventh and is up to half as large again.
 */
const efforts: Partial<Record<ImageFormat, { readonly effort: number }>> = { avif: { effort: 2 }, png: { effort: 4 } };

/** Tells images that are too large from those that are damaged; the library refuses both. */
export function refuseImage(error: unknown): never {
  const large = error instanceof Error && /pixel limit/i.test(error.message);
  throw applicationError(large ? 'Image has too many pixels' : 'File is not a valid image');
}
