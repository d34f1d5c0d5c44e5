import { withDatabase, type ContentContext } from '#content/content-context.js';
import { findStored } from '#store/stored.js';
import { localeStore } from '#store/stores/locale-store.js';
import type { Database } from '#store/send/database.js';
import type { Store } from '#store/store.js';
import { inTransaction } from '#store/send/transaction.js';
import { entryStore } from '#store/write/write-entries.js';
import { collections } from '#model/schema/collections.js';
import type { Registry } from '#model/schema/content-type.js';
import type { PanelRecord } from '../panel-records.js';
import { readAdminRoles, superAdminCode } from '#admin/administrators/administrator.js';
import { newDocument } from '#admin/administrators/write-administrator.js';
import { createDefaultAdminRoles } from '#admin/rights/default-roles.js';
import { readPermissions } from '#admin/rights/permission.js';
import { setPermissions } from '#admin/rights/write-permissions.js';
import {
  type ComingAdministration,
  type ComingAdministrator,
  comingAdministrators,
  type ComingRole,
  judgeAdministration,
  type StoredAdministration,
} from './administration.js';

/** The target of administrators, roles and permissions. */
export interface AdministrationTarget {
  readonly content: ContentContext;
  /** The types in force after the import. */
  readonly registry: Registry;
  /** Reports what is not taken. */
  readonly report: (reason: string, where: string) => void;
  /** Told the address of each new administrator with all rights. */
  readonly tellSuper: (email: string) => void;
}

/** Numbers of what was taken, by uid. */
type TakenIds = ReadonlyMap<string, number>;

const readAll = (database: Database) => findStored(database, collections.administrators);

async function readStored(database: Database): Promise<StoredAdministration> {
  const [administrators, roles, permissions] = await Promise.all([
    readAll(database),
    readAdminRoles(database),
    readPermissions(database),
  ]);
  return { administrators, roles, permissions };
}

/**
 * Returns the ids that the administrators of a source have here, by their ids in the source: that of the one with their e-mail
 * address, otherwise a new id. Those who are not taken are left out.
 */
export async function identifyAdministrators(
  records: readonly PanelRecord[],
  { store }: Pick<ContentContext, 'store'>,
): Promise<ReadonlyMap<number, number>> {
  const users = records.filter(({ type }) => type === 'admin::user');
  const coming = comingAdministrators(users, { administrators: await readAll(store.database) }, () => undefined);
  const added = coming.filter(({ stored }) => stored === null);
  const ids = added.length === 0 ? [] : await store.ids.next(collections.administrators, added.length, store.database);
  return new Map([
    ...coming.flatMap(({ source, stored }) => (stored === null ? [] : [[source, Number(stored['_id'])] as const])),
    ...added.map(({ source }, index) => [source, ids[index] ?? 0] as const),
  ]);
}

/** Reports what `takeAdministration` would not take, without storing anything. */
export async function previewAdministration(records: readonly PanelRecord[], target: AdministrationTarget): Promise<void> {
  const coming = judgeAdministration(records, await readStored(target.content.store.database), target);
  for (const email of newSupers(coming)) target.tellSuper(email);
  reportStored(coming, target);
}

/**
 * Stores the administrators, roles and permissions of a source, all in one transaction. `ids` are those of `identifyAdministrators`.
 * May run again: what is stored already stays.
 */
export async function takeAdministration(
  records: readonly PanelRecord[],
  ids: ReadonlyMap<number, number>,
  target: AdministrationTarget,
): Promise<TakenIds> {
  const { content, registry } = target;
  const { store, bind } = content;
  if (ids.size > 0 || records.some(({ type }) => type === 'admin::role')) {
    const { codes: locales } = await localeStore.read(store.database);
    await createDefaultAdminRoles({ store, bind: { ...bind, registry, locales } });
  }
  const coming = judgeAdministration(records, await readStored(store.database), target);
  for (const email of newSupers(coming)) target.tellSuper(email);
  await inTransaction(store.database, (database) => storeAll(coming, ids, withDatabase(content, database).store));
  reportStored(coming, target);
  const here = coming.administrators.filter((one) => one.stored === null || isSamePerson(one));
  return new Map([
    ['admin::user', here.length],
    ['admin::role', coming.roles.length],
  ]);
}

/** Returns whether an administrator with the same e-mail address and password is stored. */
const isSamePerson = ({ stored, values }: ComingAdministrator): boolean => stored?.['password'] === values['password'];

function reportStored({ administrators }: ComingAdministration, { report }: AdministrationTarget): void {
  for (const one of administrators)
    if (one.stored !== null && !isSamePerson(one))
      report('an administrator is not imported: there is one with this e-mail address, who stays as they are', one.email);
}

function newSupers({ administrators, roles }: ComingAdministration): readonly string[] {
  const ids = new Set(roles.filter(({ values }) => values.code === superAdminCode).map(({ source }) => source));
  return administrators.flatMap(({ stored, email, roles: own }) =>
    stored === null && own.some((id) => ids.has(id)) ? [email] : [],
  );
}

async function storeAll(
  { roles, administrators }: ComingAdministration,
  ids: ReadonlyMap<number, number>,
  store: Store,
): Promise<void> {
  const roleIds = new Map<number, number>();
  for (const role of roles) roleIds.set(role.source, await storeRole(role, store));
  for (const { source, stored, values, roles: own } of administrators) {
    const id = ids.get(source);
    if (stored !== null || id === undefined) continue;
    const held = own.flatMap((role) => roleIds.get(role) ?? []);
    await entryStore.insert(store, collections.administrators, newDocument(id, { ...values, roles: [...new Set(held)] }));
  }
}

/** Stores a role with its permissions. Returns its id. */
async function storeRole({ stored, values, permissions }: ComingRole, store: Store): Promise<number> {
  const now = new Date();
  const [next = 0] = stored === null ? await store.ids.next(collections.adminRoles, 1, { ...store.database, session: null }) : [];
  const id = stored?.id ?? next;
  const set = { ...values, updatedAt: now };
  if (stored === null) await entryStore.insert(store, collections.adminRoles, { _id: id, ...set, createdAt: now });
  else if (permissions !== null) await entryStore.update(store, collections.adminRoles, { match: { _id: id }, change: { set } });
  if (permissions !== null) await setPermissions(id, permissions, store);
  return id;
}
