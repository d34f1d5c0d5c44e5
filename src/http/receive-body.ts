import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { ByteReservation } from '../limits/byte-budget.js';
import { bodyInvalid, bodyTooLarge, rawError } from './error-response.js';

/** Returns the decompressed bytes of a body. Throws a 413 if they exceed the limit, and a 400 if they are not in the encoding. */
export type Unpack = (bytes: Buffer, limit: number) => Buffer;

/** Synchronous decompressors: a megabyte takes 3 ms, less than parsing it, and only one body is decompressed at a time. */
const unpackers: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Returns the decompressor of a body; null if it is not compressed. Throws a 415 for an unknown encoding. */
export function unpackerOf({ headers }: IncomingMessage): Unpack | null {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return null;
  const unpack = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  if (unpack === undefined) throw rawError(415, 'UnsupportedMediaTypeError', 'unsupported content encoding');
  return (bytes, limit) => {
    try {
      return unpack(bytes, { maxOutputLength: limit, chunkSize: 65_536 });
    } catch (error) {
      const isLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      throw isLarge ? bodyTooLarge() : bodyInvalid('request body cannot be decompressed');
    }
  };
}

interface Bounds {
  readonly limit: number;
  /** The memory reservation for the body; null if it is not counted. */
  readonly reservation: ByteReservation | null;
  readonly isPacked: boolean;
}

/**
 * Returns the bytes of a body as received. Throws a 413 if they exceed the limit. Uses listeners, because leaving a `for await`
 * loop destroys the socket before the answer is sent.
 */
export function receive(request: IncomingMessage, { limit, reservation, isPacked }: Bounds): Promise<readonly Buffer[]> {
  if (!isPacked && Number(request.headers['content-length']) > limit) return Promise.reject(bodyTooLarge());
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] = [];
    let size = 0;
    const fail = (error: unknown): void => {
      pieces = [];
      request.removeAllListeners('data');
      // Discards the rest of the body, so that the client reads the answer and the connection can be reused.
      request.resume();
      reject(error as Error); // always an Error
    };
    request.on('data', (piece: Buffer) => {
      size += piece.length;
      try {
        if (size > limit) throw bodyTooLarge();
        reservation?.add(piece.length);
        pieces.push(piece);
      } catch (error) {
        fail(error);
      }
    });
    request.once('end', () => {
      resolve(pieces);
      pieces = []; // releases memory, because the listeners live as long as the request
    });
    request.once('error', () => {
      fail(bodyInvalid('request aborted'));
    });
  });
}
