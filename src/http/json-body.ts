import { isUtf8 } from 'node:buffer';
import { bodyInvalid, rawError } from './raw-error.js';

/**
 * Returns the object or list that a JSON body holds; an empty body is an empty object. Throws a 400 with the engine's message for
 * text that is not JSON, and for a value that is no object or list; and those of `checkJson`.
 */
export function parseJson(bytes: Buffer, depth: number): unknown {
  if (!isUtf8(bytes)) throw bodyInvalid('request body is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (text === '') return {};
  if (!/^[ \t\n\r]*[[{]/.test(text)) throw rawError(400, 'Error', 'invalid JSON, only supports object and array');
  const value = decode(text);
  checkJson(value, depth);
  return value;
}

function decode(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'invalid JSON';
    // Node 22 adds the line; clients know the sentence without it.
    throw rawError(400, 'SyntaxError', message.replace(/ \(line \d+ column \d+\)$/, ''));
  }
}

/**
 * Throws a 400 for a decoded body that nests deeper than `depth`, or that has a key with a NUL in it (no document can hold it) or
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
