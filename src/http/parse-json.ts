import { isUtf8 } from 'node:buffer';
import { fieldErrors } from '../errors.js';
import { bodyInvalid, rawError } from './error-response.js';
import { decodeOrNull } from '../values.js';

/**
 * Returns the object or list of a JSON body; an empty object for an empty body. Throws a 400 with the engine's message for
 * invalid JSON, a 400 for a value that is not an object or list, and the errors of `checkJson`.
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
    // Node 22 appends the line and column, which answers of Strapi v4 do not have.
    throw rawError(400, 'SyntaxError', message.replace(/ \(line \d+ column \d+\)$/, ''));
  }
}

/**
 * Returns the value of JSON in a form field; null if it is invalid. Throws the errors of `checkJson`, with the name of the field.
 */
export function decodeField(text: string, name: string, depth: number): unknown {
  const value = decodeOrNull(text);
  checkJson(value, depth, name);
  return value;
}

/**
 * Throws a 400 for a decoded body that is nested deeper than `depth`, has a key `__proto__` or a key with a NUL character, which
 * MongoDB cannot store, or holds half of a surrogate pair, which UTF-8 does not have. `depth` is at most 1,000, which fits on the
 * stack.
 */
export function checkJson(root: unknown, depth: number, name = 'request body'): void {
  if (!checkLevel(root, 1, { depth, name })) throw illFormed(name, placeOfIllFormed(root) ?? []);
}

interface Levels {
  readonly depth: number;
  readonly name: string;
}

/** Returns the error for a text that is not well-formed. Paths of data of entries begin with the attribute. */
function illFormed(name: string, place: readonly string[]): Error {
  const path = place[0] === 'data' ? place.slice(1) : place;
  return fieldErrors([{ path, message: `${path.join('.') || name} must not hold half of a surrogate pair` }]);
}

/** Returns the path of a text or key that is not well-formed; null if there is none. */
function placeOfIllFormed(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : [];
  if (!isObject(value)) return null;
  for (const [key, inner] of Object.entries(value)) {
    const place = key.isWellFormed() ? placeOfIllFormed(inner) : [];
    if (place !== null) return [key.toWellFormed(), ...place];
  }
  return null;
}

/**
 * Checks one level. Returns false if some text is not well-formed. A body may have a million lists, so they are visited without
 * allocating memory.
 */
function checkLevel(holder: unknown, level: number, levels: Levels): boolean {
  if (typeof holder === 'string') return holder.isWellFormed();
  if (!isObject(holder)) return true;
  if (level > levels.depth) throw bodyInvalid(`${levels.name} is nested deeper than ${String(levels.depth)} levels`);
  let isWellFormed = true;
  if (Array.isArray(holder)) {
    for (const value of holder) if (!checkLevel(value, level + 1, levels)) isWellFormed = false;
    return isWellFormed;
  }
  for (const [key, value] of Object.entries(holder)) {
    if (key === '__proto__' || key.includes('\0')) throw bodyInvalid(`${levels.name} has a key that is not allowed`);
    if (!key.isWellFormed() || !checkLevel(value, level + 1, levels)) isWellFormed = false;
  }
  return isWellFormed;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
