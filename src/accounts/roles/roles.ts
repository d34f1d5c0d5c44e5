import { collections } from '#model/schema/collections.js';
import { changeMany } from '#store/write/compile-change.js';
import { matchesAll } from '#store/form/matches.js';
import type { Document } from '#store/send/database.js';
import { countBy, findFirst, findStored } from '#store/stored.js';
import { findMany } from '#content/find-many.js';
import { findOne } from '#content/find-one.js';
import { withDatabase, type ContentContext } from '#content/content-context.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { refuseOrLog, type Undone, unreadNames } from '#content/refuse-or-log.js';
import { orUniqueError } from '#content/run-write.js';
import { uniqueErrors } from '#content/unique-errors.js';
import { createMayBreakRule, refuseBroken, ruleFilter, updateMayBreakRule } from '#content/rules-on-writes.js';
import { applicationError, fieldErrors, notFoundError, validationError } from '#base/errors.js';
import { inTransaction } from '#store/send/transaction.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { entryStore } from '#store/write/write-entries.js';
import { emptyQuery } from '#model/query/ast.js';
import type { Body } from '../accounts.js';
import { enabledActions, namedActions } from './permission-tree.js';
import { grantActions, setActions, storedActions } from './grant-actions.js';
import { readAccountSettings } from '#content/rights/account-settings.js';
import { grantsVersion } from '#content/rights/known-actions.js';
import { roleType } from '../user-store.js';

const collection = collections.roles;

/** Returns all roles as the caller sees them, and the number of users by role id. */
export async function listRoles(
  content: ContentContext,
): Promise<{ readonly roles: readonly LoadedEntry[]; readonly users: ReadonlyMap<unknown, number> }> {
  const query = { ...emptyQuery, sort: [{ path: ['id'], order: 'asc' }], withTotal: false };
  const all = { kind: 'offset', start: 0, limit: -1, withCount: false } as const;
  const bind = { ...content.bind, settings: { ...content.bind.settings, maxLimit: null } };
  const [{ entries }, users] = await Promise.all([
    findMany(roleType(content), { ...query, pagination: all }, { ...content, bind }),
    countBy(collections.users, 'role', content.store.database),
  ]);
  return { roles: entries, users };
}

/** Returns a role. Throws a NotFoundError if there is none. */
export async function findRole(id: number, content: ContentContext): Promise<LoadedEntry> {
  const role = await findOne(roleType(content), id, emptyQuery, content);
  if (role === null) throw notFoundError('Role not found');
  return role;
}

/**
 * Creates a role with the actions that its body enables, and returns the id. The default type is derived from the name. Throws a
 * ValidationError if the body is invalid.
 */
export async function createRole(body: Body, content: ContentContext): Promise<number> {
  if (Object.keys(body).length === 0) throw emptyBody();
  refuseOrLog(unreadOf(body), content);
  const { store } = content;
  const [id = 0] = await store.ids.next(collection, 1, store.database);
  const now = new Date();
  const [name, description, type] = [textOf(body, 'name'), textOf(body, 'description'), textOf(body, 'type')];
  const own = { name, description, type: type ?? (await typeFrom(name)), createdAt: now, updatedAt: now };
  const document = { _id: id, ...own, _grants: grantsVersion };
  const write = { type: roleType(content), data: document, id: null };
  await orUniqueError(write, content, () =>
    change(content, async (context) => {
      const duplicateErrors = await uniqueErrors(write, content); // a database that no service has opened yet has no index
      if (duplicateErrors.length > 0) throw fieldErrors(duplicateErrors);
      await entryStore.insert(context.store, collection, document);
      if (createMayBreakRule(roleType(content), document, content.bind.access))
        await refuseBroken({ type: roleType(content), id, before: null }, context);
      await grantActions(id, enabledActions(body['permissions']), context.store);
    }),
  );
  return id;
}

const read = { what: 'the body of a role', names: ['name', 'description', 'type', 'permissions'] } as const;

/** What clients send back with a role, which is not read. */
const sentBack: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt', 'nb_users']);

const unreadOf = (body: Body): readonly Undone[] =>
  unreadNames(
    Object.keys(body).filter((name) => !sentBack.has(name)),
    read,
  );

const fixedType: Undone = {
  path: ['type'],
  message: 'type of a role is not changed by an update',
  remedy: 'remove it from the body',
};

export const emptyBody = (): Error => validationError('Request body cannot be empty');

/** Returns the role type that Strapi v4 derives from a name: `Édi Tor` becomes `edi_tor`. */
async function typeFrom(name: string | null): Promise<string | null> {
  const { default: slugify } = await import('@sindresorhus/slugify');
  return slugify(name ?? '', { separator: '_' }).replaceAll('-', '_') || null;
}

function textOf(body: Body, name: string): string | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && !value.includes('\0')) return value;
  throw validationError(`${name} must be a text`);
}

/**
 * Updates name, description and actions of a role, if the body has them. The role keeps the actions of `unlisted` that it has and the
 * body does not name. Throws a NotFoundError if there is no such role.
 */
export async function updateRole(
  id: number,
  body: Body,
  content: ContentContext,
  unlisted: readonly string[] = [],
): Promise<void> {
  refuseOrLog(unreadOf(body), content);
  const names = ['name', 'description'].filter((name) => body[name] !== undefined);
  const values = Object.fromEntries(names.map((name) => [name, textOf(body, name)]));
  const match = await matchRole(id, content);
  const type = roleType(content);
  await change(content, async (context) => {
    const [before] = await findStored(context.store.database, collection, { match, limit: 1 });
    if (before === undefined) throw notFoundError('Role not found');
    if (body['type'] !== undefined && body['type'] !== before['type']) refuseOrLog([fixedType], content);
    await entryStore.update(context.store, collection, {
      match: { _id: id },
      change: { set: { ...values, updatedAt: new Date() } },
    });
    if (updateMayBreakRule(type, names, context)) await refuseBroken({ type, id, before }, context);
    if (body['permissions'] === undefined) return;
    const named = new Set(namedActions(body['permissions']));
    const unlistedActions = (await storedActions(id, context.store)).filter(
      (action) => unlisted.includes(action) && !named.has(action),
    );
    await setActions(id, [...enabledActions(body['permissions']), ...unlistedActions], context.store);
  });
}

/**
 * Deletes a role and gives its users the public role. Throws a NotFoundError, or an ApplicationError for the public role and for the one
 * that new users get, which would have none then.
 */
export async function deleteRole(id: number, content: ContentContext): Promise<void> {
  const { store } = content;
  const [role] = await findStored(store.database, collection, { match: await matchRole(id, content), limit: 1 });
  if (role === undefined) throw notFoundError('Role not found');
  if (role['type'] === 'public') throw applicationError('Cannot delete public role');
  const { advanced } = await readAccountSettings(store.database);
  if (role['type'] === advanced.default_role) throw applicationError('Cannot delete the default role of new users');
  await change(content, (context) => deleteWithin(id, context));
}

const change = (content: ContentContext, work: (context: ContentContext) => Promise<void>): Promise<void> =>
  inTransaction(content.store.database, (inner) => work(withDatabase(content, inner)));

/** Returns a filter that matches the role of an id, unless a row rule hides it from the caller. */
const matchRole = async (id: number, content: ContentContext): Promise<Document> =>
  matchesAll({ _id: id }, await ruleFilter(roleType(content), content));

async function deleteWithin(id: number, { store }: ContentContext): Promise<void> {
  await bulkWrite(store, collections.permissions, [{ deleteMany: { filter: { role: id } } }]);
  const successor = await findFirst(store.database, collection, { type: 'public' });
  const moved = { set: { role: successor?.['_id'] ?? null, updatedAt: new Date() } };
  await bulkWrite(store, collections.users, [changeMany({ role: id }, moved)]);
  await entryStore.remove(store, collection, { _id: id });
}
