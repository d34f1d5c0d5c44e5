/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** An image that was made of another. */
export interface MadeImage extends ImageSize {
  readonly bytes: Buffer;
}

/** What an upload of an image comes to. */
export interface ImageSet {
  /** As it is shown: turned by its EXIF data. */
  readonly size: ImageSize;
  /** The image in the place of what was sent: turned, without metadata, smaller where that is wanted; null to keep what was sent. */
  readonly original: MadeImage | null;
  /** By name: thumbnail, small, medium, large. */
  readonly variants: ReadonlyMap<string, MadeImage>;
}

/** How an image is wanted; what is not given follows from the rest. */
export interface ResizeOrder {
  readonly width: number | null;
  readonly height: number | null;
  readonly format: ImageFormat | null;
}

export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'tiff' | 'gif' | 'avif';

/** The types of which variants are made, and in which: each in its own. */
export const formatsByType: Readonly<Record<string, ImageFormat>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/tiff': 'tiff',
  'image/gif': 'gif',
  'image/avif': 'avif',
};
