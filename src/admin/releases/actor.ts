import { apiToken } from '#content/rights/api-token.js';
import { type ContentContext, withDatabase, withoutBudget } from '#content/content-context.js';
import { findOne } from '#content/find-one.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { notFoundError } from '#base/errors.js';
import { configuredToken } from '#http/find-admin.js';
import type { RunningService } from '#http/running.js';
import { collections } from '#model/schema/collections.js';
import type { Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Database } from '#store/send/database.js';
import { findFirst } from '#store/stored.js';
import type { AdminCall } from '../api/admin-call.js';
import { findEntry, type FoundEntry } from '../content-manager/entry-rights.js';
import { panelOf } from '../panel.js';
import { type EntryCaller, servedPanel } from '../panel-route.js';
import { contentFor, type EntryAction } from '../rights/content-access.js';
import { rightsOf } from '../rights/rights.js';
import type { Editor } from './release.js';

/** Who acts on the entries of a release. */
export interface Actor {
  readonly content: ContentContext;
  /** The rights of an administrator; null for an admin token, which may do everything. */
  readonly rights: EntryCaller['rights'] | null;
  readonly running: RunningService;
}

/** Returns who has sent a request. The number of actions of a release is limited, not what they cost. */
export const actorOf = ({ content, administrator, running }: AdminCall): Actor => ({
  content: withoutBudget(content),
  rights: administrator?.rights ?? null,
  running,
});

/** Returns the actor inside a transaction. */
export const inside = (actor: Actor, database: Database): Actor => ({
  ...actor,
  content: withoutBudget(withDatabase(actor.content, database)),
});

/** Returns who has sent a request, as it is stored. */
export function editorOf({ administrator, caller }: AdminCall): Editor {
  if (administrator !== null) return { kind: 'administrator', id: administrator.rights.administrator.id };
  return { kind: 'token', id: caller.kind === 'token' ? caller.token.id : configuredToken.id };
}

/**
 * Returns the rights of whoever has changed a release last; null if they are gone, or may do nothing any more. The permissions are those
 * that the models of the context serve.
 */
export async function rightsOfEditor(
  { kind, id }: Editor,
  running: RunningService,
  content: ContentContext,
): Promise<EditorRights | null> {
  if (kind === 'token') return (await isAdminToken(id, running)) ? { rights: null } : null;
  const panel = servedPanel(panelOf(running), content);
  const administrator = await panel.administrator(id);
  if (administrator?.isActive !== true || administrator.blocked) return null;
  return { rights: await rightsOf(administrator, panel) };
}

type EditorRights = Pick<Actor, 'rights'>;

async function isAdminToken(id: number, { secrets, backend }: RunningService): Promise<boolean> {
  if (id === configuredToken.id) return secrets.adminToken !== '';
  const stored = await findFirst(backend.store.database, collections.tokens, { _id: id });
  if (stored === null) return false;
  const { type, expiresAt } = apiToken(stored);
  return type === 'admin' && (expiresAt === null || expiresAt.getTime() > Date.now());
}

/** Returns the context of an action on entries of a type. Throws a ForbiddenError if no permission allows it. */
export const contextFor = ({ content, rights }: Actor, action: EntryAction, type: ContentType): ContentContext =>
  rights === null ? content : contentFor({ content, rights }, action, type);

/** Returns the entry of an action. Throws the errors of `findEntry`. */
export async function entryFor(key: EntryKey, action: EntryAction, actor: Actor, query: Query): Promise<FoundEntry> {
  const { content, rights } = actor;
  if (rights !== null) return findEntry(key, { call: { content, rights }, action }, () => query);
  const entry = await findOne(key.type, key.id, query, content);
  if (entry === null) throw notFoundError();
  return { entry, context: content };
}
