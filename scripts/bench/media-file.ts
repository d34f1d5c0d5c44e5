import { Random } from '../random.js';

/** Where the baseline keeps its files: a bucket beside the product's, with chunks of the driver's usual size. */
export const baselineBucket = 'baseline';

/** The stored file that is downloaded, in the buckets of both. */
export const downloadId = '0123456789abcdef01234567';
export const downloadName = 'recording_0123456789.bin';

/** A megabyte of no recognisable type that cannot be compressed; generated on first use. */
export function mediaBytes(): Buffer {
  return (bytes ??= makeBytes(1_000_000));
}

let bytes: Buffer | undefined;

function makeBytes(size: number): Buffer {
  const random = new Random(1_700_000_000);
  return Buffer.from(Array.from({ length: size }, () => random.below(256)));
}
