import type { Middleware } from 'koa';
import { answerMethod } from './answer-method.js';

/** Paths that nobody serves: any may be asked for, which is answered by 404, and nothing else be done with it: 405 (rest.md 2.2). */
export const unknownPath: Middleware = (ctx, next) => {
  if (ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.method === 'OPTIONS') return next();
  answerMethod(ctx, ['HEAD', 'GET']);
};
