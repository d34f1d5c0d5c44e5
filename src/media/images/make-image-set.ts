import type { Sharp } from 'sharp';
import { encodeImage, refuseImage } from './transform-image.js';
import type { ImageFormat, ImageSet, ImageSize, MadeImage } from './image-types.js';
import type { MediaSettings } from '../storage/file-storage.js';

/** Opens an image: its first frame, or all of them where it is animated and asked for so. */
export type OpenImage = (bytes: Buffer, options?: { readonly animated: boolean }) => Sharp;

interface Making {
  readonly open: OpenImage;
  readonly settings: MediaSettings;
}

/** The box of the smallest variant; those of the others are squares. */
const thumbnail: ImageSize = { width: 245, height: 156 };

/** Measures an image, and makes what is kept of it and its smaller variants: those that it does not fit into itself. */
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
  /** Where and with what it was taken, and what else is nobody's business. */
  readonly hasMetadata: boolean;
}

async function describe(image: Sharp): Promise<ImageFacts> {
  const found = await image.metadata().catch(refuseImage);
  const { width, height } = found.autoOrient;
  const size = { width, height: found.pageHeight ?? height };
  return {
    size,
    animated: (found.pages ?? 1) > 1,
    rotated: (found.orientation ?? 1) > 1,
    hasMetadata: [found.exif, found.xmp, found.iptc].some((block) => block !== undefined),
  };
}

/** Encoded anew where that is wanted and pays, or where the original must not be kept: turned, or with metadata. */
async function makeOriginal(
  bytes: Buffer,
  format: ImageFormat,
  facts: ImageFacts,
  { open, settings }: Making,
): Promise<MadeImage | null> {
  if (facts.animated) return facts.hasMetadata ? encodeImage(open(bytes, { animated: true }), format, {}) : null;
  const must = facts.rotated || facts.hasMetadata;
  if (!must && (!settings.sizeOptimization || format === 'gif')) return null;
  const made = await draw(open(bytes).autoOrient(), format, settings);
  return must || made.bytes.length < bytes.length ? made : null;
}

function draw(image: Sharp, format: ImageFormat, { sizeOptimization }: MediaSettings): Promise<MadeImage> {
  if (sizeOptimization) return encodeImage(image, format, { quality: 80 });
  // A quality makes PNG choose 256 colours.
  return encodeImage(image, format, format === 'png' ? {} : { quality: 95 });
}
