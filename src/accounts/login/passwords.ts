import { createHash, randomBytes } from 'node:crypto';
import { between, type Match } from '../../mongo/matches.js';
import { fieldErrors } from '../../errors.js';
import { scalarProblems } from '../../schema/check-scalar.js';
import type { ContentType } from '../../schema/content-type.js';

/** Rounds of bcrypt, as in Strapi v4. */
const rounds = 10;

/** Loaded with the first password: it is a native module. */
const loadBcrypt = async () => (await import('bcrypt')).default;

/** The hash that is compared with if there is no password, so that both cases take the same time. */
const hashOfNobody = async (): Promise<string> => (await loadBcrypt()).hash('of nobody', rounds);

let nobody: Promise<string> | undefined;

/** bcrypt reads no further. */
const longest = 72;

/**
 * Returns whether a password is the stored one. Takes the same time if none is stored, and for passwords that are not allowed.
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const fits = Buffer.byteLength(password) <= longest && !password.includes('\0');
  const spare = await (nobody ??= hashOfNobody());
  const equal = await (await loadBcrypt()).compare(fits ? password : '', stored ?? spare);
  return equal && fits && stored !== null;
}

/** The stored form of a new password. Throws a ValidationError if it is not allowed. */
export async function hashPassword(password: string, user: ContentType): Promise<string> {
  const attribute = user.attributes.get('password');
  if (attribute?.kind === 'scalar') {
    const problems = scalarProblems(password, attribute, 'password', { mode: 'create', draft: false });
    if (problems.length > 0) throw fieldErrors(problems.map((message) => ({ path: ['password'], message })));
  }
  return (await loadBcrypt()).hash(password, rounds);
}

/** Returns the stored form of a code, a hash. A reader of the database cannot use it. */
export const hashCode = (code: string): string => createHash('sha256').update(code).digest('hex');

/** Returns a code of that many random bytes, in hexadecimal digits. */
export const makeCode = (bytes: number): string => randomBytes(bytes).toString('hex');

/**
 * Returns the stored form of a code that expires after some seconds: its hash and the time in one value, so that both are written
 * and found together.
 */
export const storedCode = (code: string, lifetime: number): string => `${hashCode(code)}.${String(Date.now() + lifetime * 1000)}`;

/** Whether a text is the stored form of a code. */
export const isStoredCode = (text: string): boolean => /^[0-9a-f]{64}\.\d{13}$/.test(text);

/**
 * Returns a match for the stored form of a code that has not expired. Unix times in milliseconds have 13 digits until the year
 * 2286.
 */
export function heldCode(code: string): Match {
  const hash = hashCode(code);
  return between(`${hash}.${String(Date.now())}`, `${hash}/`);
}
