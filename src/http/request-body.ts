import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { MiddlewaresConfig } from '../config/config.js';
import { nextTurn } from '../queue.js';
import type { ByteReservation } from '../byte-budget.js';
import { bodyInvalid, bodyTooLarge, rawError } from './error-response.js';
import { memoryOf } from './count-memory.js';
import { checkJson, measureJson, parseJson } from './parse-json.js';

type BodyConfig = MiddlewaresConfig['body'];
type ReadBody = (ctx: Context) => Promise<void>;

/**
 * Sets `ctx.request.body` of POST, PUT and PATCH: JSON as an object or list, forms as an object, undefined for any other type.
 * Large and packed JSON is left to `decodeBody`. Multipart bodies are left unread for the routes that take them.
 */
export function requestBody(config: BodyConfig): Middleware {
  const readers: Readonly<Record<BodyKind, ReadBody>> = { json: jsonReader(config), form: formReader(config) };
  return (ctx, next) => {
    const { method = '', headers } = ctx.req;
    const kind = methods.has(method) ? kindOf(headers['content-type']) : null;
    return kind === null ? next() : readers[kind](ctx).then(next);
  };
}

type BodyKind = 'json' | 'form';

const methods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function kindOf(contentType: string | undefined): BodyKind | null {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === undefined) return null;
  if (type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) return 'json';
  return type === 'application/x-www-form-urlencoded' ? 'form' : null;
}

/** Whether a request has a multipart body. Requests of other methods have none, even with its content type. */
export function isMultipart({ req }: Context): boolean {
  const { method = '', headers } = req;
  return methods.has(method) && /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
}

/** The memory for bodies that the request uses; null: it is not counted. */
type Reservation = ByteReservation | null;

const reservationOf = (ctx: Context): Reservation => memoryOf(ctx)?.body ?? null;

/**
 * JSON is not read by koa-body, which takes a tenth longer for small bodies and silently replaces invalid UTF-8. Large and packed
 * bodies stay as they were received until `decodeBody`.
 */
const jsonReader = (config: BodyConfig): ReadBody => {
  return async (ctx: ReceivedContext) => {
    const unpack = unpackerOf(ctx.req);
    const reservation = reservationOf(ctx);
    const pieces = await receive(ctx.req, { limit: config.jsonLimit, reservation, isPacked: unpack !== null });
    if (unpack !== null || reservation?.isCounted === true) ctx[received] = { pieces, unpack, config };
    else decode(ctx, joined(pieces), config);
  };
};

/** A JSON body as it was received. */
interface ReceivedBody {
  readonly pieces: readonly Buffer[];
  readonly unpack: Unpack | null;
  readonly config: BodyConfig;
}

const received = Symbol('received');

/** The context of a request with a large or packed body; undefined: there is none, or it has been decoded. */
interface ReceivedContext extends Context {
  [received]?: ReceivedBody | undefined;
}

/** Whether a large or packed body is still to be decoded. */
export const isUndecoded = (ctx: ReceivedContext): boolean => ctx[received] !== undefined;

/**
 * Decodes a large or packed body, if there is one. It is called once the caller has the right to the route: values may take thirty
 * times the memory of their text. Bodies are put together, unpacked and parsed one at a time. Rejects with the errors of `parseJson`,
 * with 400 for too many objects and lists, with 413 for a body that is too large unpacked, and with 503 if all bodies together take too much memory.
 */
export async function decodeBody(ctx: ReceivedContext): Promise<void> {
  await nextTurn();
  const body = ctx[received];
  if (body === undefined) return;
  ctx[received] = undefined;
  const reservation = reservationOf(ctx);
  const bytes = unpacked(body);
  if (body.unpack !== null) reservation?.add(bytes.length);
  const size = measureJson(bytes);
  if (reservation?.isCounted === true) reservation.add(size.bytes);
  refuseMany(size.holders, body.config.jsonLimit);
  decode(ctx, bytes, body.config);
}

/** A large body may have one object or list for this many bytes of `jsonLimit`. Each takes up to thirty times its text. */
const bytesOfHolder = 10;

function refuseMany(holders: number, jsonLimit: number): void {
  const most = Math.ceil(jsonLimit / bytesOfHolder);
  if (holders > most) throw bodyInvalid(`request body has more than ${String(most)} objects and lists`);
}

const unpacked = ({ pieces, unpack, config }: ReceivedBody): Buffer =>
  unpack === null ? joined(pieces) : unpack(joined(pieces), config.jsonLimit);

function decode(ctx: Context, bytes: Buffer, { jsonDepth, includeUnparsed }: BodyConfig): void {
  const value = parseJson(bytes, jsonDepth);
  if (includeUnparsed) {
    reservationOf(ctx)?.add(bytes.length);
    Object.defineProperty(value, unparsedBody, { value: bytes.toString('utf8') });
  }
  // Typed as JSON by koa-body; readers take it as unknown.
  ctx.request.body = value as NonNullable<typeof ctx.request.body>;
}

/** Where code of Strapi v4 finds the text of a body, to check signatures. */
const unparsedBody = Symbol.for('unparsedBody');

const joined = (pieces: readonly Buffer[]): Buffer => (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));

/**
 * Forms are read by koa-body, keys with brackets included. It is loaded with the first form, since it takes 80 ms and 5 MB and
 * few clients send forms.
 */
function formReader(config: BodyConfig): ReadBody {
  let parser: Promise<Middleware> | undefined;
  return async (ctx) => {
    const parse = await (parser ??= createFormParser(config));
    reservationOf(ctx)?.add(config.formLimit);
    await parse(ctx, () => Promise.resolve());
    checkJson(ctx.request.body, config.jsonDepth);
  };
}

async function createFormParser({ formLimit }: BodyConfig): Promise<Middleware> {
  const { koaBody } = await import('koa-body');
  return koaBody({ json: false, text: false, multipart: false, formLimit, queryString: queryRules, onError: refuse });
}

/** Passed through to qs; the types of koa-body have only some of its options. */
const queryRules: object = { depth: 20, parameterLimit: 1000, throwOnLimitExceeded: true };

/** Errors of zlib and qs have no status of their own, or say more than a client needs. */
function refuse(error: Error): never {
  const known = 'status' in error && error.name !== 'RangeError';
  throw known ? error : bodyInvalid('invalid form body');
}

/** Returns the unpacked bytes of a body. Throws 413 if they exceed the limit, and 400 for bytes that do not have the encoding. */
type Unpack = (bytes: Buffer, limit: number) => Buffer;

/** Synchronous: a megabyte takes 3 ms, less than its parsing, and other packed bodies take no memory meanwhile. */
const unpackers: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Returns what unpacks a body; null if it is not packed. Throws 415 for an unknown encoding. */
function unpackerOf({ headers }: IncomingMessage): Unpack | null {
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
  readonly reservation: Reservation;
  readonly isPacked: boolean;
}

/**
 * Returns the bytes of a body as they came. Throws 413 if they exceed the limit. Listeners and not `for await`: leaving such a loop
 * destroys the socket before the answer is sent.
 */
function receive(request: IncomingMessage, { limit, reservation, isPacked }: Bounds): Promise<readonly Buffer[]> {
  if (!isPacked && Number(request.headers['content-length']) > limit) return Promise.reject(bodyTooLarge());
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] = [];
    let size = 0;
    const fail = (error: unknown): void => {
      pieces = [];
      request.removeAllListeners('data');
      // The rest of the body is discarded, so that the client reads the answer and the connection can be reused.
      request.resume();
      reject(error as Error); // nothing else is thrown
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
      pieces = []; // the listeners live as long as the request
    });
    request.once('error', () => {
      fail(bodyInvalid('request aborted'));
    });
  });
}
