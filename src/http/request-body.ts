import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { MiddlewaresConfig } from '../config/config.js';
import { nextTurn } from '../queue.js';
import type { HeldBytes } from '../shared-bytes.js';
import { bodyInvalid, bodyTooLarge, rawError } from './error-response.js';
import { memoryOf } from './hold-memory.js';
import { checkJson, decodedBytes, parseJson } from './parse-json.js';

type BodyConfig = MiddlewaresConfig['body'];
type ReadBody = (ctx: Context) => Promise<void>;

/**
 * Sets `ctx.request.body` of POST, PUT and PATCH: JSON as an object or list, forms as an object, undefined for any other type.
 * Multipart bodies are left unread for the routes that take them.
 */
export function requestBody(config: BodyConfig): Middleware {
  const readers: Readonly<Record<BodyKind, ReadBody>> = { json: jsonReader(config), form: formReader(config) };
  return async (ctx, next) => {
    const kind = methods.has(ctx.method) ? kindOf(ctx.req.headers['content-type']) : null;
    if (kind) await readers[kind](ctx);
    return next();
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

/** Whether a request has a multipart body. */
export const isMultipart = (ctx: Context): boolean => /^multipart\/form-data\b/i.test(ctx.get('content-type'));

/** What a request holds of the memory for bodies; null: it is not counted. */
type Held = HeldBytes | null;

const heldBy = (ctx: Context): Held => memoryOf(ctx.res)?.body ?? null;

/** JSON is not read by koa-body, which takes a tenth longer for small bodies and silently replaces invalid UTF-8. */
const jsonReader = (config: BodyConfig): ReadBody => {
  return async (ctx) => {
    const held = heldBy(ctx);
    const bytes = await readBody(ctx.req, config.jsonLimit, held);
    if (held?.areMany === true) {
      held.add(decodedBytes(bytes));
      await nextTurn();
    }
    const value = parseJson(bytes, config.jsonDepth);
    // Typed as JSON by koa-body; readers take it as unknown.
    ctx.request.body = value as NonNullable<typeof ctx.request.body>;
  };
};

/**
 * Forms are read by koa-body, keys with brackets included. It is loaded with the first form, since it takes 80 ms and 5 MB and
 * few clients send forms.
 */
function formReader(config: BodyConfig): ReadBody {
  let parser: Promise<Middleware> | undefined;
  return async (ctx) => {
    const parse = await (parser ??= createFormParser(config));
    heldBy(ctx)?.add(config.formLimit);
    await parse(ctx, () => Promise.resolve());
    checkJson(ctx.request.body, config.jsonDepth);
  };
}

async function createFormParser({ formLimit }: BodyConfig): Promise<Middleware> {
  const { koaBody } = await import('koa-body');
  return koaBody({ json: false, text: false, multipart: false, formLimit, queryString: queryRules, onError: refuse });
}

/** Passed through to qs; the types that koa-body brings know only some of its options. */
const queryRules: object = { depth: 20, parameterLimit: 1000, throwOnLimitExceeded: true };

/** Errors of zlib and qs have no status of their own, or say more than a client needs. */
function refuse(error: Error): never {
  const known = 'status' in error && error.name !== 'RangeError';
  throw known ? error : bodyInvalid('invalid form body');
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Returns the decompressed bytes of a body. Throws 413 if they exceed the limit, which also stops decompression bombs; 415 for an
 * unknown encoding; 400 for bytes that do not have the encoding.
 */
function readBody(request: IncomingMessage, limit: number, held: Held): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') {
    if (Number(request.headers['content-length']) > limit) return Promise.reject(bodyTooLarge());
    return collect(request, request, { limit, held });
  }
  const createDecoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (!createDecoder) return Promise.reject(rawError(415, 'UnsupportedMediaTypeError', 'unsupported content encoding'));
  return collect(request, request.pipe(createDecoder()), { limit, held });
}

interface Bounds {
  readonly limit: number;
  readonly held: Held;
}

/** Listeners and not `for await`: leaving such a loop destroys the socket before the answer is sent. */
function collect(request: IncomingMessage, source: Readable, { limit, held }: Bounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: unknown): void => {
      source.removeAllListeners('data');
      request.unpipe();
      if (source !== request) source.destroy();
      // The rest of the body is discarded, so that the client reads the answer and the connection can be reused.
      request.resume();
      reject(error as Error); // nothing else is thrown
    };
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > limit) throw bodyTooLarge();
        held?.add(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        fail(error);
      }
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
