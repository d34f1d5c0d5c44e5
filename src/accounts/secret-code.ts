import { createHash, randomBytes } from 'node:crypto';

/** The stored form of a code: who reads the database cannot use it. */
export const hashCode = (code: string): string => createHash('sha256').update(code).digest('hex');

/** A code of so many random bytes, in hex. */
export const makeCode = (bytes: number): string => randomBytes(bytes).toString('hex');

/** The stored form of a code that runs out after so many seconds: its hash and the time, so that both are set and found as one. */
export const storedCode = (code: string, lifetime: number): string => `${hashCode(code)}.${String(Date.now() + lifetime * 1000)}`;

/** What the stored form of a code must meet as long as it holds. Times of Unix in milliseconds have 13 digits until 2286. */
export function heldCode(code: string): { readonly $gt: string; readonly $lt: string } {
  const hash = hashCode(code);
  return { $gt: `${hash}.${String(Date.now())}`, $lt: `${hash}/` };
}
