import { formBody } from './form-body.js';
import { parseJson } from './parse-json.js';
import { readBody } from './read-body.js';
import type {} from 'koa-body';
import type { Context, Middleware } from 'koa';
import type { MiddlewaresConfig } from '../config/config.js';

/**
 * `ctx.request.body` of POST, PUT and PATCH: JSON as an object or list, forms as an object, undefined for any other type. Multipart
 * bodies are left unread for the routes that take them.
 */
export function requestBody(config: MiddlewaresConfig['body']): Middleware {
  const readForm = formBody(config);
  const readJson = async (ctx: Context): Promise<void> => {
    const value = parseJson(await readBody(ctx.req, config.jsonLimit), config.jsonDepth);
    // Typed as JSON by koa-body; readers take it as unknown.
    ctx.request.body = value as NonNullable<typeof ctx.request.body>;
  };
  const readers: Readonly<Record<BodyKind, (ctx: Context) => Promise<void>>> = { json: readJson, form: readForm };
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
