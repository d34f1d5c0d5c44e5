import { createHash, randomBytes } from 'node:crypto';

/** The stored form of a code that was sent by e-mail: who reads the database cannot use it. */
export const hashCode = (code: string): string => createHash('sha256').update(code).digest('hex');

/** A code of so many random bytes, in hex. */
export const makeCode = (bytes: number): string => randomBytes(bytes).toString('hex');
