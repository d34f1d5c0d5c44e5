import { bodyInvalid } from './raw-error.js';

/**
 * Refuses, with 400, a decoded body that nests deeper than `depth`, or that has a key with a NUL in it (no document can hold it) or
 * the key `__proto__`. Level by level, so that no body exhausts the stack.
 */
export function checkJson(root: unknown, depth: number): void {
  let level: readonly object[] = holders([root]);
  for (let count = 1; level.length > 0; count += 1) {
    if (count > depth) throw bodyInvalid(`request body is nested deeper than ${String(depth)} levels`);
    level = level.flatMap(below);
  }
}

function below(holder: object): readonly object[] {
  if (Array.isArray(holder)) return holders(holder);
  for (const key of Object.keys(holder))
    if (key === '__proto__' || key.includes('\0')) throw bodyInvalid('request body has a key that is not allowed');
  return holders(Object.values(holder));
}

const holders = (values: readonly unknown[]): readonly object[] =>
  values.filter((value): value is object => typeof value === 'object' && value !== null);
