import { checkJson, parseJson } from './json-body.js';
import { bodyInvalid } from './raw-error.js';
import { readBody } from './read-body.js';
import type {} from 'koa-body';
import type { Context, Middleware } from 'koa';
import type { MiddlewaresConfig } from '../config/config.js';

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

/** Not by koa-body: it takes a tenth longer for a request with a small body, and replaces bytes that are no UTF-8 silently. */
const jsonReader = (config: BodyConfig): ReadBody => {
  return async (ctx) => {
    const value = parseJson(await readBody(ctx.req, config.jsonLimit), config.jsonDepth);
    // Typed as JSON by koa-body; readers take it as unknown.
    ctx.request.body = value as NonNullable<typeof ctx.request.body>;
  };
};

/** By koa-body, brackets and all. It is loaded with the first form: it takes 80 ms and 5 MB, and hardly any client sends forms. */
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
