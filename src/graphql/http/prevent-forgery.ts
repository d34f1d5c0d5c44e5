import type { Context } from 'koa';
import { textAnswer, type Answer } from './answer.js';

/** Content types that a foreign page can send without the browser asking first. */
const simpleTypes = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

const message = (headers: readonly string[]): string =>
  'This operation has been blocked as a potential Cross-Site Request Forgery (CSRF). Please either specify a `content-type` header ' +
  `(with a type that is not one of ${simpleTypes.join(', ')}) or provide a non-empty value for one of the following headers: ` +
  `${headers.join(', ')}\n`;

/** The refusal of a request that another site's page could have sent, having none of the headers; null for one that it could not. */
export function forgeryAnswer(ctx: Context, headers: readonly string[]): Answer | null {
  const type = ctx.get('content-type').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const preflighted = type !== '' && !simpleTypes.includes(type);
  const named = headers.some((header) => ctx.get(header) !== '');
  return preflighted || named ? null : textAnswer(400, message(headers));
}
