import type { Sharp } from 'sharp';
import { encodeImage } from './encode-image.js';
import type { MadeImage, ResizeOrder } from './image-types.js';

/** An image in another size, never larger than it is, and another format. */
export function resizeImage(image: Sharp, { width, height, format }: ResizeOrder): Promise<MadeImage> {
  const box = { ...(width !== null && { width }), ...(height !== null && { height }) };
  const sized = image.autoOrient().resize({ ...box, fit: 'inside', withoutEnlargement: true });
  return encodeImage(sized, format, { quality: 80 });
}
