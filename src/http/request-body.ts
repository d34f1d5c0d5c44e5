import type { Context, Middleware } from 'koa';
import type { MiddlewaresConfig } from '#settings/config.js';
import { exceeding } from '#base/limits/exceeded.js';
import { measureJson } from '#base/measure-json.js';
import { nextTurn } from '#base/limits/queue.js';
import type { ByteReservation } from '#base/limits/byte-budget.js';
import { bodyInvalid, bodyTooLarge } from './error-response.js';
import { memoryOf } from './count-memory.js';
import { checkJson, parseJson, receive, type Unpack, unpackerOf } from './receive-body.js';

type BodyConfig = MiddlewaresConfig['body'];
type ReadBody = (ctx: Context) => Promise<void>;

/**
 * Sets `ctx.request.body` of POST, PUT and PATCH: JSON as an object or list, forms as an object, undefined for other types. Large
 * or compressed JSON is decoded later, by `decodeBody`. Multipart bodies are read by their routes.
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

/**
 * Returns the body of a request if it is text or XML, which only code of a project reads; null for other types, and if it was read
 * before. Rejects with a 413 if it exceeds the limit of forms, and with the errors of `unpackerOf`.
 */
export async function readText(ctx: Context, { formLimit: limit }: BodyConfig): Promise<string | null> {
  const { method = '', headers, readableEnded } = ctx.req;
  if (!methods.has(method) || readableEnded || !/^(text\/|application\/([\w.-]+\+)?xml\b)/i.test(headers['content-type'] ?? ''))
    return null;
  const unpack = unpackerOf(ctx.req);
  const bytes = joined(await receive(ctx.req, { limit, setting: 'formLimit', reservation: reservationOf(ctx) }));
  return (unpack === null ? bytes : unpack(bytes, limit, 'formLimit')).toString('utf8');
}

/** Returns whether a request has a multipart body. Methods without a body have none, whatever their content type. */
export function isMultipart({ req }: Context): boolean {
  const { method = '', headers } = req;
  return methods.has(method) && /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
}

/** Returns the memory reservation for the body of a request; null if it is not counted. */
const reservationOf = (ctx: Context): ByteReservation | null => memoryOf(ctx)?.body ?? null;

/**
 * Returns the reader of JSON. koa-body is not used, because it takes a tenth longer for small bodies and silently replaces
 * invalid UTF-8. Large and compressed bodies are kept as received until `decodeBody`.
 */
const jsonReader =
  (config: BodyConfig): ReadBody =>
  async (ctx: ReceivedContext) => {
    const unpack = unpackerOf(ctx.req);
    const reservation = reservationOf(ctx);
    const pieces = await receive(ctx.req, { limit: config.jsonLimit, setting: 'jsonLimit', reservation });
    if (unpack !== null || reservation?.isCounted === true) ctx[received] = { pieces, unpack, config };
    else decode(ctx, joined(pieces), config);
  };

/** A received JSON body that is not decoded yet. */
interface ReceivedBody {
  readonly pieces: readonly Buffer[];
  readonly unpack: Unpack | null;
  readonly config: BodyConfig;
}

const received = Symbol('received');

/** The context of a request, with a large or compressed body that is not decoded yet; undefined if there is none. */
interface ReceivedContext extends Context {
  [received]?: ReceivedBody | undefined;
}

/** Returns whether the request has a large or compressed body that is not decoded yet. */
export const isUndecoded = (ctx: ReceivedContext): boolean => ctx[received] !== undefined;

/**
 * Decodes a large or compressed body, if there is one. Must be called after the right to the route was checked, because values
 * may take thirty times the memory of their text. Bodies are joined, decompressed and parsed one at a time. Rejects with the
 * errors of `parseJson`, a 400 for too many objects and lists, a 413 if the decompressed body is too large, and a 503 if all
 * bodies together take too much memory.
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

/**
 * Bytes of `jsonLimit` per object or list that a large body may have. An object or list takes up to thirty times the memory of
 * its text.
 */
const bytesOfHolder = 10;

function refuseMany(holders: number, jsonLimit: number): void {
  const most = Math.ceil(jsonLimit / bytesOfHolder);
  if (holders > most)
    throw exceeding('middlewares.body.jsonLimit', bodyInvalid(`request body has more than ${String(most)} objects and lists`));
}

const unpacked = ({ pieces, unpack, config }: ReceivedBody): Buffer =>
  unpack === null ? joined(pieces) : unpack(joined(pieces), config.jsonLimit, 'jsonLimit');

function decode(ctx: Context, bytes: Buffer, { jsonDepth, includeUnparsed }: BodyConfig): void {
  const value = parseJson(bytes, jsonDepth);
  if (includeUnparsed) {
    reservationOf(ctx)?.add(bytes.length);
    keepText(value, bytes.toString('utf8'));
  }
  // koa-body types it as JSON; all readers treat it as unknown
  ctx.request.body = value as NonNullable<typeof ctx.request.body>;
}

/** The key under which code for Strapi v4 finds the text of a body, to check signatures. */
const unparsedBody = Symbol.for('unparsedBody');

const keepText = (body: unknown, value: string): void => void Object.defineProperty(body, unparsedBody, { value });

const joined = (pieces: readonly Buffer[]): Buffer => (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));

/**
 * Returns the reader of forms, whose keys may have brackets. koa-body is loaded with the first form, because it takes 80 ms and 5
 * MB, and few clients send forms.
 */
function formReader(config: BodyConfig): ReadBody {
  let parser: Promise<Middleware> | undefined;
  return async (ctx) => {
    const parse = await (parser ??= createFormParser(config));
    reservationOf(ctx)?.add(config.formLimit);
    await parse(ctx, () => Promise.resolve());
    const { body, rawBody }: { readonly body?: unknown; readonly rawBody?: unknown } = ctx.request;
    checkJson(body, config.jsonDepth);
    if (typeof rawBody === 'string') keepText(body, rawBody); // set by koa-body for includeUnparsed
  };
}

async function createFormParser({ formLimit, includeUnparsed }: BodyConfig): Promise<Middleware> {
  const { koaBody } = await import('koa-body');
  const formsOnly = { json: false, text: false, multipart: false };
  return koaBody({ ...formsOnly, formLimit, includeUnparsed, queryString: queryRules, onError: refuse });
}

/** Options of qs, some of which are missing in the types of koa-body. */
const queryRules: object = { depth: 20, parameterLimit: 1000, throwOnLimitExceeded: true };

/** Translates errors of zlib and qs, which have no status or too detailed messages. */
function refuse(error: Error): never {
  if ('status' in error && error.status === 413) throw bodyTooLarge('formLimit');
  const isClientError = 'status' in error && error.name !== 'RangeError';
  throw isClientError ? error : bodyInvalid('invalid form body');
}
