import { flag, listOf, orNull, record, text, integer, type Schema } from '#http/json-schema.js';
import { answers, type Operation, parameter, type QueryParameter } from '#http/operation.js';
import { at } from '#http/route.js';
import { parameterOf, type RouteRequest } from '#http/route-request.js';
import { validationError } from '#base/errors.js';
import { mapValues, recordIn, type Values } from '#base/values.js';
import type { AdminRoute } from './admin-call.js';

const texts = listOf(text);
const open: Schema = { type: 'object' };
const byUid: Schema = { type: 'object', additionalProperties: texts };

const token = {
  id: integer,
  name: text,
  description: orNull(text),
  type: { type: 'string', enum: ['read-only', 'full-access', 'custom', 'admin'] },
  permissions: texts,
  expiresAt: orNull(text),
  lastUsedAt: orNull(text),
  createdAt: text,
};

/** Schemas of the answers of the admin API. */
export const schemas = {
  open,
  texts,
  model: {
    type: 'object',
    description: 'A schema.json with its uid and its problems',
    properties: { uid: text, attributes: open, problems: texts, warnings: texts, affects: texts },
    required: ['uid'],
  },
  preview: record({
    isValid: flag,
    problems: byUid,
    warnings: byUid,
    changes: listOf(open),
    indexes: listOf(open),
    data: listOf(open),
  }),
  role: record({ id: integer, name: text, type: text, actions: texts, rules: orNull(open) }),
  user: record({ id: integer, username: text, email: text, role: orNull(integer), blocked: flag, confirmed: flag }),
  locale: record({ id: integer, code: text, name: text, isDefault: flag }),
  token: record(token),
  newToken: record({ ...token, accessKey: text }),
  settings: record({ advanced: open, templates: open }),
  route: record({ method: text, path: text, body: open }, ['method', 'path']),
};

/** Returns the description of a row. `data` is the schema of the answer's `data`; that of the body is in the row. */
export const describe = (id: string, summary: string, data: Schema, query: readonly QueryParameter[] = []): Operation => ({
  id,
  summary,
  tag: 'Administration',
  query,
  answers: answers(record({ data })),
});

/** Returns the properties of a value that the schema of an answer has. */
export const picked = (schema: Schema, value: object): Values =>
  mapValues(recordIn(schema, 'properties'), (_, name) => (value as Values)[name]); // any object, read by name

/** Returns the value of a parameter; undefined if it is absent. Throws a ValidationError if it is given several times. */
export function textParameter(request: RouteRequest, name: string): string | undefined {
  const value = parameterOf(request, name);
  if (value !== undefined && typeof value !== 'string') throw validationError(`${name} must be given once`);
  return value;
}

/** Returns the number in a parameter; undefined if it is absent. Throws a ValidationError for other values. */
export function numberParameter(request: RouteRequest, name: string, least: number, most: number): number | undefined {
  const value = textParameter(request, name);
  if (value === undefined) return undefined;
  const number = /^\d{1,16}$/.test(value) ? Number(value) : -1;
  if (number >= least && number <= most) return number;
  throw validationError(`${name} must be a number from ${String(least)} to ${String(most)}`);
}

const pageSizes = { usual: 25, most: 100 };
const mostPages = 10_000;

/** The parameters of a list with pages. */
export const pageParameters: readonly QueryParameter[] = [
  parameter('page', 'The number of the page, from 1', integer),
  parameter(
    'pageSize',
    `Most entries to answer; ${String(pageSizes.usual)} by default, at most ${String(pageSizes.most)}`,
    integer,
  ),
];

/** Returns which part of a list the parameters name. Throws a ValidationError for wrong ones. */
export function pageIn(request: RouteRequest): { readonly skip: number; readonly limit: number } {
  const limit = numberParameter(request, 'pageSize', 1, pageSizes.most) ?? pageSizes.usual;
  const page = numberParameter(request, 'page', 1, mostPages) ?? 1;
  return { skip: (page - 1) * limit, limit };
}

/** Returns a row of the admin API. `key` is its method and its path, such as `GET /models`. */
export const row = (
  key: `${AdminRoute['method']} /${string}`,
  operation: Operation,
  handle: AdminRoute['handle'],
  body?: AdminRoute['body'],
): AdminRoute => ({ ...at(key), operation, handle, ...(body !== undefined && { body }) });
