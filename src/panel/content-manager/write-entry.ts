import { createUser, deleteUser } from '../../accounts/users/users.js';
import { updateUser } from '../../accounts/users/change-user.js';
import { userUid } from '../../accounts/user-store.js';
import type { ContentContext, EntryKey } from '../../content/content-context.js';
import { create } from '../../content/create.js';
import { findOne } from '../../content/find-one.js';
import { remove } from '../../content/remove.js';
import { update } from '../../content/update.js';
import { ForbiddenError, notFoundError } from '../../errors.js';
import { accountsOf } from '../../http/running.js';
import type { ContentType } from '../../schema/content-type.js';
import type { Values } from '../../values.js';
import type { PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { contentFor, type EntryAction } from '../rights/content-access.js';
import { permissionsFor } from '../rights/rights.js';
import { permittedBody } from './permitted-body.js';
import { contextOfEntry, idQuery, showEntry } from './read-routes.js';

/** What is done, and by whom. */
interface Doing {
  readonly call: PanelCall;
  readonly action: EntryAction;
}

/**
 * Returns the call with the permissions that hold for an entry: of two that name different fields under different conditions,
 * only those count whose conditions it meets. Throws the errors of `contextOfEntry`.
 */
async function callOnEntry({ type, id }: EntryKey, { call, action }: Doing): Promise<PanelCall> {
  await contextOfEntry(type, id, { call, action });
  const { rights } = call;
  const permissions = permissionsFor(rights, `${explorer}.${action}`, type.uid);
  if (permissions.length < 2) return call;
  const others = rights.permissions.filter((permission) => !permissions.includes(permission));
  const withOnly = (kept: typeof permissions): PanelCall => ({
    ...call,
    rights: { ...rights, permissions: [...others, ...kept] },
  });
  const found = await Promise.all(
    permissions.map((one) => findOne(type, id, idQuery, contentFor(withOnly([one]), action, type))),
  );
  return withOnly(permissions.filter((_, index) => (found[index] ?? null) !== null));
}

/** Creates an entry from a body, as a draft if the type has drafts, and returns its id. `values` are added to the data. */
export async function createEntry(type: ContentType, body: unknown, { call, values = {} }: Creating): Promise<number> {
  const context = contentFor(call, 'create', type);
  const data = permittedBody(type, body, { call, action: 'create' });
  if (type.uid === userUid) return createUser(accountsOf(call.running), data, { content: context });
  const { document } = await create(type, asNew(type, data, values), idQuery, context);
  return Number(document['_id']);
}

interface Creating {
  readonly call: PanelCall;
  /** Values that the service itself sets, such as the locale. */
  readonly values?: Values;
}

/** Returns the data of a new entry, which is a draft if the type has drafts. */
export const asNew = (type: ContentType, data: Values, values: Values): Values => ({
  ...data,
  ...values,
  ...(type.draftAndPublish && { publishedAt: null }),
});

/** Writes the values of a body to an entry. Throws the errors of `contextOfEntry` and of an update. */
async function changeEntry({ type, id }: EntryKey, call: PanelCall): Promise<void> {
  const own = await callOnEntry({ type, id }, { call, action: 'update' });
  const context = contentFor(own, 'update', type);
  const data = permittedBody(type, call.request.body, { call: own, action: 'update' });
  if (type.uid === userUid) {
    const caller = { kind: 'public', access: context.bind.access, publicRoleIsEmpty: false, ended: null } as const;
    return updateUser(accountsOf(call.running), id, data, { caller, content: context });
  }
  if ((await update({ type, id }, { data, query: idQuery }, context)) === null) throw notFoundError();
}

/** Changes an entry, and returns it. As in Strapi v4, its other locales are shown as they were before. */
export async function changeShown({ type, id }: EntryKey, call: PanelCall): Promise<object> {
  const before: Values = type.localized ? { ...(await showWritten(type, id, call)) } : {};
  await changeEntry({ type, id }, call);
  const shown = await showWritten(type, id, call);
  return 'localizations' in shown && 'localizations' in before ? { ...shown, localizations: before['localizations'] } : shown;
}

/** Deletes an entry, and returns it as it was shown. Throws the errors of `contextOfEntry`. */
export async function removeEntry({ type, id }: EntryKey, call: PanelCall): Promise<object> {
  const context = await contextOfEntry(type, id, { call, action: 'delete' });
  const shown = await showWritten(type, id, call);
  if (!(await removeWith({ type, id }, context))) throw notFoundError();
  return shown;
}

/** Deletes an entry, a user with all sessions. Returns false if there is none. */
export const removeWith = async ({ type, id }: EntryKey, context: ContentContext): Promise<boolean> =>
  (await (type.uid === userUid ? deleteUser(id, idQuery, { content: context }) : remove(type, id, idQuery, context))) !== null;

/** Returns an entry after a write in the form of a read; only its id if the administrator may not read it. */
export async function showWritten(type: ContentType, id: number, call: PanelCall): Promise<object> {
  return showEntry(type, id, { call, form: 'entry' }).catch((error: unknown) => {
    if (error instanceof ForbiddenError) return { id };
    throw error;
  });
}
