import { imageSize } from 'image-size';
import type { ImageSize } from './image-types.js';

/** Width and height of an image by its header, as it is shown; null where they cannot be told. */
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
