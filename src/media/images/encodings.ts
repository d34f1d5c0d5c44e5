import type { ImageFormat } from './image-types.js';

/** Options of sharp for one format. */
interface Encoding {
  readonly quality?: number;
  readonly effort?: number;
  readonly chromaSubsampling?: string;
}

type Encodings = Readonly<Record<ImageFormat, Encoding>>;

/**
 * With the default effort AVIF takes seconds for a photo, and PNG with a quality up to 3.6 s of processor time for 800x600 pixels.
 * With these, AVIF takes a fifth of the time and is 5 % larger; PNG takes between a seventh and a half of the time and is up to 50 %
 * larger. The colours of AVIF are stored at half the resolution, as JPEG and WebP do.
 */
const avif = { effort: 2, chromaSubsampling: '4:2:0' };
const png = { effort: 4 };

/**
 * The encodings of images. The formats have different scales of quality: these numbers look alike, measured by
 * scripts/media/measure-quality.ts. With a quality, PNG is reduced to 256 colours.
 */
export const encodings = {
  small: {
    jpeg: { quality: 80 },
    webp: { quality: 80 },
    avif: { ...avif, quality: 60 },
    png: { ...png, quality: 80 },
    tiff: { quality: 80 },
    gif: {},
  },
  faithful: {
    jpeg: { quality: 95 },
    webp: { quality: 95 },
    avif: { ...avif, quality: 85 },
    png,
    tiff: { quality: 95 },
    gif: {},
  },
} as const satisfies Readonly<Record<string, Encodings>>;
