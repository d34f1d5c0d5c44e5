import bcrypt from 'bcrypt';

/*
 * A hash of bcrypt takes 60 ms of a processor, and tests use the same few passwords again and again: in a process, each password is
 * hashed once, and compared with the same hash once. `import bcrypt from 'bcrypt'` has these functions, its named exports have not.
 */
const { hash, compare } = bcrypt;

const results = new Map<string, Promise<unknown>>();

/** Returns the result of the first work with a key, which has the same type in each call. */
function once<Result>(key: readonly unknown[], work: () => Promise<Result>): Promise<Result> {
  const text = JSON.stringify(key);
  const result = results.get(text) ?? work();
  results.set(text, result);
  return result as Promise<Result>;
}

Object.assign(bcrypt, {
  hash: (password: string, rounds: number) => once(['hash', password, rounds], () => hash(password, rounds)),
  compare: (password: string, stored: string) => once(['compare', password, stored], () => compare(password, stored)),
});
