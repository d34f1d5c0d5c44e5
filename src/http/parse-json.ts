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

/**
 * Throws a 400 for a decoded body that nests deeper than `depth`, or that has a key with a NUL in it (no document can contain it) or
 * the key `__proto__`. Level by level, so that no body exhausts the stack.
 */
export function checkJson(root: unknown, depth: number): void {
  let level: readonly object[] = isObject(root) ? [root] : [];
  for (let count = 1; level.length > 0; count += 1) {
    if (count > depth) throw bodyInvalid(`request body is nested deeper than ${String(depth)} levels`);
    level = nextLevel(level);
  }
}

/** The objects and lists in those of a level, in one list: a list for each takes five times as long. */
function nextLevel(level: readonly object[]): readonly object[] {
  const next: object[] = [];
  for (const holder of level) {
    if (!Array.isArray(holder)) checkKeys(holder);
    for (const value of Array.isArray(holder) ? holder : Object.values(holder)) if (isObject(value)) next.push(value);
  }
  return next;
}

function checkKeys(holder: object): void {
  for (const key of Object.keys(holder))
    if (key === '__proto__' || key.includes('\0')) throw bodyInvalid('request body has a key that is not allowed');
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** About how many bytes a value in a list or object takes. */
const valueBytes = 40;

/** About how many bytes the values of a JSON text take besides the text itself: at each comma and bracket there is one. */
export function decodedBytes(text: Buffer): number {
  const { length } = text;
  let values = 0;
  // An iterator over the bytes takes forty times as long.
  for (let index = 0; index < length; index += 1) values += beginsValue[text[index] ?? 0] ?? 0;
  return length + valueBytes * values;
}

const beginsValue = Uint8Array.from({ length: 256 }, (_, code) => (',[{'.includes(String.fromCharCode(code)) ? 1 : 0));
