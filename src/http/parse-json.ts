import { isUtf8 } from 'node:buffer';
import { bodyInvalid, rawError } from './error-response.js';

/**
 * Returns the object or list of a JSON body; an empty body is an empty object. Throws a 400 with the engine's message for
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
    // Node 22 appends the line and the column, which answers of Strapi v4 do not have.
    throw rawError(400, 'SyntaxError', message.replace(/ \(line \d+ column \d+\)$/, ''));
  }
}

/** Returns the value of a text in a form field; null if it is not JSON. Throws a 400 that names the field in the cases of `checkJson`. */
export function decodeField(text: string, name: string, depth: number): unknown {
  const value = decodeOrNull(text);
  checkJson(value, depth, name);
  return value;
}

function decodeOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Throws a 400 for a decoded body that nests deeper than `depth`, or that has a key with a NUL in it (no document can contain it) or
 * the key `__proto__`. `depth`: 1,000 at most, which the stack has room for.
 */
export function checkJson(root: unknown, depth: number, name = 'request body'): void {
  checkLevel(root, 1, { depth, name });
}

interface Levels {
  readonly depth: number;
  readonly name: string;
}

/** A body may consist of a million lists: lists take no memory here. */
function checkLevel(holder: unknown, level: number, levels: Levels): void {
  if (!isObject(holder)) return;
  if (level > levels.depth) throw bodyInvalid(`${levels.name} is nested deeper than ${String(levels.depth)} levels`);
  if (Array.isArray(holder)) {
    for (const value of holder) checkLevel(value, level + 1, levels);
    return;
  }
  for (const [key, value] of Object.entries(holder)) {
    if (key === '__proto__' || key.includes('\0')) throw bodyInvalid(`${levels.name} has a key that is not allowed`);
    checkLevel(value, level + 1, levels);
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** What a JSON text becomes. */
interface JsonSize {
  /** About how many bytes its values take, the text itself included. */
  readonly bytes: number;
  /** Objects and lists. */
  readonly holders: number;
}

/** About how many bytes a value in a list or object takes. */
const valueBytes = 40;

/** Measures a JSON text without decoding it: at each comma and bracket outside of strings there is a value. */
export function measureJson(text: Buffer): JsonSize {
  const { length } = text;
  let values = 0;
  let holders = 0;
  let isInString = false;
  // An iterator over the bytes takes forty times as long.
  for (let index = 0; index < length; index += 1) {
    const byte = text[index];
    if (byte === quote) isInString = !isInString;
    else if (byte === backslash && isInString) index += 1;
    else if (!isInString && byte === comma) values += 1;
    else if (!isInString && (byte === bracket || byte === brace)) holders += 1;
  }
  return { bytes: length + valueBytes * (values + holders), holders };
}

const [quote, backslash, comma, bracket, brace] = Buffer.from('"\\,[{');
