import { validationError } from '../errors.js';
import { Queue, type Sender } from '../queue.js';

/** A place that a password is stored in once it is hashed. */
export interface PlainPassword {
  readonly holder: Record<string, unknown>;
  readonly name: string;
  readonly value: unknown;
}

/** Rounds of bcrypt, as in Strapi v4. */
const rounds = 10;

/** Passwords of one write. A hash takes a thread for 60 ms and longer. */
const mostPasswords = 20;

/** Of the four threads that the process has for such work, log-ins always find two. */
const hashing = new Queue({ atOnce: 2 });

/** Puts the hashes of passwords into their places. Throws a ValidationError if there are too many. */
export async function hashPasswords(passwords: readonly PlainPassword[], sender: Sender | null): Promise<void> {
  if (passwords.length > mostPasswords) throw validationError(`One write takes at most ${String(mostPasswords)} passwords`);
  const { default: bcrypt } = await import('bcrypt'); // a native module, loaded with the first password
  await Promise.all(
    passwords.map(async ({ holder, name, value }) => {
      holder[name] = await hashing.run(() => bcrypt.hash(String(value), rounds), sender ?? undefined);
    }),
  );
}
