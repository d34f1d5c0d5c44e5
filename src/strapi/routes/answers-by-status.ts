import { isRecord } from '#base/values.js';
import type { CodeHandler, MiddlewareItem } from './strapi-route.js';

/** Returns `strapi::responses` of Strapi v4, which calls a function of `config.handlers` after each answer of its status. */
export function answersByStatus(item: string | MiddlewareItem): CodeHandler {
  const config = typeof item === 'string' ? undefined : item.config;
  const handlers = isRecord(config) && isRecord(config['handlers']) ? config['handlers'] : {};
  return async (ctx, next) => {
    await next();
    const handler = handlers[String(ctx.status)];
    if (typeof handler === 'function') await (handler as CodeHandler)(ctx, next); // the form of the setting
  };
}

/** Returns whether an item of config/middlewares has such functions. */
export const hasAnswers = (item: string | MiddlewareItem): boolean =>
  typeof item !== 'string' && item.name === 'strapi::responses' && isRecord(item.config) && isRecord(item.config['handlers']);
