import { isRecord } from '#base/values.js';
import type { CodeHandler, MiddlewareItem } from './strapi-route.js';

/**
 * Returns `strapi::responses` of Strapi v4, which calls a function of `config.handlers` after each answer of its status; null for an item
 * of config/middlewares without such functions.
 */
export function answersByStatus(item: string | MiddlewareItem): CodeHandler | null {
  if (typeof item === 'string' || item.name !== 'strapi::responses' || !isRecord(item.config)) return null;
  const { handlers } = item.config;
  if (!isRecord(handlers)) return null;
  return async (ctx, next) => {
    await next();
    const handler = handlers[String(ctx.status)];
    if (typeof handler === 'function') await (handler as CodeHandler)(ctx, next); // the form of the setting
  };
}
