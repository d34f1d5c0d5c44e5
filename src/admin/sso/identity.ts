import { forbiddenError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import type { SignOnProvider } from './settings.js';

/** The account at a provider of somebody who signs on. */
export interface SignedOn {
  /** The issuer, and the id that it gives the account and never to another one. */
  readonly key: string;
  /** The verified e-mail address, in lower case. */
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string | null;
  /** The codes or names of the roles that the claim gives; perhaps none. */
  readonly roles: readonly string[];
}

/** Returns whether the claims of a token say all that an account needs. */
export const isComplete = (provider: SignOnProvider, claims: Values): boolean =>
  [claims['email'], claims['email_verified'] ?? claims['xms_edov'], claimAt(claims, provider.claim)].every(
    (value) => value !== undefined,
  );

/**
 * Returns the account that claims describe. Throws a ForbiddenError if its e-mail address is not verified, or of a domain that is not
 * allowed.
 */
export const signedOnOf = (provider: SignOnProvider, claims: Values): SignedOn => ({
  ...personOf(provider, claims),
  roles: rolesOf(provider, claims),
});

function personOf({ displayName, allowedDomains, issuer }: SignOnProvider, claims: Values): Omit<SignedOn, 'roles'> {
  const email = addressIn(claims);
  if (email === '' || !isVerified(claims, issuer))
    throw forbiddenError(`${displayName} has not verified an e-mail address of yours`);
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (allowedDomains !== undefined && !allowedDomains.some((allowed) => allowed.toLowerCase() === domain))
    throw forbiddenError(`E-mail addresses of ${domain} are not let in`);
  const firstname = textIn(claims, 'given_name') || textIn(claims, 'name') || (email.split('@')[0] ?? email);
  const key = `${String(claims['iss'])} ${String(claims['sub'])}`;
  return { key, email, firstname, lastname: textIn(claims, 'family_name') || null };
}

/** Returns the e-mail address; an empty text for one that would have to be changed to fit, because that could be somebody else's. */
function addressIn({ email }: Values): string {
  const fits = typeof email === 'string' && email.length <= longest && /^[\x21-\x7e]+@[\x21-\x7e]+$/.test(email);
  return fits ? email.toLowerCase() : '';
}

/** Returns whether the e-mail address is verified. Entra ID says so by an optional claim of its own. */
const isVerified = ({ email_verified, xms_edov }: Values, issuer: string): boolean =>
  email_verified === undefined && issuer.startsWith('https://login.microsoftonline.com/')
    ? [true, 1, '1', 'true'].includes(xms_edov as never)
    : email_verified === true;

/** Maximum length of a name, as of administrators. */
const longest = 255;

function textIn(claims: Values, name: string): string {
  const value = claims[name];
  return typeof value === 'string' ? value.trim().slice(0, longest) : '';
}

function rolesOf({ claim, roles }: SignOnProvider, claims: Values): readonly string[] {
  const values = [claimAt(claims, claim)].flat();
  const given = values.flatMap((value) => (typeof value === 'string' && Object.hasOwn(roles, value) ? (roles[value] ?? []) : []));
  return [...new Set(given)];
}

/** Returns the value of a claim; at a path if no claim has the name. Undefined if there is none. */
function claimAt(claims: Values, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), claims);
}
