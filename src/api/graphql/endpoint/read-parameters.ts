import { createHash } from 'node:crypto';
import type { Request, RequestParams, Response } from 'graphql-http';
import { BoundedCache } from '#base/caches.js';
import type { Config } from '#settings/config.js';
import { checkJson } from '#http/receive-body.js';
import type { Answer } from '#http/route.js';
import { isRecord, type Values } from '#base/values.js';

export const textResponse = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Response => [
  body,
  { status, statusText: '', headers: { ...headers, 'content-type': 'text/plain' } },
];

export const jsonResponse = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response => [
  JSON.stringify(body),
  { status, statusText: '', headers },
];

/** Returns the response to a request without an operation. */
export const failureResponse = (status: number, message: string, code = 'INTERNAL_SERVER_ERROR'): Response =>
  jsonResponse(status, { errors: [{ message, extensions: { code } }] });

/** Returns the JSON of a response, in which a text is the message of an error. */
export const jsonOf = ([body, { status, headers }]: Response): string =>
  headers?.['content-type'] === 'text/plain' ? jsonOf(failureResponse(status, body ?? '')) : (body ?? '').trimEnd();

/** Returns the answer of the route table. All responses that are not text are JSON of one media type. */
export function answerOf(response: Response): Answer {
  const [text, { status, headers: { 'content-type': type, ...others } = {} }] = response;
  const isText = type === 'text/plain';
  const headers = { 'Content-Type': isText ? 'text/plain; charset=utf-8' : 'application/json', ...others };
  // Converted once, because Node would measure a string before it writes it.
  return { status, headers, body: Buffer.from(isText ? (text ?? '') : `${jsonOf(response)}\n`) };
}

/** The part of the request context that parameters depend on. */
interface Sender {
  readonly config: Config;
}

/**
 * Reads the parameters of an operation from the query string of a GET, or from the decoded JSON of a POST. Returns the response
 * if they are missing or invalid.
 */
export function readParameters(
  request: Pick<Request<unknown, Sender>, 'method' | 'url' | 'body' | 'context'>,
  find: FindQuery,
): RequestParams | Response {
  const { jsonDepth } = request.context.config.middlewares.body;
  switch (request.method) {
    case 'GET': {
      const parameters = new URLSearchParams(/\?(.*)$/s.exec(request.url)?.[1]);
      return parameters.size === 0 ? failures.noParameters : checkParameters(Object.fromEntries(parameters), find, jsonDepth);
    }
    case 'POST':
      return isRecord(request.body) ? checkParameters(request.body, find, jsonDepth) : failures.noBody;
    default:
      return failures.method;
  }
}

const refuse = (message: string): Response => textResponse(400, message);

const failures = {
  method: textResponse(405, 'Apollo Server supports only GET/POST requests.', { Allow: 'GET, POST' }),
  noParameters: refuse('GET query missing.'),
  noBody: refuse('POST body missing, invalid Content-Type, or JSON object has no keys.'),
  query: refuse('GraphQL queries must be strings.'),
  variables: refuse('Variables are invalid JSON.'),
  noVariables: failureResponse(
    400,
    'Variables must be provided as an Object where each property is a variable value. Perhaps look to see if an unparsed JSON string was provided.',
  ),
  extensions: refuse('Extensions are invalid JSON.'),
  missing: failureResponse(400, 'GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.'),
  unknown: failureResponse(200, 'PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND'),
  mismatch: failureResponse(400, 'provided sha does not match query'),
} as const;

/** Checks the parameters. `variables` and `extensions` may be JSON strings, as in a query string. */
function checkParameters(raw: Values, find: FindQuery, depth: number): RequestParams | Response {
  const { query, operationName } = raw;
  if (query !== undefined && query !== null && typeof query !== 'string') return failures.query;
  const variables = valueOrJson(raw['variables'], depth);
  if (variables === undefined) return failures.variables;
  if (variables !== null && typeof variables !== 'object') return failures.noVariables;
  const extensions = valueOrJson(raw['extensions'], depth);
  if (extensions === undefined) return failures.extensions;
  const found = find(query ?? undefined, extensions);
  if (typeof found !== 'string') return found;
  return { query: found, variables: isRecord(variables) ? variables : {}, operationName: nameOf(operationName) };
}

/** Returns the operation name. A name that is not a string matches no operation, so the request is refused. */
const nameOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : typeof value === 'string' ? value : JSON.stringify(value);

function valueOrJson(value: unknown, depth: number): unknown {
  if (value === undefined || value === '') return null;
  return typeof value === 'string' ? decode(value, depth) : value;
}

/** Returns decoded JSON; undefined if it is invalid, or a body may not contain it. */
function decode(text: string, depth: number): unknown {
  try {
    const value: unknown = JSON.parse(text);
    checkJson(value, depth);
    return value;
  } catch {
    return undefined;
  }
}

/** Bounds of the cached persisted queries. */
const bounds = { entries: 2_000, bytes: 4_000_000 };

/** Returns the query of a request, which may contain only its SHA-256; the response if there is none. */
export type FindQuery = (query: string | undefined, extensions: unknown) => string | Response;

/** Returns a cache of automatic persisted queries: a client sends hash and text once, and later only the hash. */
export function createPersistedQueries(): FindQuery {
  const texts = new BoundedCache<string>(bounds);
  return (query, extensions) => {
    const hash = hashIn(extensions);
    if (hash === null) return query || failures.missing;
    if (query === undefined || query === '') return texts.get(hash) ?? failures.unknown;
    if (createHash('sha256').update(query).digest('hex') !== hash) return failures.mismatch;
    texts.set(hash, query, 2 * query.length);
    return query;
  };
}

function hashIn(extensions: unknown): string | null {
  const persisted = isRecord(extensions) ? extensions['persistedQuery'] : null;
  return isRecord(persisted) && typeof persisted['sha256Hash'] === 'string' ? persisted['sha256Hash'] : null;
}
