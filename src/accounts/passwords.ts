import bcrypt from 'bcrypt';
import { fieldErrors } from '../errors.js';
import { scalarProblems } from '../schema/check-scalar.js';
import type { ContentType } from '../schema/content-type.js';

/** Rounds of bcrypt, as in the reference. */
const rounds = 10;

/** Compared with where there is no password, so that both take as long. */
const nobody = bcrypt.hash('of nobody', rounds);

/** bcrypt reads no further. */
const longest = 72;

/** Whether a password is the stored one. Takes the same time where there is none, and for passwords that can be nobody's. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const fits = Buffer.byteLength(password) <= longest && !password.includes('\0');
  const equal = await bcrypt.compare(fits ? password : '', stored ?? (await nobody));
  return equal && fits && stored !== null;
}

/** The stored form of a new password. Throws a ValidationError where it is not allowed. */
export async function hashPassword(password: string, user: ContentType): Promise<string> {
  const attribute = user.attributes.get('password');
  if (attribute?.kind === 'scalar') {
    const problems = scalarProblems(password, attribute, 'password', { draft: false });
    if (problems.length > 0) throw fieldErrors(problems.map((message) => ({ path: ['password'], message })));
  }
  return bcrypt.hash(password, rounds);
}
