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
import type { LoadedEntry } from '#store/form/loaded.js';
import { emptyQuery, fieldOf, type Query } from '#model/query/ast.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import type { LinkChild } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import { comingIn, parseLinkInput } from '#model/schema/link-input.js';
import type { Values } from '#base/values.js';
import type { PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { contentFor } from '../rights/content-access.js';
import { may } from '../rights/rights.js';
import { showAll } from '../show-entries.js';
import { writeUnchanged } from './conflicts.js';
import { permittedBody } from './permitted-body.js';
import { values } from './entry-query.js';
import { callOnEntry, idQuery, writeEntry } from './entry-rights.js';
import { showEntry } from './read-routes.js';

/** Creates an entry from a body, as a draft if the type has drafts, and returns its id. `values` are added to the data. */
export async function createEntry(type: ContentType, body: unknown, { call, values: own = {} }: Creating): Promise<number> {
  const context = contentFor(call, 'create', type);
  const data = permittedBody(type, body, { call, action: 'create' });
  if (type.uid === userUid) return createUserEntry(data, call, context);
  const { document } = await create(type, newEntryData(type, data, own), idQuery, context);
  return Number(document['_id']);
}

interface Creating {
  readonly call: PanelCall;
  /** Values that the service itself sets, such as the locale. */
  readonly values?: Values;
}

/** Returns the data of a new entry, which is a draft if the type has drafts. */
export const newEntryData = (type: ContentType, data: Values, values: Values): Values => ({
  ...data,
  ...values,
  ...(type.draftAndPublish && { publishedAt: null }),
});

/**
 * Writes the values of a body to an entry; to a user like the content API, so that a new password ends all sessions. Returns the other
 * locales to which values were copied, as they were before. Throws the errors of `findEntry`, of `writeUnchanged` and of an update.
 */
async function writeBody(
  { type, id }: EntryKey,
  call: PanelCall,
  copied: LinkChild | undefined,
): Promise<readonly LoadedEntry[]> {
  const own = await callOnEntry({ type, id }, { call, action: 'update' });
  const changed = await writeEntry({ type, id }, { call: own, action: 'update' }, async (context) => {
    const data = permittedBody(type, call.request.body, { call: own, action: 'update' });
    const status = keepsDrafts(type) ? ({ status: 'draft' } as const) : {};
    return writeUnchanged({ type, id, ...status }, call, async (key) => {
      if (type.uid !== userUid) return localesOf(await update(key, { data, query: idQuery, copied }, context));
      const caller = { kind: 'public', access: context.bind.access, publicRoleIsEmpty: false, ended: null } as const;
      await updateUser(accountsOf(call.running), key, data, { caller, content: asWriter(context) });
      return [];
    });
  });
  if (changed === null) throw notFoundError();
  return changed;
}

/** Changes an entry, and returns it. As in Strapi v4, its other locales are shown as they were before. */
export async function changeEntry({ type, id }: EntryKey, call: PanelCall): Promise<Values> {
  const { before, copied } = type.localized ? await formerLocales({ type, id }, call) : {};
  const changed = await writeBody({ type, id }, call, copied);
  const shown = await showWrittenEntry(type, id, call);
  const localizations = changed.length > 0 ? showAll(changed, call.content) : before;
  return 'localizations' in shown && localizations !== undefined ? { ...shown, localizations } : shown;
}

/** How an administrator sees the other locales of an entry before a write. */
interface FormerLocales {
  /** As they are shown, if what the administrator sees of them depends on the entry. */
  readonly before?: unknown;
  /** How the write reads those that it changes; all others are shown afterwards as they were. */
  readonly copied?: LinkChild | undefined;
}

async function formerLocales({ type, id }: EntryKey, call: PanelCall): Promise<FormerLocales> {
  if (!may(call.rights, `${explorer}.read`, type.uid)) return {};
  const own = await callOnEntry({ type, id }, { call, action: 'read' });
  const { bind, hooks } = contentFor(own, 'read', type);
  if (hooks?.reads(type.uid) || bind.access.rules.has(type.uid))
    return { before: (await showWrittenEntry(type, id, own))['localizations'] };
  const [child] = bindEntrySelection(localesQuery, type, bind).children;
  return { copied: child?.kind === 'link' ? child : undefined };
}

const localesQuery: Query = { ...emptyQuery, populate: { all: false, fields: [fieldOf('localizations', values)] } };

/** Deletes an entry, and returns it as it was shown. Throws the errors of `findEntry`. */
export async function removeEntry({ type, id }: EntryKey, call: PanelCall): Promise<Values> {
  const removed = await writeEntry({ type, id }, { call, action: 'delete' }, async (context) => {
    const shown = await showWrittenEntry(type, id, call);
    return (await removeWith({ type, id }, context)) && shown;
  });
  if (removed === null) throw notFoundError();
  return removed;
}

/** Deletes an entry, a user with all sessions. Returns null if there is none. */
export const removeWith = ({ type, id }: EntryKey, context: ContentContext): Promise<LoadedEntry | null> =>
  type.uid === userUid ? deleteUser({ id }, idQuery, { content: context }) : remove({ type, id }, idQuery, context);

/** Returns the other locales with which an update answers, if it copies values to them; null if it has found no entry. */
function localesOf(entry: LoadedEntry | null): readonly LoadedEntry[] | null {
  if (entry === null) return null;
  const related = entry.children[entry.selection.children.length];
  return Array.isArray(related) ? related : [];
}

/** Returns an entry after a write in the form of a read; only its id if the administrator may not read it. */
export async function showWrittenEntry(type: ContentType, id: number, call: PanelCall): Promise<Values> {
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
