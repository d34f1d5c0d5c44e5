import { explainMany } from '../content/explain-many.js';
import { forbiddenError, invalidParameter, validationError } from '../errors.js';
import type { QueryParameters } from '../http/query-string.js';
import type { RouteCall } from '../http/route.js';
import type { Query } from '../query/ast.js';
import type { ContentType } from '../schema/content-type.js';
import { envelopePage, type Json } from './envelope.js';

/**
 * Returns whether a request asks how a list is read: by `explain=true`. Throws a ValidationError for other values than `true` and
 * `false`.
 */
export function asksToExplain(query: QueryParameters): boolean {
  const value = typeof query === 'string' ? explainOf(query) : query['explain'];
  if (value === undefined || value === null || value === 'false') return false;
  if (value !== 'true') throw invalidParameter('explain');
  return true;
}

const explainOf = (query: string): string | null =>
  query.includes('explain=') ? new URLSearchParams(query).get('explain') : null;

/** Throws a ValidationError if a request that reads no list asks how it is read. */
export function refuseToExplain(query: QueryParameters): void {
  if (asksToExplain(query)) throw validationError('Invalid parameter explain: only lists are explained');
}

/**
 * Returns a page with `meta.explain`: the way in which it was read, the commands and what the server did for each. Throws a
 * ForbiddenError unless the caller has an admin token.
 */
export async function explainList(type: ContentType, query: Query, { caller, content }: RouteCall): Promise<Json> {
  if (caller.kind !== 'token' || caller.token.type !== 'admin') throw forbiddenError('explain requires an admin token');
  const { page, explain } = await explainMany(type, query, content);
  const { meta, ...answer } = envelopePage(page, content);
  return { ...answer, meta: { ...(meta as object), explain } };
}
