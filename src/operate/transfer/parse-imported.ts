import { measureJson } from '#base/measure-json.js';

/**
 * Limits of one JSON text of a source, which is untrusted. A value takes up to twenty times the memory of its text, and each level
 * takes stack.
 */
const most = { values: 2_000_000, depth: 100 };

/** A decoded JSON text. */
interface Imported {
  /** Undefined if the text is not JSON. */
  readonly value: unknown;
  /** Approximate number of bytes that the value takes. */
  readonly bytes: number;
}

/**
 * Decodes a JSON text of a source. `place` names it in errors. Throws an Error for a text that would take too much memory, before
 * it is decoded.
 */
export function parseImported(text: Uint8Array, place: string): Imported {
  const { bytes, values, depth } = measureJson(text);
  if (values > most.values) throw new Error(`${place} has more than ${String(most.values)} values`);
  if (depth > most.depth) throw new Error(`${place} is nested deeper than ${String(most.depth)} levels`);
  return { value: decode(text), bytes };
}

function decode(text: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}
