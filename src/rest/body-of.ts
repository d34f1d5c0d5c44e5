import type { Context } from 'koa';
import { isValues, type Values } from '../schema/check-input.js';

/** The body of a request as an object; empty where there is none, or one of another form. */
export function bodyOf(ctx: Context): Values {
  const body: unknown = ctx.request.body;
  return isValues(body) && !Array.isArray(body) ? body : {};
}
