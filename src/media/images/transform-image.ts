import { createRequire } from 'node:module';
import type * as measuring from 'image-size';
import type { Sharp } from 'sharp';
import { applicationError } from '#base/errors.js';
import type { ImageFormat, ImageSize, MadeImage, ResizeOrder, ImageSet } from './image-types.js';
import type { MediaSettings } from '../storage/file-storage.js';

/** Returns the size of an image, without variants; null if it is unknown. The header at the beginning of a file is enough. */
export function imageWithoutVariants(bytes: Buffer): ImageSet | null {
  const size = measureImage(bytes);
  return size === null ? null : { size, original: null, variants: new Map() };
}

/** Returns the displayed width and height of an image from its header; null if they are unknown. */
export function measureImage(bytes: Buffer): ImageSize | null {
  const { imageSize } = createRequire(import.meta.url)('image-size') as typeof measuring; // typed by the import above
  try {
    const { width, height, orientation = 1 } = imageSize(isOfBoxes(bytes) ? bytes.subarray(0, boxedHeader) : bytes);
    if (![width, height].every((side) => Number.isFinite(side) && side >= 1)) return null;
    const size = { width: Math.round(width), height: Math.round(height) };
    return orientation > 4 ? { width: size.height, height: size.width } : size;
  } catch {
    return null;
  }
}

/** Returns whether the format is HEIF, HEIC or AVIF, whose header consists of boxes. */
const isOfBoxes = (bytes: Buffer): boolean => bytes.toString('latin1', 4, 8) === 'ftyp';

/**
 * Maximum number of bytes to search for a header of boxes. Real headers are much smaller. The library searches all boxes again
 * for each box, which takes minutes with hundreds of thousands.
 */
const boxedHeader = 65_536;

/** Resizes an image, never beyond its own size, and converts its format. */
export async function resizeImage(image: Sharp, order: ResizeOrder, rules: MediaSettings['resize']): Promise<MadeImage> {
  const sized = image.autoOrient().resize({ ...boxOf(order, rules), fit: 'inside', withoutEnlargement: true });
  const format = order.format ?? (await slowFormat(image));
  return encodeImage(sized, format, format === null ? {} : encodings.small[format]);
}

/** Returns the format of an image if the defaults of sharp encode it slowly: AVIF, which sharp calls HEIF; otherwise null. */
async function slowFormat(image: Sharp): Promise<ImageFormat | null> {
  const { format } = await image.metadata().catch(refuseImage);
  return format === 'heif' ? 'avif' : null;
}

/**
 * Returns the box that the image must fit into. The side that is not requested is limited too, because narrow images may be long.
 */
export function boxOf({ width, height }: ResizeOrder, { sizes, pixelLimit }: MediaSettings['resize']): ImageSize {
  const other = (side: number): number => Math.max(Math.floor(pixelLimit / side), 1);
  if (width !== null) return { width, height: other(width) };
  if (height !== null) return { width: other(height), height };
  const side = Math.min(Math.max(...sizes, 1), Math.floor(Math.sqrt(pixelLimit)));
  return { width: side, height: side };
}

/** Encodes an image, by default in the format of its source. Throws an ApplicationError if it is damaged. */
async function encodeImage(image: Sharp, format: ImageFormat | null, encoding: object): Promise<MadeImage> {
  const encoded = format === null ? image : image.toFormat(format, encoding);
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true }).catch(refuseImage);
  return { bytes: data, width: info.width, height: info.pageHeight ?? info.height };
}

/** Throws an ApplicationError whose message distinguishes too large images from damaged ones. */
function refuseImage(error: unknown): never {
  const large = error instanceof Error && /pixel limit/i.test(error.message);
  throw applicationError(large ? 'Image has too many pixels' : 'File is not a valid image');
}

/** Opens an image: by default its first frame, with `animated` all frames. */
export type OpenImage = (bytes: Buffer, options?: { readonly animated: boolean }) => Sharp;

interface Making {
  readonly open: OpenImage;
  readonly settings: MediaSettings;
}

/** The box of the smallest variant. The boxes of the others are squares. */
const thumbnail: ImageSize = { width: 245, height: 156 };

/** Measures an image. Draws the image to store instead of it, if necessary, and the variants that are smaller than it. */
export async function makeImageSet(bytes: Buffer, format: ImageFormat, { open, settings }: Making): Promise<ImageSet> {
  const facts = await describe(open(bytes));
  const original = await makeOriginal(bytes, format, facts, { open, settings });
  const variants = new Map<string, MadeImage>();
  const boxes = Object.entries(settings.breakpoints).map(([name, side]) => [name, { width: side, height: side }] as const);
  for (const [name, box] of [['thumbnail', thumbnail] as const, ...boxes])
    if (facts.size.width > box.width || facts.size.height > box.height)
      variants.set(
        name,
        await draw(
          open(bytes)
            .autoOrient()
            .resize({ ...box, fit: 'inside' }),
          format,
          settings,
        ),
      );
  return { size: facts.size, original, variants };
}

interface ImageFacts {
  readonly size: ImageSize;
  readonly animated: boolean;
  readonly rotated: boolean;
  /** Metadata such as place and camera. */
  readonly hasMetadata: boolean;
}

async function describe(image: Sharp): Promise<ImageFacts> {
  const metadata = await image.metadata().catch(refuseImage);
  const { width, height } = metadata.autoOrient;
  const size = { width, height: metadata.pageHeight ?? height };
  return {
    size,
    animated: (metadata.pages ?? 1) > 1,
    rotated: (metadata.orientation ?? 1) > 1,
    hasMetadata: [metadata.exif, metadata.xmp, metadata.iptc].some((block) => block !== undefined),
  };
}

/**
 * Returns the image to store instead of the original, if that is rotated, has metadata, or can be made smaller; otherwise null.
 */
async function makeOriginal(
  bytes: Buffer,
  format: ImageFormat,
  facts: ImageFacts,
  { open, settings }: Making,
): Promise<MadeImage | null> {
  if (facts.animated) return facts.hasMetadata ? encodeImage(open(bytes, { animated: true }), format, {}) : null;
  const must = facts.rotated || facts.hasMetadata;
  if (!must && (!settings.sizeOptimization || format === 'gif')) return null;
  const output = await draw(open(bytes).autoOrient(), format, settings);
  return must || output.bytes.length < bytes.length ? output : null;
}

const draw = (image: Sharp, format: ImageFormat, { sizeOptimization }: MediaSettings): Promise<MadeImage> =>
  encodeImage(image, format, encodings[sizeOptimization ? 'small' : 'faithful'][format]);

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
 * The encodings of images. The formats have different scales of quality: these numbers look alike, as docs/media.md measures. With a
 * quality, PNG is reduced to 256 colours.
 */
const encodings = {
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
