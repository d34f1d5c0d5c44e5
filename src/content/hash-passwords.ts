import { validationError } from '#base/errors.js';
import { Queue, type Sender } from '#base/limits/queue.js';

/** A password to hash. `holder[name]` receives the hash. */
export interface PlainPassword {
  readonly holder: Record<string, unknown>;
  readonly name: string;
  readonly value: unknown;
}

/** Rounds of bcrypt, as in Strapi v4. */
const rounds = 10;

/** Maximum number of passwords in one write. A hash occupies a thread for 60 ms or more. */
const mostPasswords = 20;

/** Two of the four threads that Node has for such work, so that two remain for log-ins. */
const hashing = new Queue({ atOnce: 2 });

/** Hashes passwords and sets the hashes in their holders. Throws a ValidationError if there are too many. */
export async function hashPasswords(passwords: readonly PlainPassword[], sender: Sender | null): Promise<void> {
  if (passwords.length > mostPasswords) throw validationError(`One write takes at most ${String(mostPasswords)} passwords`);
  await Promise.all(
    passwords.map(async ({ holder, name, value }) => {
      holder[name] = await hashPassword(String(value), sender);
    }),
  );
}

/** Returns the hash of a password. */
export async function hashPassword(password: string, sender: Sender | null = null): Promise<string> {
  const { default: bcrypt } = await import('bcrypt'); // a native module, loaded with the first password
  return hashing.run(() => bcrypt.hash(password, rounds), sender ?? undefined);
}
