import { memoize } from '#base/caches.js';
import { ApiError, unauthorizedError } from '#base/errors.js';
import { withoutHooks } from '#content/content-context.js';
import { createContext } from '#content/create-context.js';
import { findOne } from '#content/find-one.js';
import type { EntryKeys, OpenedEntry, RunningService } from '#http/running.js';
import { type Access, actionOf, fullAccess } from '#model/query/access.js';
import type { Registry } from '#model/schema/content-type.js';
import { commented } from '#store/send/database.js';
import { callOnEntry, idQuery } from '../content-manager/entry-rights.js';
import { panelOf } from '../panel.js';
import type { PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { contentFor } from '../rights/content-access.js';
import { may, type Rights, rightsOf } from '../rights/rights.js';
import { servedPermissions } from '../rights/served-permissions.js';
import { placeMarks } from './stega.js';
import { findToken, type TokenSubject } from './tokens.js';

type Editor = Pick<PanelCall, 'content' | 'rights'>;

const refused = (): ApiError => unauthorizedError('The preview token is wrong or has ended', 'token_invalid');

/** Returns what a token shows, with the rights that its editor has now. Throws an UnauthorizedError if it shows nothing. */
export const openToken: EntryKeys['open'] = async (token, { running, requestId }): Promise<OpenedEntry> => {
  const stored = await findToken(commented(running.backend.store.database, requestId), token);
  const access = stored === null ? null : await accessTo(stored, running, requestId);
  if (stored === null || access === null) throw refused();
  const { uid, entry: id } = stored;
  const { config, source, accounts } = running;
  const { types } = source.models.snapshot.registry;
  const marking = (address: string) =>
    placeMarks(`${accounts?.address.adminUrl ?? config.server.url ?? address}${config.admin.url}`, (one) => types.get(one)?.kind);
  return { uid, id, access, marking };
};

/** Returns the access of an administrator to an entry, and what it links to; null if they may not read it any more. */
async function accessTo(subject: TokenSubject, running: RunningService, requestId: string): Promise<Access | null> {
  const editor = await editorOf(subject, running, requestId);
  const type = editor?.content.bind.registry.types.get(subject.uid);
  if (editor === null || type === undefined) return null;
  const key = { type, id: subject.entry };
  try {
    const own = await callOnEntry(key, { call: editor, action: 'read' });
    const context = contentFor(own, 'read', type);
    if ((await findOne(type, key.id, idQuery, context)) === null) return null;
    return shownAccess(context.bind.access, own.rights, context.bind.registry);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null;
    throw error;
  }
}

async function editorOf(subject: TokenSubject, running: RunningService, requestId: string): Promise<Editor | null> {
  const panel = panelOf(running);
  const administrator = await panel.administrator(subject.administrator, requestId);
  if (administrator?.isActive !== true || administrator.blocked || administrator.tokenVersion !== subject.version) return null;
  const content = withoutHooks(createContext(running.config, running.source, fullAccess));
  const permissions = async () => servedPermissions(await panel.permissions(requestId), content.bind.registry);
  return { content, rights: await rightsOf(administrator, { ...panel, permissions }) };
}

/**
 * Returns what pages show of the entries that an administrator may read: all values that they may see, but no private ones. Those are
 * hidden one by one, because row rules compare them.
 */
function shownAccess({ hidden, shownPaths, rules }: Access, rights: Rights, registry: Registry): Access {
  const all = new Map(hidden);
  for (const [uid, names] of privateNames(registry)) all.set(uid, new Set([...names, ...(hidden.get(uid) ?? [])]));
  const readable = [...registry.types.values()].filter(
    ({ uid, kind }) => kind !== 'component' && may(rights, `${explorer}.read`, uid),
  );
  const actions = new Set(readable.map((type) => actionOf(type, 'find')));
  return {
    grants: rights.isSuper ? fullAccess.grants : { kind: 'actions', actions },
    rules,
    hidden: all,
    ...(shownPaths !== undefined && { shownPaths }),
    seesPrivate: true,
  };
}

/** Returns the names of private attributes and passwords, by uid. */
const privateNames = memoize((registry: Registry): ReadonlyMap<string, ReadonlySet<string>> => {
  const names = [...registry.types.values()].map(({ uid, attributes }) => {
    const secret = [...attributes.values()].filter((one) => one.private || (one.kind === 'scalar' && one.type === 'password'));
    return [uid, new Set(secret.map(({ name }) => name))] as const;
  });
  return new Map(names.filter(([, secret]) => secret.size > 0));
});
