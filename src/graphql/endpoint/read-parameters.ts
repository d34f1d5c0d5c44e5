import { createHash } from 'node:crypto';
import type { Request, RequestParams, Response } from 'graphql-http';
import { BoundedCache } from '../../caches.js';
import type { Config } from '../../config/config.js';
import { checkJson } from '../../http/receive-body.js';
import type { Answer } from '../../http/route.js';
import { isRecord, type Values } from '../../values.js';

/** An HTTP response. */
export interface GraphqlAnswer {
  readonly status: number;
  readonly type: 'application/json' | 'text/plain' | 'text/html';
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the answer of the route table. */
export const toAnswer = ({ status, type, body, headers }: GraphqlAnswer): Answer => ({
  status,
  headers: { 'Content-Type': type === 'application/json' ? type : `${type}; charset=utf-8`, ...headers },
  // Converted once, because Node would measure a string before it writes it.
  body: Buffer.from(body),
});

export const textAnswer = (status: number, body: string): GraphqlAnswer => ({ status, type: 'text/plain', body });

export const jsonAnswer = (status: number, body: unknown): GraphqlAnswer => ({
  status,
  type: 'application/json',
  body: `${JSON.stringify(body)}\n`,
});

/** Returns the response to a request without an operation. */
export const failureAnswer = (status: number, message: string, code = 'INTERNAL_SERVER_ERROR'): GraphqlAnswer =>
  jsonAnswer(status, { errors: [{ message, extensions: { code } }] });

/** Returns an answer in the form of hooks of graphql-http. */
const responseOf = ({ status, type, body, headers }: GraphqlAnswer): Response => [
  body,
  { status, statusText: '', headers: { ...headers, 'content-type': type } },
];

/** Returns an answer of graphql-http: one made by `responseOf`, or JSON with its own media type. */
export function answerOf([body, { status, headers = {} }]: Response): GraphqlAnswer {
  const { 'content-type': type, ...rest } = headers;
  if (type === 'text/plain') return { status, type, body: body ?? '', headers: rest };
  return { status, type: 'application/json', body: `${(body ?? '').trimEnd()}\n` };
}

/** The part of the request context that parameters depend on. */
interface Sender {
  readonly config: Config;
}

/**
 * Reads the parameters of an operation from the query string of a GET, or from the decoded JSON of a POST. Returns the response
 * if they are missing or invalid.
 */
export function readParameters(request: Request<unknown, Sender>, find: FindQuery): RequestParams | Response {
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
  noVariables: responseOf(
    failureAnswer(
      400,
      'Variables must be provided as an Object where each property is a variable value. Perhaps look to see if an unparsed JSON string was provided.',
    ),
  ),
  extensions: refuse('Extensions are invalid JSON.'),
  missing: responseOf(failureAnswer(400, 'GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.')),
  unknown: responseOf(failureAnswer(200, 'PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')),
  mismatch: responseOf(failureAnswer(400, 'provided sha does not match query')),
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
  if ('failure' in found) return failures[found.failure];
  return { query: found.query, variables: isRecord(variables) ? variables : {}, operationName: nameOf(operationName) };
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

/** Returns the query of a request, which may contain only its SHA-256; the reason if there is none. */
export type FindQuery = (
  query: string | undefined,
  extensions: unknown,
) => { readonly query: string } | { readonly failure: 'missing' | 'unknown' | 'mismatch' };

/** Returns a cache of automatic persisted queries: a client sends hash and text once, and later only the hash. */
export function createPersistedQueries(): FindQuery {
  const texts = new BoundedCache<string>(bounds);
  return (query, extensions) => {
    const hash = hashIn(extensions);
    if (hash === null) return query === undefined || query === '' ? { failure: 'missing' } : { query };
    if (query === undefined || query === '') {
      const text = texts.get(hash);
      return text === undefined ? { failure: 'unknown' } : { query: text };
    }
    if (createHash('sha256').update(query).digest('hex') !== hash) return { failure: 'mismatch' };
    texts.set(hash, query, 2 * query.length);
    return { query };
  };
}

function hashIn(extensions: unknown): string | null {
  const persisted = isRecord(extensions) ? extensions['persistedQuery'] : null;
  return isRecord(persisted) && typeof persisted['sha256Hash'] === 'string' ? persisted['sha256Hash'] : null;
}
