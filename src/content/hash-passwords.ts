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

/** Hashes of bcrypt, up to a cost of a second. */
const hashForm = /^\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

/**
 * Hashes passwords and sets the hashes in their holders. A value that is a hash already stays if `keepsHashes`; that of PHP is the same by
 * another name. Throws a ValidationError if there are too many.
 */
export async function hashPasswords(
  passwords: readonly PlainPassword[],
  { sender, keepsHashes }: { readonly sender: Sender | null; readonly keepsHashes: boolean },
): Promise<void> {
  if (passwords.length > mostPasswords) throw validationError(`One write takes at most ${String(mostPasswords)} passwords`);
  await Promise.all(
    passwords.map(async ({ holder, name, value }) => {
      const text = String(value);
      holder[name] = keepsHashes && hashForm.test(text) ? text.replace('$2y$', '$2b$') : await hashPassword(text, sender);
    }),
  );
}

/** Returns the hash of a password. */
export async function hashPassword(password: string, sender: Sender | null = null): Promise<string> {
  const { default: bcrypt } = await import('bcrypt'); // a native module, loaded with the first password
  return hashing.run(() => bcrypt.hash(password, rounds), sender ?? undefined);
}
