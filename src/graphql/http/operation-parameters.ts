import { isRecord } from '../../query/is-record.js';
import { failureAnswer, textAnswer, type Answer } from './answer.js';
import type { FindQuery } from './persisted-queries.js';
import type { RawOperation } from './read-request.js';

/** The checked parts of one operation's request. */
export interface Parameters {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

const noQuery = 'GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.';

const failures = {
  missing: failureAnswer(400, noQuery),
  unknown: failureAnswer(200, 'PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND'),
  mismatch: failureAnswer(400, 'provided sha does not match query'),
} as const;

/** Checks one operation's request; `variables` and `extensions` may come as JSON text, as they do in a query string. */
export function operationParameters(raw: RawOperation, find: FindQuery): Parameters | Answer {
  const { query, operationName } = raw;
  if (query !== undefined && query !== null && typeof query !== 'string')
    return textAnswer(400, 'GraphQL queries must be strings.');
  const variables = objectOrJson(raw['variables']);
  if (variables === null) return textAnswer(400, 'Variables are invalid JSON.');
  const extensions = objectOrJson(raw['extensions']);
  if (extensions === null) return textAnswer(400, 'Extensions are invalid JSON.');
  const found = find(query ?? undefined, extensions);
  if ('failure' in found) return failures[found.failure];
  return { query: found.query, variables, operationName: typeof operationName === 'string' ? operationName : null };
}

function objectOrJson(value: unknown): Readonly<Record<string, unknown>> | null {
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
