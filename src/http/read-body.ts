import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { bodyInvalid, bodyTooLarge, rawError } from './raw-error.js';
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The bytes of a body, decompressed. The limit holds for what comes out, so that a bomb ends at it: 413. 415 for an encoding that
 * is not known, 400 for bytes that are not what the encoding says.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') {
    return Number(request.headers['content-length']) > limit ? Promise.reject(bodyTooLarge()) : collect(request, request, limit);
  }
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined;
  if (!decoder) return Promise.reject(rawError(415, 'UnsupportedMediaTypeError', 'unsupported content encoding'));
  return collect(request, request.pipe(decoder), limit);
}

/** Listeners and not `for await`: leaving such a loop destroys the socket before the answer is sent. */
function collect(request: IncomingMessage, source: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: Error): void => {
      source.removeAllListeners('data');
      request.unpipe();
      if (source !== request) source.destroy();
      // The rest of the body is thrown away, so that the client reads the answer and the connection lives on.
      request.resume();
      reject(error);
    };
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) fail(bodyTooLarge());
      else chunks.push(chunk);
    });
    source.once('end', () => {
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.once('error', () => {
      fail(bodyInvalid('request aborted'));
    });
    if (source !== request)
      source.on('error', () => {
        fail(bodyInvalid('request body cannot be decompressed'));
      });
  });
}
