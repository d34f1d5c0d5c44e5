import { asWriter, userUid } from '#accounts/user-store.js';
import { updateUser } from '#accounts/users/change-user.js';
import { createUser, deleteUser } from '#accounts/users/users.js';
import type { ContentContext } from '#content/content-context.js';
import { create } from '#content/create.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { remove } from '#content/remove.js';
import { update } from '#content/update.js';
import { ForbiddenError, notFoundError } from '#base/errors.js';
import { accountsOf } from '#http/running.js';
import type { ContentType } from '#model/schema/content-type.js';
import { comingIn, parseLinkInput } from '#model/schema/link-input.js';
import type { Values } from '#base/values.js';
import type { PanelCall } from '../panel-route.js';
import { contentFor } from '../rights/content-access.js';
import { writeUnchanged } from './conflicts.js';
import { permittedBody } from './permitted-body.js';
import { callOnEntry, idQuery } from './entry-rights.js';
import { contextOfEntry, showEntry } from './read-routes.js';

/** Creates an entry from a body, as a draft if the type has drafts, and returns its id. `values` are added to the data. */
export async function createEntry(type: ContentType, body: unknown, { call, values = {} }: Creating): Promise<number> {
  const context = contentFor(call, 'create', type);
  const data = permittedBody(type, body, { call, action: 'create' });
  if (type.uid === userUid) return createUserEntry(data, call, context);
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

/**
 * Writes the values of a body to an entry; to a user like the content API, so that a new password ends all sessions. Throws the errors of
 * `contextOfEntry`, of `writeUnchanged` and of an update.
 */
async function changeEntry({ type, id }: EntryKey, call: PanelCall): Promise<void> {
  const own = await callOnEntry({ type, id }, { call, action: 'update' });
  const context = call.rights.isSuper
    ? contentFor(call, 'update', type)
    : await contextOfEntry(type, id, { call: own, action: 'update' });
  const data = permittedBody(type, call.request.body, { call: own, action: 'update' });
  await writeUnchanged({ type, id }, call, async (key) => {
    if (type.uid === userUid) {
      const caller = { kind: 'public', access: context.bind.access, publicRoleIsEmpty: false, ended: null } as const;
      return updateUser(accountsOf(call.running), key, data, { caller, content: asWriter(context) });
    }
    if ((await update(key, { data, query: idQuery }, context)) === null) throw notFoundError();
  });
}

/** Changes an entry, and returns it. As in Strapi v4, its other locales are shown as they were before. */
export async function changeShown({ type, id }: EntryKey, call: PanelCall): Promise<Values> {
  const before = type.localized ? await showWritten(type, id, call) : {};
  await changeEntry({ type, id }, call);
  const shown = await showWritten(type, id, call);
  return 'localizations' in shown && 'localizations' in before ? { ...shown, localizations: before.localizations } : shown;
}

/** Deletes an entry, and returns it as it was shown. Throws the errors of `contextOfEntry`. */
export async function removeEntry({ type, id }: EntryKey, call: PanelCall): Promise<Values> {
  const context = await contextOfEntry(type, id, { call, action: 'delete' });
  const shown = await showWritten(type, id, call);
  if (!(await removeWith({ type, id }, context))) throw notFoundError();
  return shown;
}

/** Deletes an entry, a user with all sessions. Returns false if there is none. */
export const removeWith = async ({ type, id }: EntryKey, context: ContentContext): Promise<boolean> =>
  (await (type.uid === userUid ? deleteUser({ id }, idQuery, { content: context }) : remove({ type, id }, idQuery, context))) !==
  null;

/** Returns an entry after a write in the form of a read; only its id if the administrator may not read it. */
export async function showWritten(type: ContentType, id: number, call: PanelCall): Promise<Values> {
  return showEntry(type, id, { call, form: 'entry' }).catch((error: unknown) => {
    if (error instanceof ForbiddenError) return { id };
    throw error;
  });
}

/** Creates a user of the content API, with the default role unless the data names another one, and returns the id. */
async function createUserEntry(data: Values, { running }: PanelCall, context: ContentContext): Promise<number> {
  const accounts = accountsOf(running);
  const { advanced } = await accounts.authenticator.settings();
  const role = (await accounts.authenticator.roles()).byType.get(advanced.default_role)?.id;
  const values = namesRole(data) ? data : { ...data, role };
  return createUser(accounts, values, { content: asWriter(context) });
}

function namesRole({ role }: Values): boolean {
  const input = role === undefined ? null : parseLinkInput(role, 'plugin::users-permissions.role');
  return input !== null && comingIn(input).length > 0;
}
