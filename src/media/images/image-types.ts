/** Width and height in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** A variant of an image. */
export interface MadeImage extends ImageSize {
  readonly bytes: Buffer;
}

/** The images of an upload. */
export interface ImageSet {
  /** Its size as displayed, rotated by its EXIF data. */
  readonly size: ImageSize;
  /** The image that replaces the sent one: rotated, without metadata, smaller if configured; null to keep the sent one. */
  readonly original: MadeImage | null;
  /** By name: thumbnail, small, medium, large. */
  readonly variants: ReadonlyMap<string, MadeImage>;
}

/** The requested form of an image. Absent parts follow from the others. */
export interface ResizeOrder {
  readonly width: number | null;
  readonly height: number | null;
  readonly format: ImageFormat | null;
}

export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'tiff' | 'gif' | 'avif';

/** The media types that variants are made of. Each variant has the type of its original. */
export const formatsByType: Readonly<Record<string, ImageFormat>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/tiff': 'tiff',
  'image/gif': 'gif',
  'image/avif': 'avif',
};
