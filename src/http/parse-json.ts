import { isUtf8 } from 'node:buffer';
import { checkJson } from './check-json.js';
import { bodyInvalid, rawError } from './raw-error.js';

/**
 * The object or list that a JSON body holds; an empty body is an empty object. Errors as the reference words them (rest.md 2.4):
 * SyntaxError with the engine's message, and its own sentence for anything but an object or list.
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
