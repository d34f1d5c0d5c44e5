import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { exceeding } from '#base/limits/exceeded.js';
import type { ByteReservation } from '#base/limits/byte-budget.js';
import { fieldErrors } from '#base/errors.js';
import { decodeOrNull } from '#base/values.js';
import { bodyInvalid, type BodyLimit, bodyTooLarge, rawError } from './error-response.js';

/** Returns the decompressed bytes of a body. Throws a 413 if they exceed the limit, and a 400 if they are not in the encoding. */
export type Unpack = (bytes: Buffer, limit: number, setting: BodyLimit) => Buffer;

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
  return (bytes, limit, setting) => {
    try {
      return unpack(bytes, { maxOutputLength: limit, chunkSize: 65_536 });
    } catch (error) {
      const isLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      throw isLarge ? bodyTooLarge(setting) : bodyInvalid('request body cannot be decompressed');
    }
  };
}

interface Bounds {
  readonly limit: number;
  /** The setting of the limit. */
  readonly setting: BodyLimit;
  /** The memory reservation for the body; null if it is not counted. */
  readonly reservation: ByteReservation | null;
}

/**
 * Returns the bytes of a body as received. Throws a 413 if they exceed the limit. Uses listeners, because leaving a `for await`
 * loop destroys the socket before the answer is sent.
 */
export function receive(request: IncomingMessage, { limit, setting, reservation }: Bounds): Promise<readonly Buffer[]> {
  if (Number(request.headers['content-length']) > limit) return Promise.reject(bodyTooLarge(setting));
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
        if (size > limit) throw bodyTooLarge(setting);
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

/**
 * Returns the object or list of a JSON body; an empty object for an empty body. Throws a 400 with the engine's message for
 * invalid JSON, a 400 for a value that is not an object or list, and the errors of `checkJson`.
 */
export function parseJson(bytes: Buffer, depth: number): unknown {
  if (!isUtf8(bytes)) throw bodyInvalid('request body is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (text === '') return {};
  if (!/^[ \t\n\r]*[[{]/.test(text)) throw rawError(400, 'Error', 'invalid JSON, only supports object and array');
  const value = decode(text);
  checkJson(value, depth);
  return value;
}

function decode(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'invalid JSON';
    // Node 22 appends the line and column, which answers of Strapi v4 do not have.
    throw rawError(400, 'SyntaxError', message.replace(/ \(line \d+ column \d+\)$/, ''));
  }
}

/**
 * Returns the value of JSON in a form field; null if it is invalid. Throws the errors of `checkJson`, with the name of the field.
 */
export function decodeField(text: string, name: string, depth: number): unknown {
  const value = decodeOrNull(text);
  checkJson(value, depth, name);
  return value;
}

/**
 * Throws a 400 for a decoded body that is nested deeper than `depth`, has a key `__proto__` or a key with a NUL character, which
 * MongoDB cannot store, or holds half of a surrogate pair, which UTF-8 does not have. `depth` is at most 1,000, which fits on the
 * stack.
 */
export function checkJson(root: unknown, depth: number, name = 'request body'): void {
  if (!checkLevel(root, 1, { depth, name })) throw illFormed(name, placeOfIllFormed(root) ?? []);
}

interface Levels {
  readonly depth: number;
  readonly name: string;
}

/** Returns the error for a text that is not well-formed. Paths of data of entries begin with the attribute. */
function illFormed(name: string, place: readonly string[]): Error {
  const path = place[0] === 'data' ? place.slice(1) : place;
  return fieldErrors([{ path, message: `${path.join('.') || name} must not hold half of a surrogate pair` }]);
}

/** Returns the path of a text or key that is not well-formed; null if there is none. */
function placeOfIllFormed(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : [];
  if (!isObject(value)) return null;
  for (const [key, inner] of Object.entries(value)) {
    const place = key.isWellFormed() ? placeOfIllFormed(inner) : [];
    if (place !== null) return [key.toWellFormed(), ...place];
  }
  return null;
}

/**
 * Checks one level. Returns false if some text is not well-formed. A body may have a million lists, so they are visited without
 * allocating memory.
 */
function checkLevel(holder: unknown, level: number, levels: Levels): boolean {
  if (typeof holder === 'string') return holder.isWellFormed();
  if (!isObject(holder)) return true;
  if (level > levels.depth)
    throw exceeding(
      'middlewares.body.jsonDepth',
      bodyInvalid(`${levels.name} is nested deeper than ${String(levels.depth)} levels`),
    );
  let isWellFormed = true;
  if (Array.isArray(holder)) {
    for (const value of holder) if (!checkLevel(value, level + 1, levels)) isWellFormed = false;
    return isWellFormed;
  }
  for (const [key, value] of Object.entries(holder)) {
    if (key === '__proto__' || key.includes('\0')) throw bodyInvalid(`${levels.name} has a key that is not allowed`);
    if (!key.isWellFormed() || !checkLevel(value, level + 1, levels)) isWellFormed = false;
  }
  return isWellFormed;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
