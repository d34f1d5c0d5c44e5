import { flag, listOf, orNull, record, text, whole, type Schema } from '../http/json-schema.js';
import { answers, type Operation, type QueryParameter } from '../http/operation.js';
import { at } from '../http/route.js';
import type { AdminRoute } from './admin-call.js';

const texts = listOf(text);
const open: Schema = { type: 'object' };
const byUid: Schema = { type: 'object', additionalProperties: texts };

const token = {
  id: whole,
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
  role: record({ id: whole, name: text, type: text, actions: texts, rules: orNull(open) }),
  user: record({ id: whole, username: text, email: text, role: orNull(whole), blocked: flag, confirmed: flag }),
  locale: record({ id: whole, code: text, name: text, isDefault: flag }),
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

/** Returns a row of the admin API. `key` is its method and its path, such as `GET /models`. */
export const row = (
  key: `${AdminRoute['method']} /${string}`,
  operation: Operation,
  handle: AdminRoute['handle'],
  body?: AdminRoute['body'],
): AdminRoute => ({ ...at(key), operation, handle, ...(body !== undefined && { body }) });
