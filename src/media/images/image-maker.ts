import { availableParallelism } from 'node:os';
import type { Sharp, SharpOptions } from 'sharp';
import { applicationError } from '../../errors.js';
import { formatsByType, type ImageSet, type MadeImage, type ResizeOrder } from './image-types.js';
import { makeImageSet, type OpenImage, measureImage, resizeImage } from './transform-image.js';
import type { MediaSettings } from '../storage/file-storage.js';
import { Queue, type Sender } from '../../queue.js';

/** Reads an image when its turn has come. Waiting images are not in memory. */
type ReadImage = () => Promise<Buffer>;

/** Draws and measures images, outside of the event loop and at most as many at a time as there are processors. */
export interface ImageMaker {
  /**
   * Returns the variants of an image, only its size if sharp is not installed; null if it cannot be measured. Throws an
   * ApplicationError for a damaged image, or one with too many pixels.
   */
  readonly makeSet: (read: ReadImage, mime: string) => Promise<ImageSet | null>;
  /** The same without variants, from the header: the beginning of the file is enough. */
  readonly measure: (bytes: Buffer) => ImageSet | null;
  /** Throws 503 if too many images wait to be drawn already. */
  readonly resize: (read: ReadImage, order: ResizeOrder, sender: Sender) => Promise<MadeImage>;
}

type LoadSharp = () => Promise<(bytes: Buffer, options: SharpOptions) => Sharp>;

/** `load` returns sharp, or rejects if it is not installed. It is called with the first image: loading takes 60 ms and 20 MB. */
export function createImageMaker(settings: MediaSettings, load: LoadSharp = loadSharp): ImageMaker {
  // One processor is left to the event loop if there are several: small requests then wait half as long.
  const atOnce = Math.max(Math.min(availableParallelism(), threads) - 1, 1);
  const drawing = new Queue({ atOnce });
  // Sizes that anybody may request have a queue of their own, so that they delay uploads by one image at most.
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
    makeSet: async (read, mime) => {
      const format = formatsByType[mime];
      const open = format === undefined ? null : await opener();
      return drawing.run(async () => {
        const bytes = await read();
        return format === undefined || open === null ? measure(bytes) : makeImageSet(bytes, format, { open, settings });
      });
    },
    measure,
    resize: async (read, order, sender) => {
      const open = await opener();
      if (open === null) throw applicationError('Images cannot be resized here');
      const draw = async () => resizeImage(open(await read()), order, settings.resize);
      return resizing.run(() => drawing.run(draw), sender);
    },
  };
}

function measure(bytes: Buffer): ImageSet | null {
  const size = measureImage(bytes);
  return size === null ? null : { size, original: null, variants: new Map() };
}

/** The default number of blocking calls that Node runs at a time. One is left to the rest of the service. */
const threads = 4;

/** Images are processed line by line if possible, and damaged ones are refused. */
const openRules = { sequentialRead: true, failOn: 'error' } as const satisfies SharpOptions;

async function loadSharp(): ReturnType<LoadSharp> {
  const { default: sharp } = await import('sharp');
  // One thread for an image: the queue decides how many there are at a time.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}
