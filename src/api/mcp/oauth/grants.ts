import { randomBytes } from 'node:crypto';
import type { Database } from '#store/send/database.js';
import { is } from '#store/form/matches.js';
import { ownRows } from '#store/write/own-rows.js';
import { grantCollection } from './declaration.js';
import type { Scope } from './scopes.js';

/** What a user has allowed a client. */
export interface Grant {
  readonly _id: string;
  readonly user: number;
  /** The version of the user's tokens at the consent. A new password and blocking increase it, which ends the grant. */
  readonly version: number;
  readonly client: GrantedClient;
  readonly scopes: readonly Scope[];
  /** The address that its tokens are for. */
  readonly resource: string;
  /** The address to which the code was sent. */
  readonly redirectUri: string;
  /** The SHA-256 of the verifier of the client, in base64url (RFC 7636). */
  readonly challenge: string;
  /** When the code was exchanged for tokens; null before. */
  readonly redeemedAt: Date | null;
  /** The number of the current refresh token. */
  readonly rotation: number;
  readonly createdAt: Date;
  /** When tokens were issued last. */
  readonly usedAt: Date;
  readonly expiresAt: Date;
}

/** A client as the consent page has shown it. */
export interface GrantedClient {
  readonly id: string;
  readonly name: string;
  /** The host of its document; null if it has registered itself. */
  readonly host: string | null;
}

/** Milliseconds in which a code must be exchanged. */
const codeLifetime = 60_000;

/** Milliseconds after which an unused refresh token ends, and its grant with it. */
const unusedLifetime = 30 * 86_400_000;

/** Maximum number of grants of a user. */
const most = 50;

const grants = ownRows<Grant>(grantCollection);

type Consent = Pick<Grant, 'user' | 'version' | 'client' | 'scopes' | 'resource' | 'redirectUri' | 'challenge'>;

/** Stores a grant, whose code has not been exchanged yet. Ends the grants of the user that have been unused longest, if there are too many. */
export async function insertGrant(database: Database, consent: Consent): Promise<Grant> {
  const now = new Date();
  const grant: Grant = {
    _id: randomBytes(16).toString('base64url'),
    ...consent,
    redeemedAt: null,
    rotation: 0,
    createdAt: now,
    usedAt: now,
    expiresAt: new Date(now.getTime() + codeLifetime),
  };
  await grants.put(database, grant);
  const unused = { match: { user: grant.user }, sort: { usedAt: -1, _id: 1 }, skip: most, fields: ['_id'] } as const;
  const surplus = (await grants.find(database, unused)).map(({ _id }) => _id);
  if (surplus.length > 0) await grants.remove(database, { _id: is.oneOf(surplus) });
  return grant;
}

/** Returns a grant; null if there is none, or it has expired. */
export async function findGrant(database: Database, _id: string): Promise<Grant | null> {
  const [grant] = await grants.find(database, { match: { _id }, limit: 1 });
  return grant === undefined || grant.expiresAt.getTime() <= Date.now() ? null : grant;
}

const used = () => {
  const usedAt = new Date();
  return { usedAt, expiresAt: new Date(usedAt.getTime() + unusedLifetime) };
};

/** Exchanges the code of a grant, in one command. Returns false if it was exchanged before. */
export async function redeemCode(database: Database, { _id }: Grant): Promise<boolean> {
  const set = { ...used(), redeemedAt: new Date() };
  return (await grants.change(database, { _id, redeemedAt: null }, { set })) === 1;
}

/** Replaces the refresh token of a number by the next one, in one command. Returns false if it was replaced before. */
export async function rotate(database: Database, { _id, rotation }: Grant): Promise<boolean> {
  return (await grants.change(database, { _id, rotation }, { set: { ...used(), rotation: rotation + 1 } })) === 1;
}

/** Ends a grant with all its tokens. */
export const endGrant = (database: Database, _id: string): Promise<void> => grants.remove(database, { _id });

/** Ends all grants of a user. */
export const endGrantsOf = (database: Database, user: number): Promise<void> => grants.remove(database, { user });

/** Returns the grants of a user whose codes have been exchanged, the last used first. */
export const grantsOf = async (
  database: Database,
  { id, tokenVersion }: { readonly id: number; readonly tokenVersion: number },
): Promise<readonly Grant[]> => {
  const match = { user: id, version: tokenVersion, redeemedAt: is.otherThan(null), expiresAt: is.above(new Date()) };
  return await grants.find(database, { match, sort: { usedAt: -1, _id: 1 } });
};

/** Ends a grant of a user, and returns it; null if the user has none of that id. */
export const endOwnGrant = (database: Database, _id: string, user: number): Promise<Grant | null> =>
  grants.take(database, { _id, user });
