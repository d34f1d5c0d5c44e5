import { changeToken, createToken, newKey } from '#accounts/api-tokens.js';
import { apiToken, hashKey, type TokenType } from '#content/rights/api-token.js';
import { notFoundError, validationError } from '#base/errors.js';
import { bodyOf, idOf } from '#http/route-request.js';
import { grantableActions } from '#http/running.js';
import type { Document } from '#store/send/database.js';
import { is } from '#store/form/matches.js';
import { findFirst, findStored } from '#store/stored.js';
import { entryStore } from '#store/write/write-entries.js';
import { collections } from '#model/schema/collections.js';
import { array, checkPanelBody, number, object, string } from '../check-body.js';
import { answerData, type PanelCall, type PanelRoutes } from '../panel-route.js';
import { resourceRoutes } from '../resource-routes.js';

/** The routes of API tokens. Tokens of the admin API of the service itself are neither listed nor changed here. */
export const tokenRoutes: PanelRoutes = {
  ...resourceRoutes('/admin/api-tokens', 'admin::api-tokens', {
    ...{ list, create, change, remove },
    read: async (call) => shownToken(await find(call)),
  }),
  'POST /admin/api-tokens/:id/regenerate': { right: 'admin::api-tokens.regenerate', handle: regenerate },
};

const listed = { type: is.otherThan('admin') };

async function list({ content }: PanelCall) {
  const documents = await findStored(content.store.database, collections.tokens, { match: listed, sort: { name: 1 } });
  return documents.map(shownToken);
}

/** Returns a token as the panel shows it. Its lifespan is a text. */
function shownToken(document: Document) {
  const { id, name, description, type, permissions, expiresAt, lastUsedAt, createdAt } = apiToken(document);
  const { lifespan = null, updatedAt } = document;
  return {
    ...{ id, name, description, lastUsedAt, type, expiresAt, createdAt, permissions },
    lifespan: lifespan === null ? null : String(lifespan),
    updatedAt: updatedAt instanceof Date ? updatedAt : createdAt,
  };
}

const matchOf = (call: PanelCall) => ({ _id: idOf(call), ...listed });

async function find(call: PanelCall): Promise<Document> {
  return (await findFirst(call.content.store.database, collections.tokens, matchOf(call))) ?? missing();
}

function missing(): never {
  throw notFoundError('API Token not found');
}

const days = [7, 30, 90];

const type = () => string().oneOf(['read-only', 'full-access', 'custom'] satisfies TokenType[]);
const permissions = () => array().of(string().required()).nullable();

const newToken = object({
  name: string().min(1).max(200).required(),
  description: string(),
  type: type().required(),
  permissions: permissions(),
  lifespan: number()
    .nullable()
    .oneOf([null, ...days.map((count) => count * 86_400_000)]),
});

const changedToken = object({
  name: string().min(1).max(200),
  description: string().nullable(),
  type: type(),
  permissions: permissions(),
}).noUnknown();

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : (value ?? ''));

async function create(call: PanelCall) {
  const { content, running } = call;
  const given = bodyOf(call.request);
  const texts = { name: trimmed(given['name']), description: trimmed(given['description']) };
  const body = await checkPanelBody(newToken, { ...given, ...texts });
  const actions = actionsOf(body.type, body.permissions ?? null, call);
  const values = { ...body, permissions: actions, lifespan: body.lifespan ?? null };
  const { token, key } = await createToken(values, running.secrets.tokenSalt, content.store);
  const stored = await findFirst(content.store.database, collections.tokens, { _id: token.id });
  return { ...shownToken(stored ?? missing()), accessKey: key };
}

/** Returns the actions of a token. Throws a ValidationError if they are unknown, or do not belong to its type. */
function actionsOf(kind: string, given: readonly string[] | null, { running, content }: PanelCall): readonly string[] {
  if (kind !== 'custom') {
    if (given !== null && given.length > 0) throw validationError('Non-custom tokens should not reference permissions');
    return [];
  }
  if (given === null) throw validationError('Missing permissions attribute for custom token');
  const grantable = new Set(grantableActions(running, content.bind.registry));
  const unknown = given.filter((action) => !grantable.has(action));
  if (unknown.length > 0) throw validationError(`Unknown permissions provided: ${unknown.join(', ')}`);
  return [...new Set(given)];
}

async function change(call: PanelCall) {
  const given = bodyOf(call.request);
  const texts = Object.fromEntries(
    ['name', 'description'].filter((name) => given[name] !== undefined).map((name) => [name, trimmed(given[name])]),
  );
  const body = await checkPanelBody(changedToken, { ...given, ...texts });
  const stored = apiToken(await find(call));
  const kind = body.type ?? stored.type;
  const permissions = changedActions(stored, { kind, permissions: body.permissions ?? null }, call);
  const changed = await changeToken(matchOf(call), { ...body, permissions }, call.content.store);
  return shownToken(changed ?? missing());
}

/**
 * Returns the actions of a changed token: those that stay in their order, then the new ones. As in Strapi v4, a token that is no
 * longer custom shows all but its first one, which have no effect then.
 */
function changedActions(
  stored: Pick<ReturnType<typeof apiToken>, 'type' | 'permissions'>,
  { kind, permissions }: { readonly kind: string; readonly permissions: readonly string[] | null },
  call: PanelCall,
): readonly string[] {
  if (permissions === null && (kind !== 'custom' || stored.type === 'custom'))
    return kind === 'custom' ? stored.permissions : stored.permissions.slice(1);
  const actions = actionsOf(kind, permissions, call);
  const kept = stored.permissions.filter((action) => actions.includes(action));
  return [...kept, ...actions.filter((action) => !kept.includes(action))];
}

async function regenerate(call: PanelCall) {
  const accessKey = newKey();
  const hash = hashKey(accessKey, call.running.secrets.tokenSalt);
  const changed = await changeToken(matchOf(call), { hash }, call.content.store);
  return answerData({ id: (changed ?? missing())._id, accessKey }, 201);
}

async function remove(call: PanelCall) {
  const deleted = await entryStore.remove(call.content.store, collections.tokens, matchOf(call));
  return deleted === null ? null : shownToken(deleted);
}
