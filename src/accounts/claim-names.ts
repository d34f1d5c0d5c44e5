import { applicationError, type ApiError } from '#base/errors.js';
import { is, matchesAny } from '#store/form/matches.js';
import type { Document } from '#store/send/database.js';
import type { ContentContext } from '#content/content-context.js';
import { claim } from '#store/stores/claim.js';
import { findStoredUser } from './user-store.js';

/** The names that a user asks for. Users may log in by name or by address, so no other user may have one of these as either. */
interface WantedNames {
  /** The e-mail address in lower case. */
  readonly email?: string | undefined;
  readonly username?: string | undefined;
}

/** Determines which other users count as owners of the names. */
interface Others {
  /** The user that gets the names; null if the user is new. */
  readonly except: number | null;
  /** Whether several users may share an address. In any case nobody may take the address of another user as a name. */
  readonly sharedAddress: boolean;
  /** Whether only users with passwords count. */
  readonly onlyLocal: boolean;
}

/** Returns which of the names another user already has, as name or as address; null if both are free. */
export async function findNameConflict(
  { email, username }: WantedNames,
  { except, sharedAddress, onlyLocal }: Others,
  content: ContentContext,
): Promise<'email' | 'username' | null> {
  const others = { ...(except !== null && { _id: is.otherThan(except) }), ...(onlyLocal && { provider: 'local' }) };
  const hasAny = async (ways: readonly Document[]): Promise<boolean> =>
    ways.length > 0 && (await findStoredUser(content, { ...others, ...matchesAny(...ways) })) !== null;
  const asEmail = email === undefined ? [] : [...(sharedAddress ? [] : [{ email }]), { username: email }];
  if (await hasAny(asEmail)) return 'email';
  const asUsername = username === undefined ? [] : [{ username }, { email: username.toLowerCase() }];
  return (await hasAny(asUsername)) ? 'username' : null;
}

/**
 * Runs work that stores a user with these names. No other instance runs such work for the same names at the same time. Throws
 * `taken` if another one already does. An index cannot enforce this, because addresses need not be unique, and a name may be an
 * address.
 */
export function claimNames<Result>(
  { email, username }: WantedNames,
  content: ContentContext,
  taken: () => Error,
  work: () => Promise<Result>,
): Promise<Result> {
  const asAddress = username?.includes('@') === true ? username.toLowerCase() : undefined;
  const names = [...new Set([email, asAddress])].filter((name) => name !== undefined).sort();
  const inside = names.reduceRight<() => Promise<Result>>(
    (inner, name) => () => claim(content.store.database, `email ${name}`, { work: inner, busy: taken }),
    work,
  );
  return inside();
}

export const emailTakenError = (): ApiError => applicationError('Email already taken');
