import { availableParallelism } from 'node:os';
import type { Sharp, SharpOptions } from 'sharp';
import { applicationError } from '../../errors.js';
import { formatsByType, type ImageSet, type MadeImage, type ResizeOrder } from './image-types.js';
import { makeImageSet, type OpenImage, measureImage, resizeImage } from './transform-image.js';
import type { MediaSettings } from '../storage/file-storage.js';
import { Queue, type Asker } from '../../queue.js';

/** Reads an image when its turn has come: those that wait are not in memory. */
type ReadImage = () => Promise<Buffer>;

/** Makes and measures images, never more at a time than there are processors, and never on the event loop. */
export interface ImageMaker {
  /**
   * What an image of a media type comes to, only measured where sharp is missing; null if it cannot even be measured. Throws an
   * ApplicationError for what is no image after all, or has too many pixels.
   */
  readonly makeSet: (read: ReadImage, mime: string) => Promise<ImageSet | null>;
  /** The same without variants, by the header alone: the beginning of the file will do. */
  readonly measure: (bytes: Buffer) => ImageSet | null;
  /** Throws 503 if too many images wait to be drawn already. */
  readonly resize: (read: ReadImage, order: ResizeOrder, asker: Asker) => Promise<MadeImage>;
}

type LoadSharp = () => Promise<(bytes: Buffer, options: SharpOptions) => Sharp>;

/** `load`: gives sharp, or rejects where it is not installed. It is asked with the first image: loading takes 60 ms and 20 MB. */
export function createImageMaker(settings: MediaSettings, load: LoadSharp = loadSharp): ImageMaker {
  // A processor is left to the event loop where there are several: small requests then wait half as long.
  const atOnce = Math.max(Math.min(availableParallelism(), threads) - 1, 1);
  const drawing = new Queue({ atOnce });
  // What anybody may ask for waits in a queue of its own, so that it delays uploads by one image at most.
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
    resize: async (read, order, asker) => {
      const open = await opener();
      if (open === null) throw applicationError('Images cannot be resized here');
      const draw = async () => resizeImage(open(await read()), order, settings.resize);
      return resizing.run(() => drawing.run(draw), asker);
    },
  };
}

function measure(bytes: Buffer): ImageSet | null {
  const size = measureImage(bytes);
  return size === null ? null : { size, original: null, variants: new Map() };
}

/** Node runs this many blocking calls at a time unless told otherwise; one is left to the rest of the service. */
const threads = 4;

/** Images are drawn line by line where possible, and one that is damaged is not worked on. */
const openRules = { sequentialRead: true, failOn: 'error' } as const satisfies SharpOptions;

async function loadSharp(): ReturnType<LoadSharp> {
  const { default: sharp } = await import('sharp');
  // One thread for an image: the queue decides how many there are at a time.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}
