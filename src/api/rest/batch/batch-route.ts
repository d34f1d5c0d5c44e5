import type { Config } from '#settings/config.js';
import { fieldErrors } from '#base/errors.js';
import type { RouteParts } from '#http/feature.js';
import { flag, listOf, record, text, integer } from '#http/json-schema.js';
import { answers } from '#http/operation.js';
import { runWithKey } from '#http/idempotency/read-key.js';
import type { ProjectCode } from '#http/project-code.js';
import { refuseOthers } from '#http/query-string.js';
import type { Answer, DynamicRoute, Route } from '#http/route.js';
import { counted } from '#http/steps/counted.js';
import { keyed } from '#http/steps/keyed.js';
import type { Access } from '#model/query/access.js';
import { isRecord } from '#base/values.js';
import { readBatch } from './read-batch.js';
import { runApart, runTogether } from './run-batch.js';

const anyObject = { type: 'object', additionalProperties: true } as const;

/** The schema of a batch of at most `most` writes. */
const batchSchema = (most: number) => ({
  type: 'object',
  required: ['requests'],
  additionalProperties: false,
  properties: {
    transaction: {
      ...flag,
      description: 'Whether the first failure undoes all; false by default, so that each write stands alone',
    },
    requests: {
      type: 'array',
      minItems: 1,
      maxItems: most,
      items: {
        type: 'object',
        required: ['method', 'path'],
        additionalProperties: false,
        properties: {
          method: { type: 'string', enum: ['POST', 'PUT', 'DELETE'] },
          path: { ...text, description: 'The path below the prefix, with the query string: `/articles/1?populate=author`' },
          body: { ...anyObject, description: '`$0` as the value of a relation is the id that the first request has created' },
          headers: { type: 'object', properties: { 'If-Match': text, 'If-None-Match': text }, additionalProperties: false },
        },
      },
    },
  },
});

/**
 * Returns the route of batches: `POST /batch` answers several writes to content types, each by the row that would answer it on its own,
 * with the rights that it needs.
 */
export function batchRoute({ config, projectCode }: RouteParts, routes: readonly DynamicRoute[]): Route {
  const { limits, rest } = config.api;
  const sources = { routes, projectCode, prefix: rest.prefix };
  return {
    method: 'POST',
    path: `${rest.prefix}/batch`,
    action: 'anybody',
    steps: [counted((body) => countOf(body, 'requests', limits.batch)), keyed.part],
    accepts: batchSchema(limits.batch),
    operation: {
      id: 'writeBatch',
      summary: 'Create, change and delete several entries',
      tag: 'Batches',
      description: 'Each write needs its own right.',
      answers: answers(
        record({ data: listOf(record({ status: integer, body: anyObject })), meta: anyObject }),
        'An answer for each write',
      ),
    },
    isListedFor: mayWrite,
    handle: async (call) => {
      refuseOthers(call.request.query, []);
      refuseMiddlewares('a batch', projectCode, config);
      const { isAtomic, items } = readBatch(call.request.body, limits);
      const answer = (data: readonly object[]): Answer => ({ body: { data, meta: {} } });
      return isAtomic
        ? runWithKey(call, async (content) => answer(await runTogether(items, { ...call, content }, sources)))
        : answer(await runApart(items, call, sources));
    },
  };
}

/** Returns whether a caller may write entries of any content type. */
export const mayWrite = ({ grants }: Access): boolean =>
  grants.kind === 'all' ||
  (grants.kind === 'actions' && [...grants.actions].some((action) => /^api::.*\.(?!find)\w+$/.test(action)));

/** Returns as how many requests a list of writes counts. One with too many writes, which is refused, counts as the longest. */
export function countOf(body: unknown, name: 'requests' | 'writes', most: number): number {
  const writes: unknown = isRecord(body) ? body[name] : null;
  return Array.isArray(writes) ? Math.min(Math.max(writes.length, 1), most) : 1;
}

/** Throws a ValidationError if the project has middlewares around all requests: they may decide by path and body what is allowed. */
export function refuseMiddlewares(what: string, projectCode: ProjectCode | null, { api }: Config): void {
  const names = projectCode?.middlewares() ?? [];
  if (names.length === 0 || api.rest.batchPastMiddlewares) return;
  const message = `The project has middlewares that would not see the writes of ${what} (${names.join(', ')}). Set api.rest.batchPastMiddlewares if they need not`;
  throw fieldErrors([{ path: [], message }]);
}
