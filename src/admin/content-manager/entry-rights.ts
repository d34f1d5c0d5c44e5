import type { ContentContext } from '#content/content-context.js';
import { findOne } from '#content/find-one.js';
import { withDrafts } from '#content/drafts.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { isAfterWrite } from '#base/after-write.js';
import { ApiError, forbiddenError, notFoundError } from '#base/errors.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import type { EntryCaller } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { contentFor, type EntryAction } from '../rights/content-access.js';
import type { PanelPermission } from '../rights/permission.js';
import { permissionsFor } from '../rights/rights.js';

export const idQuery: Query = { ...emptyQuery, fields: ['id'] };

/** An action on an entry, and who does it. */
interface Acting<Call = EntryCaller> {
  readonly call: Call;
  readonly action: EntryAction;
}

/**
 * Returns the call with the permissions that hold for an entry: of two that name different fields under different conditions, only those
 * count whose conditions it meets, each for the fields of all of them. If it meets none, the call is returned as it is; it then does not
 * find the entry. Sends a command for each permission with conditions or locales.
 */
export async function callOnEntry<Call extends EntryCaller>(
  { type, id }: EntryKey,
  { call, action }: Acting<Call>,
): Promise<Call> {
  const { rights } = call;
  const permissions = permissionsFor(rights, `${explorer}.${action}`, type.uid);
  if (rights.isSuper || permissions.length < 2) return call;
  const others = rights.permissions.filter((permission) => !permissions.includes(permission));
  const withOnly = (subset: typeof permissions): Call => ({
    ...call,
    rights: { ...rights, permissions: [...others, ...subset] },
  });
  const holds = async (one: (typeof permissions)[number]): Promise<boolean> => {
    const context = contentFor(withOnly([one]), action, type);
    return !context.bind.access.rules.has(type.uid) || (await findOne(type, id, idQuery, context)) !== null;
  };
  const results = await Promise.all(permissions.map(holds));
  const met = permissions.filter((_, index) => results[index] === true);
  const fields = met.flatMap(({ properties }) => properties.fields ?? []);
  return met.length === 0 ? call : withOnly(met.map((one) => ({ ...one, properties: { ...one.properties, fields } })));
}

/**
 * Returns the call with the fields that its reader may see of an entry as it is shown: with the draft beside it in its place, unless that
 * is hidden. All permissions remain, because the published entry may meet the conditions of others.
 */
export async function callOnShownEntry<Call extends EntryCaller>(key: EntryKey, call: Call): Promise<Call> {
  const { type } = key;
  if (!keepsDrafts(type)) return callOnEntry(key, { call, action: 'read' });
  const { store } = await withDrafts(contentFor(call, 'read', type), new Set([type]));
  const seeing = { ...call, content: { ...call.content, store } };
  const { rights } = await callOnEntry(key, { call: seeing, action: 'read' });
  if (rights === call.rights) return call;
  const isRead = ({ action, subject }: PanelPermission): boolean => action === `${explorer}.read` && subject === type.uid;
  const [met] = rights.permissions.filter(isRead); // all of them have the same fields
  const fields = met?.properties.fields ?? [];
  const permissions = call.rights.permissions.map((one) =>
    isRead(one) ? { ...one, properties: { ...one.properties, fields } } : one,
  );
  return { ...call, rights: { ...call.rights, permissions } };
}

export interface FoundEntry {
  readonly entry: LoadedEntry;
  /** The context of the action on it. */
  readonly context: ContentContext;
}

/**
 * Returns the entry of an action as a query selects it; only its id unless there is one. Throws a NotFoundError if there is no such
 * entry, and a ForbiddenError if no permission allows the action on it.
 */
export async function findEntry(key: EntryKey, acting: Acting, query?: (bind: BindContext) => Query): Promise<FoundEntry> {
  const entry = await findPermitted(key, acting, query);
  if (entry === null) throw notFoundError();
  return entry;
}

/** Does the same, but returns null if there is no such entry. */
export async function findPermitted(
  { type, id }: EntryKey,
  { call, action }: Acting,
  query: (bind: BindContext) => Query = () => idQuery,
): Promise<FoundEntry | null> {
  const context = contentFor(call, action, type);
  const entry = await findOne(type, id, query(context.bind), context);
  if (entry !== null) return { entry, context };
  if ((await findOne(type, id, idQuery, call.content)) === null) return null;
  throw forbiddenError();
}

/** Returns whether there is such an entry and a permission allows the action on it. */
export const mayOnEntry = (key: EntryKey, acting: Acting): Promise<boolean> =>
  findEntry(key, acting).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status < 500) return false;
      throw error;
    },
  );

/**
 * Runs a write that returns null if it finds no entry in the context of its action. Returns null if there is no such entry, and throws a
 * ForbiddenError if no permission allows the action on it, also rather than another refusal before anything was written. Reads the
 * entry before the write only if code around reads may hide it.
 */
export async function writeEntry<Result>(
  key: EntryKey,
  acting: Acting,
  write: (context: ContentContext) => Promise<Result | null>,
): Promise<Result | null> {
  const { call, action } = acting;
  const context = contentFor(call, action, key.type);
  const mayAll = call.rights.isSuper && action === 'update'; // also what code around reads hides
  const isThere = async (): Promise<boolean> => mayAll || (await findPermitted(key, acting)) !== null;
  if (context.hooks?.reads(key.type.uid) && !(await isThere())) return null;
  const result = await write(context).catch(async (error: unknown) => {
    const isRefusal = error instanceof ApiError && error.status < 500 && !isAfterWrite(error);
    if (isRefusal && !(await isThere())) return null;
    throw error;
  });
  if (result === null) await isThere();
  return result;
}
