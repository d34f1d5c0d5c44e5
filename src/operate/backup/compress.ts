import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { checksumMessage, cut, NoBackup, notOne } from './read-parts.js';

/** Bytes that are compressed at once. */
const chunkSize = 262_144;

/** Few pieces wait, because a piece may be as large as a document. */
const waiting = { objectMode: true, highWaterMark: 2 } as const;

/** Compresses bytes with gzip. The fastest level keeps up with the database, and files hardly become smaller by others. */
export async function* compressed(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize });
  const filled = pipeline(Readable.from(bytes, waiting), gzip);
  filled.catch(() => undefined); // the iteration throws it
  try {
    yield* gzip as AsyncIterable<Buffer>;
  } finally {
    gzip.destroy();
    await filled.catch(() => undefined);
  }
}

/** Decompresses bytes. Throws NoBackup if they are not compressed, cut or changed. */
export async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize });
  const counted = { bytes: 0 };
  const filled = pipeline(Readable.from(checked(source, counted), waiting), gunzip);
  filled.catch(() => undefined); // the iteration throws it
  try {
    yield* gunzip as AsyncIterable<Buffer>;
    await filled;
    if (gunzip.bytesWritten < counted.bytes) throw new NoBackup(checksumMessage);
  } catch (error) {
    throw explain(error);
  } finally {
    gunzip.destroy();
  }
}

/** The first bytes of what `compressed` returns. No checksum protects them. */
const magic = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);

/** Counts bytes, and checks the first ones. */
async function* checked(source: AsyncIterable<Uint8Array>, counted: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    if (counted.bytes === 0 && Buffer.compare(bytes.subarray(0, magic.length), magic) !== 0) throw new NoBackup(notOne);
    counted.bytes += bytes.length;
    yield bytes;
  }
  if (counted.bytes === 0) throw new NoBackup(notOne);
}

/** Returns the error of a file for one of its decompression; others unchanged. */
function explain(error: unknown): unknown {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  if (code === 'Z_BUF_ERROR') return new NoBackup(cut);
  if (message === 'incorrect header check') return new NoBackup(notOne);
  return String(code).startsWith('Z_') ? new NoBackup(checksumMessage) : error;
}
