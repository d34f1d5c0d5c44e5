/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** An image that was drawn and encoded. */
export interface MadeImage extends ImageSize {
  readonly bytes: Buffer;
}

/** The images of an upload. */
export interface ImageSet {
  /** The displayed size, after rotation by the EXIF data. */
  readonly size: ImageSize;
  /** The image to store instead of the sent one: rotated, without metadata, smaller if configured; null to store the sent one. */
  readonly original: MadeImage | null;
  /** Variants by name: thumbnail, small, medium, large. */
  readonly variants: ReadonlyMap<string, MadeImage>;
}

/** The requested size and format of an image. Null parts are derived from the others. */
export interface ResizeOrder {
  readonly width: number | null;
  readonly height: number | null;
  readonly format: ImageFormat | null;
}

export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'tiff' | 'gif' | 'avif';

/** The media types of images that have variants. Each variant has the type of its original. */
export const formatsByType: Readonly<Record<string, ImageFormat>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/tiff': 'tiff',
  'image/gif': 'gif',
  'image/avif': 'avif',
};
