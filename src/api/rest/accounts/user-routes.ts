import { userType } from '#accounts/user-store.js';
import { updateUser } from '#accounts/users/change-user.js';
import { createUser, deleteMe, deleteUser, findWrittenUser } from '#accounts/users/users.js';
import { countEntries } from '#content/find-many.js';
import { findOne } from '#content/find-one.js';
import type { Precondition } from '#content/meet-precondition.js';
import { type LoadedEntry, versionOf } from '#store/form/loaded.js';
import { invalidParameter, unauthorizedError } from '#base/errors.js';
import { preconditionOf } from '#http/preconditions.js';
import { bodyOf, idOf } from '#http/route-request.js';
import { requireKey } from '#http/idempotency/read-key.js';
import { type Answer, type Route, type RouteCall, rowsOf } from '#http/route.js';
import { conditional } from '#http/steps/conditional.js';
import { keyed } from '#http/steps/keyed.js';
import { tagged } from '#http/steps/tagged.js';
import { accountsOf } from '#http/running.js';
import { comparing, emptyQuery, type Filter, type Query } from '#model/query/ast.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import { parseEntryQuery } from '#model/query/parse-query.js';
import { flatEntry } from '../envelope.js';
import { readParameters } from '#http/query-string.js';
import { plainList } from '../plain-list.js';
import { requiresIfMatch } from '../type-options.js';
import { withRole } from './auth-routes.js';
import { userOperations } from './operations.js';
import type { Values } from '#base/values.js';

const row = rowsOf('plugin::users-permissions.user', userOperations);

const steps = [tagged()];

/** The steps of requests that change a user. */
const changing = [conditional, keyed.whole];

/** The routes of users. Their answers have no envelope. */
export const userRoutes: readonly Route[] = [
  row('GET /users', 'find', (call) => plainList(userType(call.content), call), { steps }),
  row('POST /users', 'create', create, { steps: [...steps, keyed.whole] }),
  row('GET /users/me', 'me', findMe, { steps: [tagged({ isOwn: true })] }),
  row('DELETE /users/me', 'deleteMe', destroyMe, { steps: changing }),
  row('GET /users/count', 'count', countUsers, { steps }),
  row('GET /users/:id', 'findOne', findUser, { steps }),
  row('PUT /users/:id', 'update', update, { steps: [...steps, ...changing] }),
  row('DELETE /users/:id', 'destroy', destroy, { steps: changing }),
];

const limitsOf = ({ running }: RouteCall) => running.config.api.limits;

const inputOf = (call: RouteCall): Values => readParameters(call.request.query, limitsOf(call));

const queryOf = (call: RouteCall): Query => parseEntryQuery(inputOf(call), limitsOf(call));

/** Answers with the number of users whose attributes equal the parameters: `?blocked=true`. */
async function countUsers(call: RouteCall): Promise<Answer> {
  const { content } = call;
  const filters = Object.entries(inputOf(call)).map(([name, value]): Filter => {
    if (typeof value !== 'string') throw invalidParameter(name);
    return comparing(name, 'eq', value);
  });
  const total = await countEntries(userType(content), { ...emptyQuery, filter: { kind: 'and', filters } }, content);
  return { headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: String(total) };
}

async function findMe(call: RouteCall): Promise<Answer> {
  if (call.caller.kind !== 'user') throw unauthorizedError('Unauthorized');
  return userAnswer(await findWrittenUser(call.caller.user.id, queryOf(call), call.content), call);
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
  return { ...userAnswer(await findWrittenUser(id, withRole, call.content), call), status: 201 };
}

/** Returns what a write of a user demands, by its headers. Throws a 400 if users need an Idempotency-Key and there is none. */
function demandOf({ request, content }: RouteCall): Precondition {
  const type = userType(content);
  requireKey(type, request.headers);
  return preconditionOf(request.headers, { changes: true, isRequired: requiresIfMatch(type) });
}

async function update(call: RouteCall): Promise<Answer> {
  const id = idOf(call);
  checkQuery(call);
  await updateUser(accountsOf(call.running), { ...demandOf(call), id }, bodyOf(call.request), call);
  return userAnswer(await findWrittenUser(id, withRole, call.content), call);
}

async function destroy(call: RouteCall): Promise<Answer> {
  return userAnswer(await deleteUser({ ...demandOf(call), id: idOf(call) }, queryOf(call), call), call);
}

async function destroyMe(call: RouteCall): Promise<Answer> {
  return userAnswer(await deleteMe(queryOf(call), call, demandOf(call)), call);
}

/** Returns the answer with a user; 204 if there is none. */
const userAnswer = (user: LoadedEntry | null, { content }: RouteCall): Answer =>
  user === null ? { status: 204 } : { version: versionOf(user), body: flatEntry(user, content) };
