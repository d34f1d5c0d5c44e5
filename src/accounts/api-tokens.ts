import { randomBytes } from 'node:crypto';
import { collections } from '#model/schema/collections.js';
import { grantsVersion } from '#content/rights/known-actions.js';
import { apiToken, hashKey, tokenTypes, type ApiToken, type TokenType } from '#content/rights/api-token.js';
import { applicationError, fieldErrors, notFoundError } from '#base/errors.js';
import { findStored, isStored } from '#store/stored.js';
import { claim } from '#store/stores/claim.js';
import type { Store } from '#store/store.js';
import { is, type Match } from '#store/form/matches.js';
import { entryStore } from '#store/write/write-entries.js';
import { decodeId } from '#base/values.js';
import type { Body } from './accounts.js';

/** A new token with its key. The key is not shown again. */
interface MadeToken {
  readonly token: ApiToken;
  readonly key: string;
}

/**
 * Creates an API token. The body has `name`, `type`, `description`, `permissions` (for custom tokens) and `lifespan` (in
 * milliseconds).
 */
export async function createToken(body: Body, salt: string, store: Store): Promise<MadeToken> {
  const key = newKey();
  return { token: await adoptToken(body, hashKey(key, salt), store), key };
}

/** Returns a new key of 256 hexadecimal digits. */
export const newKey = (): string => randomBytes(128).toString('hex');

/** Stores a token with the hash of an existing key. */
export async function adoptToken(body: Body, hash: string, store: Store): Promise<ApiToken> {
  const { name, type, description, permissions, lifespan } = readToken(body);
  const now = Date.now();
  const document = {
    name,
    type,
    description,
    permissions: type === 'custom' ? permissions : [],
    hash,
    lifespan,
    expiresAt: lifespan === null ? null : new Date(now + lifespan),
    lastUsedAt: null,
    _grants: grantsVersion,
    createdAt: new Date(now),
    updatedAt: new Date(now),
  };
  return underName({ name }, store, async () => {
    const [_id = 0] = await store.ids.next(collections.tokens, 1, store.database);
    await entryStore.insert(store, collections.tokens, { _id, ...document });
    return apiToken({ _id, ...document });
  });
}

/** Runs a write of a token with a name. Throws an ApplicationError if another token than the one of the id has it. */
async function underName<Result>(
  { name, id = 0 }: { readonly name: string; readonly id?: number },
  { database }: Store,
  work: () => Promise<Result>,
): Promise<Result> {
  const taken = () => applicationError('Name already taken');
  return claim(database, `token ${name}`, {
    busy: taken,
    work: async () => {
      if (await isStored(database, collections.tokens, { name, _id: is.otherThan(id) })) throw taken();
      return work();
    },
  });
}

/** The values of a token that can be changed. */
interface TokenChange {
  readonly name?: string;
  readonly description?: string | null;
  readonly type?: TokenType;
  readonly permissions?: readonly string[];
  /** The hash of a new key. */
  readonly hash?: string;
}

/** Changes a token, and returns the stored document; null if none matches. Throws an ApplicationError if the name is taken. */
export async function changeToken(match: Match & { readonly _id: number }, values: TokenChange, store: Store) {
  const change = { set: { ...values, updatedAt: new Date() } };
  const write = () => entryStore.update(store, collections.tokens, { match, change });
  return values.name === undefined ? write() : underName({ name: values.name, id: match._id }, store, write);
}

interface TokenInput {
  readonly name: string;
  readonly type: TokenType;
  readonly description: string | null;
  readonly permissions: readonly string[];
  readonly lifespan: number | null;
}

function readToken({ name, type, description, permissions = [], lifespan = null }: Body): TokenInput {
  const problems = [
    ...(typeof name === 'string' && name !== '' && name.length <= 200 ? [] : [problem('name', 'name must be a text')]),
    ...(isTokenType(type) ? [] : [problem('type', `type must be one of ${tokenTypes.join(', ')}`)]),
    ...(isTexts(permissions) ? [] : [problem('permissions', 'permissions must be a list of actions')]),
    ...(isLifespan(lifespan) ? [] : [problem('lifespan', 'lifespan must be a number of milliseconds, or null')]),
  ];
  if (problems.length > 0) throw fieldErrors(problems);
  return {
    name: name as string, // these four are checked above
    type: type as TokenType,
    permissions: permissions as readonly string[],
    lifespan: lifespan as number | null,
    description: typeof description === 'string' ? description : null,
  };
}

const problem = (name: string, message: string) => ({ path: [name], message });

const isTokenType = (type: unknown): boolean => tokenTypes.some((known) => known === type);

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Returns whether a value is a valid lifespan: at most 100 years, so that the date can be stored, or null. */
const isLifespan = (value: unknown): boolean =>
  value === null || (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 3_155_760_000_000);

/** Returns all tokens, in the order of creation. */
export async function listTokens(store: Store): Promise<ApiToken[]> {
  const documents = await findStored(store.database, collections.tokens, { sort: { _id: 1 } });
  return documents.map(apiToken);
}

/** Deletes a token by id or name, and returns it. The token stops working at once. Throws a NotFoundError if there is none. */
export async function revokeToken(which: string, store: Store): Promise<ApiToken> {
  const id = decodeId(which);
  const match = id > 0 ? { _id: id } : { name: which };
  const deleted = await entryStore.remove(store, collections.tokens, match);
  if (deleted === null) throw notFoundError('Token not found');
  return apiToken(deleted);
}
