import type { Request, RequestParams, Response } from 'graphql-http';
import { isRecord } from '../../query/is-record.js';
import { failureAnswer, responseOf, textAnswer } from './answer.js';
import type { FindQuery } from './persisted-queries.js';

type Raw = Readonly<Record<string, unknown>>;

/**
 * Reads the parameters of an operation: from the query string of a GET, or from the decoded JSON of a POST. Returns the response
 * to a request that has none, or wrong ones.
 */
export function readParameters(request: Request<unknown, unknown>, find: FindQuery): RequestParams | Response {
  switch (request.method) {
    case 'GET': {
      const parameters = new URLSearchParams(/\?(.*)$/s.exec(request.url)?.[1]);
      return parameters.size === 0 ? failures.noParameters : checkParameters(Object.fromEntries(parameters), find);
    }
    case 'POST':
      return isRecord(request.body) ? checkParameters(request.body, find) : failures.noBody;
    default:
      return failures.method;
  }
}

const refuse = (message: string): Response => responseOf(textAnswer(400, message));

const failures = {
  method: responseOf({
    ...textAnswer(405, 'Apollo Server supports only GET/POST requests.'),
    headers: { Allow: 'GET, POST' },
  }),
  noParameters: refuse('GET query missing.'),
  noBody: refuse('POST body missing, invalid Content-Type, or JSON object has no keys.'),
  query: refuse('GraphQL queries must be strings.'),
  variables: refuse('Variables are invalid JSON.'),
  extensions: refuse('Extensions are invalid JSON.'),
  missing: responseOf(failureAnswer(400, 'GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.')),
  unknown: responseOf(failureAnswer(200, 'PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')),
  mismatch: responseOf(failureAnswer(400, 'provided sha does not match query')),
} as const;

/** `variables` and `extensions` may be JSON text, as they are in a query string. */
function checkParameters(raw: Raw, find: FindQuery): RequestParams | Response {
  const { query, operationName } = raw;
  if (query !== undefined && query !== null && typeof query !== 'string') return failures.query;
  const variables = objectOrJson(raw['variables']);
  if (variables === null) return failures.variables;
  const extensions = objectOrJson(raw['extensions']);
  if (extensions === null) return failures.extensions;
  const found = find(query ?? undefined, extensions);
  if ('failure' in found) return failures[found.failure];
  return { query: found.query, variables, operationName: typeof operationName === 'string' ? operationName : null };
}

function objectOrJson(value: unknown): Record<string, unknown> | null {
  if (value === undefined || value === null || value === '') return {};
  const decoded = typeof value === 'string' ? decode(value) : value;
  return isRecord(decoded) ? decoded : null;
}

function decode(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
