import { createHash, randomBytes } from 'node:crypto';
import { is, type Match } from '#store/form/matches.js';
import type { ContentContext } from '#content/content-context.js';
import { hashPassword } from '#content/hash-passwords.js';
import { fieldErrors } from '#base/errors.js';
import { scalarProblems } from '#model/schema/scalar-types.js';
import { userType } from '../user-store.js';

/** A hash to compare with if there is no password, so that both cases take the same time. */
let nobody: Promise<string> | undefined;

/** Maximum length of a password in bytes, because bcrypt ignores the rest. */
const longest = 72;

/** Returns whether a password matches the stored hash. It takes the same time if there is no hash, and for invalid passwords. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const fits = Buffer.byteLength(password) <= longest && !password.includes('\0');
  const spare = await (nobody ??= hashPassword('of nobody'));
  const { default: bcrypt } = await import('bcrypt'); // a native module, loaded with the first password
  const equal = await bcrypt.compare(fits ? password : '', stored ?? spare);
  return equal && fits && stored !== null;
}

/** Returns the hash of a new password. Throws a ValidationError if the attribute does not allow the password. */
export async function hashNewPassword(password: string, content: ContentContext): Promise<string> {
  const attribute = userType(content).attributes.get('password');
  if (attribute?.kind === 'scalar') {
    const problems = scalarProblems(password, attribute, 'password', { mode: 'create', draft: false });
    if (problems.length > 0) throw fieldErrors(problems.map((message) => ({ path: ['password'], message })));
  }
  return hashPassword(password, content.store.database.sender);
}

/** Returns the hash of a code, so that the code cannot be read from the database. */
export const hashCode = (code: string): string => createHash('sha256').update(code).digest('hex');

/** Returns a random code of a length in bytes, in hexadecimal digits. */
export const makeCode = (bytes: number): string => randomBytes(bytes).toString('hex');

/**
 * Returns the stored form of a code that expires after a lifetime in seconds. Hash and time are one value, so that both are
 * written and found together.
 */
export const storedCode = (code: string, lifetime: number): string => `${hashCode(code)}.${String(Date.now() + lifetime * 1000)}`;

/** Returns whether a string is the stored form of a code. */
export const isStoredCode = (text: string): boolean => /^[0-9a-f]{64}\.\d{13}$/.test(text);

/**
 * Returns a match for the stored form of a code that has not expired. Unix times in milliseconds have 13 digits until the year
 * 2286.
 */
export function heldCode(code: string): Match {
  const hash = hashCode(code);
  return is.between(`${hash}.${String(Date.now())}`, `${hash}/`);
}
