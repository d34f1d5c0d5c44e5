import { applicationError, type ApiError } from '../errors.js';
import { matchesAny, otherThan } from '../mongo/matches.js';
import type { Document } from '../mongo/database.js';
import type { ContentContext } from '../content/content-context.js';
import { claim } from '../mongo/stores/claim.js';
import { findStoredUser } from './user-store.js';

/** Names that a user would have. Either may be typed in at a login, so that nobody else may have one of them as the other. */
interface WantedNames {
  /** In lower case. */
  readonly email?: string | undefined;
  readonly username?: string | undefined;
}

/** Which users may stand in the way. */
interface Others {
  /** The user that is to have the names; null: it is new. */
  readonly except: number | null;
  /** Whether several users may have one address; a name that is the address of another is refused all the same. */
  readonly sharedAddress: boolean;
  /** Whether only users with passwords count. */
  readonly onlyLocal: boolean;
}

/** Which of the names another user has, as a name or as an address; null if none. */
export async function findTaken(
  { email, username }: WantedNames,
  { except, sharedAddress, onlyLocal }: Others,
  content: ContentContext,
): Promise<'email' | 'username' | null> {
  const others = { ...(except !== null && { _id: otherThan(except) }), ...(onlyLocal && { provider: 'local' }) };
  const hasAny = async (ways: readonly Document[]): Promise<boolean> =>
    ways.length > 0 && (await findStoredUser(content, { ...others, ...matchesAny(...ways) })) !== null;
  const asEmail = email === undefined ? [] : [...(sharedAddress ? [] : [{ email }]), { username: email }];
  if (await hasAny(asEmail)) return 'email';
  const asUsername = username === undefined ? [] : [{ username }, { email: username.toLowerCase() }];
  return (await hasAny(asUsername)) ? 'username' : null;
}

/**
 * Runs work that ends in a user with these names while nobody else does the same, on whatever instance. Throws `taken` if somebody
 * does. An index cannot see to it: addresses need not be unique, and a name may be an address.
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

export const emailTaken = (): ApiError => applicationError('Email already taken');
