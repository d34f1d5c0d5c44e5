import type { Sharp } from 'sharp';
import { encodeImage } from './encode-image.js';
import type { ImageSize, MadeImage, ResizeOrder } from './image-types.js';
import type { MediaSettings } from './media-settings.js';

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
