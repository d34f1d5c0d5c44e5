import { availableParallelism } from 'node:os';
import type { Sharp, SharpOptions } from 'sharp';
import { applicationError } from '#base/errors.js';
import { formatsByType, type ImageSet, type MadeImage, type ResizeOrder } from './image-types.js';
import { makeImageSet, imageWithoutVariants, type OpenImage, resizeImage } from './transform-image.js';
import type { MediaSettings } from '../storage/file-storage.js';
import { Queue, type Sender } from '#base/limits/queue.js';

/** What administrators have chosen for new images. Absent choices are those of the configuration. */
export interface ImageChoices {
  readonly sizeOptimization?: boolean;
  /** Whether smaller variants are made besides the thumbnail. */
  readonly responsiveDimensions?: boolean;
}

/** Reads an image when its turn has come, so that waiting images are not in memory. */
type ReadImage = () => Promise<Buffer>;

/**
 * Resizes and measures images outside of the event loop. The number of concurrent images is limited by the number of processors.
 */
export interface ImageMaker {
  /**
   * Returns the size and the variants of an image, without variants if sharp is not installed; null if the image cannot be
   * measured. Throws an ApplicationError if it is damaged or has too many pixels.
   */
  readonly makeSet: (read: ReadImage, mime: string, choices?: ImageChoices) => Promise<ImageSet | null>;
  /** Resizes an image. Rejects with a 503 if too many images are waiting, with an ApplicationError if sharp is not installed. */
  readonly resize: (read: ReadImage, order: ResizeOrder, sender: Sender) => Promise<MadeImage>;
}

type LoadSharp = () => Promise<(bytes: Buffer, options: SharpOptions) => Sharp>;

/**
 * Creates an image maker. `load` returns sharp, or rejects if it is not installed. It is called with the first image, because
 * loading takes 60 ms and 20 MB.
 */
export function createImageMaker(settings: MediaSettings, load: LoadSharp = loadSharp): ImageMaker {
  // If there are several processors, one is left to the event loop, so that small requests wait only half as long.
  const atOnce = Math.max(Math.min(availableParallelism(), threads) - 1, 1);
  const drawing = new Queue({ atOnce });
  // Resizing on request, which anybody may ask for, has a separate queue, so that it delays uploads by one image at most.
  const { waiting, waitingPerAddress } = settings.resize;
  const refusal = 'Too many images are waiting to be drawn, please try again later';
  const resizing = new Queue({ atOnce, waiting, ofClient: waitingPerAddress, refusal });
  const rules = { ...openRules, limitInputPixels: settings.pixelLimit };
  let loading: Promise<OpenImage | null> | undefined;
  const opener = () =>
    (loading ??= load().then(
      (sharp) => (bytes, options) => sharp(bytes, { ...rules, ...options }),
      () => null,
    ));
  return {
    makeSet: async (read, mime, { sizeOptimization, responsiveDimensions } = {}) => {
      const format = formatsByType[mime];
      const open = format === undefined ? null : await opener();
      return drawing.run(async () => {
        const chosen = {
          ...settings,
          sizeOptimization: sizeOptimization ?? settings.sizeOptimization,
          breakpoints: responsiveDimensions === false ? {} : settings.breakpoints,
        };
        const bytes = await read();
        if (format === undefined || open === null) return imageWithoutVariants(bytes);
        return makeImageSet(bytes, format, { open, settings: chosen });
      });
    },
    resize: async (read, order, sender) => {
      const open = await opener();
      if (open === null) throw applicationError('Images cannot be resized here');
      const draw = async () => resizeImage(open(await read()), order, settings.resize);
      return resizing.run(() => drawing.run(draw), sender);
    },
  };
}

/** Default number of threads for blocking calls in Node. One of them is left to the rest of the service. */
const threads = 4;

/** Options for opening images: they are processed line by line if possible, and damaged ones are refused. */
const openRules = { sequentialRead: true, failOn: 'error' } as const satisfies SharpOptions;

async function loadSharp(): ReturnType<LoadSharp> {
  const { default: sharp } = await import('sharp');
  // Uses one thread per image, because the queue limits how many images are processed at a time.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}
