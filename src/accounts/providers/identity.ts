import type { ProfileMap } from '#settings/provider-settings.js';
import { applicationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { providerFailure } from './call-provider.js';

/** The account of a user at the provider. */
export interface Identity {
  readonly provider: string;
  /** The provider's id of the user, which is never reused. */
  readonly subject: string;
  readonly email: string;
  /** Whether the provider has verified the e-mail address. */
  readonly isVerified: boolean;
  readonly name: string;
}

/** Where the parts of an identity are unless settings tell. The first path with a value counts. */
const usualPaths = {
  id: ['sub', 'id'],
  email: ['email'],
  username: ['preferred_username', 'username', 'name'],
  verified: ['email_verified'],
} as const;

/** Values by which providers say yes. Some send text or numbers. */
const affirmations: readonly unknown[] = [true, 'true', 1, '1'];

/**
 * Returns the identity in the claims of a token or in the answer of a user-info address. Throws an ApplicationError if there is no
 * e-mail address, or the provider says that it is not verified. Throws a 502 if there is no user id.
 */
export function identityOf(provider: string, values: Values, map: ProfileMap = {}): Identity {
  const read = (part: keyof typeof usualPaths): unknown =>
    valueAt(values, map[part] === undefined ? usualPaths[part] : [map[part]]);
  const subject = idOf(read('id'));
  if (subject === '') throw providerFailure(provider, 'the answer has no user id');
  const [email, verified] = [textOf(read('email')).toLowerCase(), read('verified')];
  if (email === '' || verified === false || verified === 'false') throw applicationError('Email was not available.');
  const name = textOf(read('username')) || (email.split('@')[0] ?? '');
  return { provider, subject, email, isVerified: affirmations.includes(verified), name };
}

function valueAt(values: Values, paths: readonly string[]): unknown {
  const read = (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), values);
  return paths.map(read).find((value) => value !== undefined && value !== null && value !== '');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns an id as text; empty for a number that JSON cannot hold exactly, because several users would share it. */
const idOf = (value: unknown): string => (Number.isSafeInteger(value) ? String(value) : textOf(value));
