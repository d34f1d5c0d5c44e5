import { answers, parameter, type Describe, type Operation, type QueryParameter } from './operation.js';
import { flag, listOf, orNull, record, text, whole, type Schema } from './schema.js';

/** Describes an operation. The schema of its body is part of the row. */
const admin =
  (id: string, summary: string, data: Schema, query: readonly QueryParameter[] = []): Describe =>
  () =>
    ({ id, summary, tag: 'Administration', query, answers: answers(record({ data })) }) satisfies Operation;

const texts = listOf(text);
const open: Schema = { type: 'object' };

const model: Schema = {
  type: 'object',
  description: 'A schema.json with its uid and its problems',
  properties: { uid: text, attributes: open, problems: texts, warnings: texts, affects: texts },
  required: ['uid'],
};

const byUid: Schema = { type: 'object', additionalProperties: texts };
const preview = record({
  isValid: flag,
  problems: byUid,
  warnings: byUid,
  changes: listOf(open),
  indexes: listOf(open),
  data: listOf(open),
});

const role = record({ id: whole, name: text, type: text, actions: texts, rules: orNull(open) });
const user = record({ id: whole, username: text, email: text, role: orNull(whole), blocked: flag, confirmed: flag });
const locale = record({ id: whole, code: text, name: text, isDefault: flag });

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

const settings = record({ advanced: open, templates: open });
const dryRun = [parameter('dryRun', 'Only say what the change would do', flag)];

const route = record({ method: text, path: text, body: open }, ['method', 'path']);

/** Descriptions of the operations of the admin API, by row. */
export const adminOperations: Readonly<Record<string, Describe>> = {
  'GET /admin/api': admin('adminFindRoutes', 'List the routes of the admin API with the schemas of their bodies', listOf(route)),
  'GET /admin/api/models': admin('adminFindModels', 'List models', listOf(model)),
  'POST /admin/api/models/validate': admin('adminValidateModels', 'Check models and return the effects of storing them', preview),
  'GET /admin/api/models/:uid': admin('adminFindModel', 'Read a model', model),
  'PUT /admin/api/models/:uid': admin('adminWriteModel', 'Store a model', preview, dryRun),
  'DELETE /admin/api/models/:uid': admin('adminDeleteModel', 'Remove a model', preview, dryRun),
  'GET /admin/api/roles': admin('adminFindRoles', 'List roles with their actions', listOf(role)),
  'POST /admin/api/roles': admin('adminCreateRole', 'Create a role', role),
  'GET /admin/api/roles/:id': admin('adminFindRole', 'Read a role', role),
  'PUT /admin/api/roles/:id': admin('adminUpdateRole', 'Change a role', role),
  'DELETE /admin/api/roles/:id': admin('adminDeleteRole', 'Delete a role', role),
  'PUT /admin/api/roles/:id/rules': admin('adminWriteRules', 'Restrict a role to some entries and attributes', role),
  'DELETE /admin/api/roles/:id/rules': admin('adminDeleteRules', 'Remove the rules of a role', role),
  'GET /admin/api/permissions': admin('adminFindPermissions', 'List all actions that can be granted', texts),
  'GET /admin/api/users': admin('adminFindUsers', 'List users', listOf(user), [
    parameter('after', 'The id of the last user of the page before', whole),
    parameter('limit', 'Most users to answer, up to 1000', whole),
  ]),
  'POST /admin/api/users': admin('adminCreateUser', 'Create a user', user),
  'GET /admin/api/users/:id': admin('adminFindUser', 'Read a user', user),
  'PUT /admin/api/users/:id': admin('adminUpdateUser', 'Change a user', user),
  'DELETE /admin/api/users/:id': admin('adminDeleteUser', 'Delete a user', user),
  'GET /admin/api/tokens': admin('adminFindTokens', 'List API tokens', listOf(record(token))),
  'POST /admin/api/tokens': admin('adminCreateToken', 'Make an API token', record({ ...token, accessKey: text })),
  'DELETE /admin/api/tokens/:id': admin('adminDeleteToken', 'Revoke an API token', record(token)),
  'GET /admin/api/locales': admin('adminFindLocales', 'List locales', listOf(locale)),
  'POST /admin/api/locales': admin('adminCreateLocale', 'Add a locale', listOf(locale)),
  'PUT /admin/api/locales/:code': admin('adminUpdateLocale', 'Change a locale', listOf(locale)),
  'DELETE /admin/api/locales/:code': admin('adminDeleteLocale', 'Remove a locale with its entries', listOf(locale)),
  'GET /admin/api/settings': admin('adminFindSettings', 'Read the settings of users and permissions', settings),
  'PUT /admin/api/settings': admin('adminUpdateSettings', 'Change the settings of users and permissions', settings),
  'GET /admin/api/status': admin('adminFindStatus', 'Read the state of the service', open),
  'GET /admin/api/audit': admin('adminFindChanges', 'List the last changes that administrators have made', listOf(open), [
    parameter('limit', 'Most changes to answer', whole),
  ]),
};
