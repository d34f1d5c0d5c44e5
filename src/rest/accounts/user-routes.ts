import { userType } from '../../accounts/user-store.js';
import { updateUser } from '../../accounts/users/change-user.js';
import { createUser, deleteMe, deleteUser, findWritten } from '../../accounts/users/users.js';
import { countEntries, findMany } from '../../content/find-many.js';
import { findOne } from '../../content/find-one.js';
import type { Precondition } from '../../content/meet-precondition.js';
import { type Loaded, versionOf } from '../../mongo/form/loaded.js';
import { invalidParameter, unauthorizedError } from '../../errors.js';
import { preconditionOf } from '../../http/preconditions.js';
import { bodyOf, idOf } from '../../http/route-request.js';
import { requireKey } from '../../http/idempotency/read-key.js';
import type { Answer, Route, RouteCall } from '../../http/route.js';
import { accountsOf } from '../../http/running.js';
import type { ActionName } from '../../query/access.js';
import { emptyQuery, type Filter, type Pagination, type PopulateField, type Query } from '../../query/ast.js';
import { bindEntrySelection } from '../../query/bind-plan.js';
import { parseWhole, refuseMixedPagination } from '../../query/parse-list.js';
import { parseEntryQuery, parseQuery } from '../../query/parse-query.js';
import { flatEntries, flatEntry } from '../envelope.js';
import { readParameters } from '../../http/query-string.js';
import { userOperations } from './operations.js';
import type { Values } from '../../values.js';

const action = (name: string): ActionName => `plugin::users-permissions.user.${name}`;

/**
 * Maximum number of users in a list, also if the request has no limit. In Strapi v4 such a list is unlimited, and 0 means no
 * limit.
 */
const mostUsers = 10_000;

const keys = 'whole';

/** The routes of users. Their answers have no envelope. */
export const userRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/users',
    isTagged: true,
    action: action('find'),
    operation: userOperations.findMany,
    handle: listUsers,
  },
  {
    method: 'POST',
    path: '/users',
    isTagged: true,
    keys,
    action: action('create'),
    operation: userOperations.create,
    handle: create,
  },
  { method: 'GET', path: '/users/me', isTagged: true, action: action('me'), operation: userOperations.findMe, handle: findMe },
  {
    method: 'DELETE',
    path: '/users/me',
    readsPreconditions: true,
    action: action('deleteMe'),
    operation: userOperations.deleteMe,
    keys,
    handle: destroyMe,
  },
  {
    method: 'GET',
    path: '/users/count',
    isTagged: true,
    action: action('count'),
    operation: userOperations.count,
    handle: countUsers,
  },
  {
    method: 'GET',
    path: '/users/:id',
    isTagged: true,
    action: action('findOne'),
    operation: userOperations.findOne,
    handle: findUser,
  },
  {
    method: 'PUT',
    path: '/users/:id',
    isTagged: true,
    readsPreconditions: true,
    action: action('update'),
    operation: userOperations.update,
    keys,
    handle: update,
  },
  {
    method: 'DELETE',
    path: '/users/:id',
    readsPreconditions: true,
    action: action('destroy'),
    operation: userOperations.remove,
    keys,
    handle: destroy,
  },
];

const limitsOf = ({ running }: RouteCall) => running.config.api.limits;

const inputOf = (call: RouteCall): Values => readParameters(call.request.query, limitsOf(call));

const pages: ReadonlySet<string> = new Set(['pagination', 'start', 'limit', 'page', 'pageSize']);

/**
 * Returns the query of a list without pagination. `start` and `limit` are top-level parameters, and other pagination parameters
 * have no effect, as in Strapi v4.
 */
function listQueryOf(call: RouteCall, input: Values): Query {
  refuseMixedPagination(input);
  const rest = Object.entries(input).filter(([name]) => !pages.has(name));
  return parseQuery(Object.fromEntries(rest), limitsOf(call));
}

const queryOf = (call: RouteCall): Query => parseEntryQuery(inputOf(call), limitsOf(call));

async function listUsers(call: RouteCall): Promise<Answer> {
  const input = inputOf(call);
  const limit = parseWhole('limit', input) || mostUsers;
  const pagination: Pagination = { kind: 'offset', start: parseWhole('start', input) ?? 0, limit, withCount: false };
  const { bind } = call.content;
  const content = { ...call.content, bind: { ...bind, settings: { ...bind.settings, maxLimit: mostUsers } } };
  const asked = listQueryOf(call, input);
  const query = { ...asked, publicationState: asked.publicationState ?? 'preview', pagination, withTotal: false };
  const { entries } = await findMany(userType(content), query, content);
  return { body: flatEntries(entries, content) };
}

/** Answers with the number of users whose attributes equal the parameters: `?blocked=true`. */
async function countUsers(call: RouteCall): Promise<Answer> {
  const { content } = call;
  const filters = Object.entries(inputOf(call)).map(([name, value]): Filter => {
    if (typeof value !== 'string') throw invalidParameter(name);
    return { kind: 'field', name, filter: { kind: 'comparison', operator: 'eq', value } };
  });
  const total = await countEntries(userType(content), { ...emptyQuery, filter: { kind: 'and', filters } }, content);
  return { headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: String(total) };
}

async function findMe(call: RouteCall): Promise<Answer> {
  if (call.caller.kind !== 'user') throw unauthorizedError('Unauthorized');
  return userAnswer(await findWritten(call.caller.user.id, queryOf(call), call.content), call);
}

async function findUser(call: RouteCall): Promise<Answer> {
  const query = queryOf(call);
  return userAnswer(await findOne(userType(call.content), idOf(call), query, call.content), call);
}

/** Throws a ValidationError for a query string that other requests for a user refuse, although it has no effect here. */
const checkQuery = (call: RouteCall): void => void bindEntrySelection(queryOf(call), userType(call.content), call.content.bind);

async function create(call: RouteCall): Promise<Answer> {
  requireKey(userType(call.content), call.request.headers);
  checkQuery(call);
  const id = await createUser(accountsOf(call.running), bodyOf(call.request), call);
  return { ...userAnswer(await findWritten(id, withRole, call.content), call), status: 201 };
}

/** Returns what a write of a user demands, by its headers. Throws a 400 if users need an Idempotency-Key and there is none. */
function demandOf({ request, content }: RouteCall): Precondition {
  const type = userType(content);
  requireKey(type, request.headers);
  return preconditionOf(request.headers, { changes: true, isRequired: type.requiresIfMatch });
}

async function update(call: RouteCall): Promise<Answer> {
  const id = idOf(call);
  checkQuery(call);
  await updateUser(accountsOf(call.running), { ...demandOf(call), id }, bodyOf(call.request), call);
  return userAnswer(await findWritten(id, withRole, call.content), call);
}

async function destroy(call: RouteCall): Promise<Answer> {
  return userAnswer(await deleteUser({ ...demandOf(call), id: idOf(call) }, queryOf(call), call), call);
}

async function destroyMe(call: RouteCall): Promise<Answer> {
  return userAnswer(await deleteMe(queryOf(call), call, demandOf(call)), call);
}

const roleField: PopulateField = { name: 'role', key: 'role', query: emptyQuery, countOnly: false, reversed: false, on: null };
const withRole: Query = { ...emptyQuery, populate: { all: false, fields: [roleField] } };

/** Returns the answer with a user; 204 if there is none. */
const userAnswer = (user: Loaded | null, { content }: RouteCall): Answer =>
  user === null ? { status: 204 } : { version: versionOf(user), body: flatEntry(user, content) };
