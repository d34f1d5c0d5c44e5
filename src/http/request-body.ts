import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { MiddlewaresConfig } from '../config/config.js';
import { bodyInvalid, bodyTooLarge, rawError } from './error-response.js';

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

/** JSON is not read by koa-body, which takes a tenth longer for small bodies and silently replaces invalid UTF-8. */
const jsonReader = (config: BodyConfig): ReadBody => {
  return async (ctx) => {
    const value = parseJson(await readBody(ctx.req, config.jsonLimit), config.jsonDepth);
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

/**
 * Returns the object or list that a JSON body holds; an empty body is an empty object. Throws a 400 with the engine's message for
 * text that is not JSON, and for a value that is no object or list; and those of `checkJson`.
 */
function parseJson(bytes: Buffer, depth: number): unknown {
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
    // Node 22 adds the line; clients know the sentence without it.
    throw rawError(400, 'SyntaxError', message.replace(/ \(line \d+ column \d+\)$/, ''));
  }
}

/**
 * Throws a 400 for a decoded body that nests deeper than `depth`, or that has a key with a NUL in it (no document can hold it) or
 * the key `__proto__`. It works level by level, so that no body exhausts the stack.
 */
export function checkJson(root: unknown, depth: number): void {
  let level: readonly object[] = holders([root]);
  for (let count = 1; level.length > 0; count += 1) {
    if (count > depth) throw bodyInvalid(`request body is nested deeper than ${String(depth)} levels`);
    level = level.flatMap(below);
  }
}

function below(holder: object): readonly object[] {
  if (Array.isArray(holder)) return holders(holder);
  for (const key of Object.keys(holder))
    if (key === '__proto__' || key.includes('\0')) throw bodyInvalid('request body has a key that is not allowed');
  return holders(Object.values(holder));
}

const holders = (values: readonly unknown[]): readonly object[] =>
  values.filter((value): value is object => typeof value === 'object' && value !== null);

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
function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
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
      // The rest of the body is discarded, so that the client reads the answer and the connection can be reused.
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
