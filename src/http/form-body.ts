import { checkJson } from './check-json.js';
import { bodyInvalid } from './raw-error.js';
import type { Context, Middleware } from 'koa';
import type { MiddlewaresConfig } from '../config/config.js';

type BodyConfig = MiddlewaresConfig['body'];

/**
 * Reads `application/x-www-form-urlencoded` bodies, brackets and all, by koa-body. That is loaded with the first form: it and what
 * it needs take 150 ms and 15 MB, and hardly any client sends forms.
 */
export function formBody(config: BodyConfig): (ctx: Context) => Promise<void> {
  let parser: Promise<Middleware> | undefined;
  return async (ctx) => {
    parser ??= createParser(config);
    await (
      await parser
    )(ctx, () => Promise.resolve());
    checkJson(ctx.request.body, config.jsonDepth);
  };
}

async function createParser({ formLimit }: BodyConfig): Promise<Middleware> {
  const { koaBody } = await import('koa-body');
  return koaBody({
    json: false,
    text: false,
    multipart: false,
    formLimit,
    queryString: queryRules,
    onError: refuse,
  });
}

/** Passed through to qs; the types that koa-body brings know only some of its options. */
const queryRules: object = { depth: 20, parameterLimit: 1000, throwOnLimitExceeded: true };

/** Errors of zlib and qs have no status of their own, or say more than a client needs. */
function refuse(error: Error): never {
  const known = 'status' in error && error.name !== 'RangeError';
  throw known ? error : bodyInvalid('invalid form body');
}
