import { knownUser, type KnownUser } from '../access/known-user.js';
import { findStoredUser, userType } from '../accounts/user-store.js';
import { changeUser } from '../accounts/change-user.js';
import { createUser, deleteUser } from '../accounts/users.js';
import type { AccountCall, Accounts } from '../accounts/accounts.js';
import type { ContentContext } from '../content/content-context.js';
import { notFoundError } from '../errors.js';
import { readAll } from '../mongo/database.js';
import { fullAccess } from '../query/access.js';
import { emptyQuery } from '../query/ast.js';
import { idOf, type AdminCall, type AdminRoute, type AdminServices } from './admin-call.js';
import { anything, closed, type BodySchema } from './check-admin-body.js';

/** Users; what may be sent is what `/api/users` takes. */
export const userAdminRoutes: readonly AdminRoute[] = [
  { method: 'GET', path: '/users', handle: list },
  { method: 'POST', path: '/users', body: userBody, handle: create },
  { method: 'GET', path: '/users/:id', handle: (call) => findUser(idOf(call), call) },
  { method: 'PUT', path: '/users/:id', body: userBody, handle: update },
  { method: 'DELETE', path: '/users/:id', handle: remove },
];

/** Every attribute that a request may write. The values are checked by the operations. */
function userBody({ content }: AdminServices): BodySchema {
  const names = [...userType(content).attributes.values()].filter(({ writable }) => writable).map(({ name }) => name);
  return closed(Object.fromEntries(names.map((name) => [name, anything])));
}

type ShownUser = Omit<KnownUser, 'tokenVersion'>;

function shown({ id, username, email, role, blocked, confirmed }: KnownUser): ShownUser {
  return { id, username, email, role, blocked, confirmed };
}

/** In pages of up to 1,000 by id: `?after=ID&limit=N`. */
async function list({ backend, ctx }: AdminCall): Promise<ShownUser[]> {
  const figure = (name: string, otherwise: number): number => {
    const text = ctx.query[name];
    return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : otherwise;
  };
  const limit = Math.min(Math.max(figure('limit', 100), 1), 1000);
  const filter = { _id: { $gt: figure('after', 0) } };
  const rows = await readAll(backend.store.database, { find: 'up_users', filter, sort: { _id: 1 }, limit, batchSize: limit });
  return rows.map((row) => shown(knownUser(row)));
}

async function findUser(id: number, { content }: AdminCall): Promise<ShownUser> {
  const user = await findStoredUser(content, { _id: id });
  if (user === null) throw notFoundError('User not found');
  return shown(user);
}

async function create(call: AdminCall): Promise<ShownUser> {
  const id = await call.commit((content) => createUser(accountsOf(call), call.body, accountCall(content)));
  return findUser(id, call);
}

async function update(call: AdminCall): Promise<ShownUser> {
  const finish = await call.commit((content) => changeUser(accountsOf(call), idOf(call), call.body, accountCall(content)));
  await finish();
  return findUser(idOf(call), call);
}

async function remove(call: AdminCall): Promise<ShownUser> {
  const user = await findUser(idOf(call), call);
  await call.commit((content) => deleteUser(user.id, emptyQuery, accountCall(content)));
  return user;
}

function accountsOf({ accounts }: AdminCall): Accounts {
  if (accounts === null) throw notFoundError('Users and permissions are switched off');
  return accounts;
}

const accountCall = (content: ContentContext): AccountCall => ({
  caller: { kind: 'public', access: fullAccess, isShut: false },
  content,
});
