import { memoize } from '#base/caches.js';
import { collections } from '#model/schema/collections.js';
import { knownUser, type KnownUser } from '#content/rights/caller.js';
import { findStoredUser, userType } from '#accounts/user-store.js';
import { updateUser } from '#accounts/users/change-user.js';
import { createUser, deleteUser } from '#accounts/users/users.js';
import { notFoundError } from '#base/errors.js';
import { anything, listOf, record, type Schema, integer } from '#http/json-schema.js';
import { parameter } from '#http/operation.js';
import { idOf } from '#http/route-request.js';
import { accountsOf } from '#http/running.js';
import { is } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import { emptyQuery } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { describe, numberParameter, picked, row, schemas } from './admin-row.js';

/** The routes of users. They accept the same bodies as `/api/users`. */
export const userAdminRoutes: readonly AdminRoute[] = [
  row(
    'GET /users',
    describe('adminFindUsers', 'List users', listOf(schemas.user), [
      parameter('after', 'The id of the last user of the page before', integer),
      parameter('limit', 'Most users to answer, up to 1000', integer),
    ]),
    list,
  ),
  row('POST /users', describe('adminCreateUser', 'Create a user', schemas.user), create, userBody),
  row('GET /users/:id', describe('adminFindUser', 'Read a user', schemas.user), (call) => findUser(idOf(call), call)),
  row('PUT /users/:id', describe('adminUpdateUser', 'Change a user', schemas.user), update, userBody),
  row('DELETE /users/:id', describe('adminDeleteUser', 'Delete a user', schemas.user), remove),
];

/**
 * Returns the schema of a body, which may have all writable attributes. Their values are checked by the operations. Cached by the
 * type, so that Ajv compiles it once.
 */
function userBody({ content }: Pick<AdminCall, 'content'>): Schema {
  return bodyOfType(userType(content));
}

const bodyOfType = memoize((type: ContentType): Schema => {
  const names = [...type.attributes.values()].filter(({ writable }) => writable).map(({ name }) => name);
  return record(Object.fromEntries(names.map((name) => [name, anything])), []);
});

const shown = (user: KnownUser) => picked(schemas.user, user);

/** Lists users by id, up to 1,000 at a time: `?after=ID&limit=N`. */
async function list({ request, content }: AdminCall): Promise<unknown> {
  const limit = numberParameter(request, 'limit', 1, 1000) ?? 100;
  const filter = { _id: is.above(numberParameter(request, 'after', 0, Number.MAX_SAFE_INTEGER) ?? 0) };
  const rows = await findStored(content.store.database, collections.users, { match: filter, sort: { _id: 1 }, limit });
  return rows.map((row) => shown(knownUser(row)));
}

async function findUser(id: number, { content }: AdminCall): Promise<unknown> {
  const user = await findStoredUser(content, { _id: id });
  if (user === null) throw notFoundError('User not found');
  return shown(user);
}

async function create(call: AdminCall): Promise<unknown> {
  const id = await call.commit((content) => createUser(accountsOf(call.running), call.body, { ...call, content }));
  return findUser(id, call);
}

async function update(call: AdminCall): Promise<unknown> {
  await call.commit((content) => updateUser(accountsOf(call.running), { id: idOf(call) }, call.body, { ...call, content }));
  return findUser(idOf(call), call);
}

async function remove(call: AdminCall): Promise<unknown> {
  const user = await findUser(idOf(call), call);
  await call.commit((content) => deleteUser({ id: idOf(call) }, emptyQuery, { ...call, content }));
  return user;
}
