import { userType } from '../../accounts/user-store.js';
import { updateUser } from '../../accounts/change-user.js';
import { createUser, deleteUser, findWritten } from '../../accounts/users.js';
import { findMany } from '../../content/find-many.js';
import { findOne } from '../../content/find-one.js';
import type { Loaded } from '../../mongo/loaded.js';
import { invalidParameter, unauthorizedError } from '../../errors.js';
import { accountsOf } from '../../http/running.js';
import { emptyQuery, type Filter, type Pagination, type PopulateField, type Query } from '../../query/ast.js';
import { parseWhole } from '../../query/parse-pagination.js';
import { parseEntryQuery, parseQuery } from '../../query/parse-query.js';
import { bodyOf } from '../body-of.js';
import { flatEntry } from '../envelope.js';
import { parseQueryString } from '../parse-query-string.js';
import type { PluginRoute, RouteCall } from '../plugin-routes.js';

const action = (name: string): string => `plugin::users-permissions.user.${name}`;

/** Lists of users have no default limit, as in the reference; beyond this many they must be asked for in pieces. */
const mostUsers = 10_000;

/** Users, in bare arrays and objects (rest.md 11.4). */
export const userRoutes: readonly PluginRoute[] = [
  { method: 'GET', path: '/users', demand: action('find'), handle: listUsers },
  { method: 'POST', path: '/users', demand: action('create'), handle: create },
  { method: 'GET', path: '/users/me', demand: action('me'), handle: findMe },
  { method: 'GET', path: '/users/count', demand: action('count'), handle: countUsers },
  { method: 'GET', path: '/users/:id', demand: action('findOne'), handle: findUser },
  { method: 'PUT', path: '/users/:id', demand: action('update'), handle: update },
  { method: 'DELETE', path: '/users/:id', demand: action('destroy'), handle: destroy },
];

type Input = Readonly<Record<string, unknown>>;

const limitsOf = ({ running }: RouteCall) => running.config.api.limits;

const inputOf = (call: RouteCall): Input => parseQueryString(call.ctx.querystring, limitsOf(call));

const pages: ReadonlySet<string> = new Set(['pagination', 'start', 'limit']);

/** The query of a list; its pages are those of the top level. */
function listQueryOf(call: RouteCall, input: Input): Query {
  const rest = Object.entries(input).filter(([name]) => !pages.has(name));
  return parseQuery(Object.fromEntries(rest), limitsOf(call));
}

const queryOf = (call: RouteCall): Query => parseEntryQuery(inputOf(call), limitsOf(call));

async function listUsers(call: RouteCall): Promise<void> {
  const input = inputOf(call);
  const limit = parseWhole('limit', input) ?? mostUsers;
  const pagination: Pagination = { kind: 'offset', start: parseWhole('start', input) ?? 0, limit, withCount: false };
  const { bind } = call.content;
  const content = { ...call.content, bind: { ...bind, settings: { ...bind.settings, maxLimit: mostUsers } } };
  const asked = listQueryOf(call, input);
  const query = { ...asked, publicationState: asked.publicationState ?? 'preview', pagination, withTotal: false };
  const { entries } = await findMany(userType(content), query, content);
  call.ctx.body = entries.map(flatEntry);
}

/** Parameters are attributes and the values that they must have: `?blocked=true`. */
async function countUsers(call: RouteCall): Promise<void> {
  const { ctx, content } = call;
  const input = inputOf(call);
  const filters = Object.entries(input).map(([name, value]): Filter => {
    if (typeof value !== 'string') throw invalidParameter(name);
    return { kind: 'field', name, filter: { kind: 'test', operator: 'eq', value } };
  });
  const none: Pagination = { kind: 'offset', start: 0, limit: 1, withCount: true };
  const query: Query = { ...emptyQuery, filter: { kind: 'and', filters }, pagination: none, fields: ['id'] };
  ctx.type = 'json';
  ctx.body = String((await findMany(userType(content), query, content)).total ?? 0);
}

async function findMe(call: RouteCall): Promise<void> {
  if (call.caller.kind !== 'user') throw unauthorizedError('Unauthorized');
  send(call, await findWritten(call.caller.user.id, queryOf(call), call.content));
}

async function findUser(call: RouteCall): Promise<void> {
  const query = queryOf(call);
  send(call, await findOne(userType(call.content), idOf(call), query, call.content));
}

async function create(call: RouteCall): Promise<void> {
  const id = await createUser(accountsOf(call.running), bodyOf(call.ctx), call);
  send(call, await findWritten(id, withRole, call.content));
  call.ctx.status = 201;
}

async function update(call: RouteCall): Promise<void> {
  const id = idOf(call);
  await updateUser(accountsOf(call.running), id, bodyOf(call.ctx), call);
  send(call, await findWritten(id, withRole, call.content));
}

async function destroy(call: RouteCall): Promise<void> {
  send(call, await deleteUser(idOf(call), queryOf(call), call));
}

const roleField: PopulateField = { name: 'role', key: 'role', query: emptyQuery, countOnly: false, reversed: false, on: null };
const withRole: Query = { ...emptyQuery, populate: { all: false, fields: [roleField] } };

/** A missing user is answered by 204. */
function send({ ctx }: RouteCall, user: Loaded | null): void {
  if (user === null) ctx.status = 204;
  else ctx.body = flatEntry(user);
}

export const idOf = ({ params }: RouteCall): number => (/^\d{1,15}$/.test(params['id'] ?? '') ? Number(params['id']) : 0);
