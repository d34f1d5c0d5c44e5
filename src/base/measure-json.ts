/** The size of a JSON text when it is decoded. */
interface JsonSize {
  /** Approximate number of bytes of its values, including the text itself. */
  readonly bytes: number;
  /** Number of objects and lists. */
  readonly holders: number;
  /** Approximate number of values, including objects and lists. */
  readonly values: number;
  /** Number of objects and lists around the innermost value. */
  readonly depth: number;
}

/** Approximate number of bytes per value in a list or object. */
const valueBytes = 40;

/** Measures a JSON text without decoding it, by counting commas and brackets outside of strings. */
export function measureJson(text: Uint8Array): JsonSize {
  const { length } = text;
  let [commas, holders, level, depth] = [0, 0, 0, 0];
  let isInString = false;
  // an iterator over the bytes takes forty times as long
  for (let index = 0; index < length; index += 1) {
    const byte = text[index];
    if (byte === quote) isInString = !isInString;
    else if (isInString) index += byte === backslash ? 1 : 0;
    else if (byte === comma) commas += 1;
    else if (byte === bracket || byte === brace) {
      holders += 1;
      level += 1;
      if (level > depth) depth = level;
    } else if (byte === closingBracket || byte === closingBrace) level -= 1;
  }
  const values = commas + holders;
  return { bytes: length + valueBytes * values, holders, values, depth };
}

const [quote, backslash, comma, bracket, brace, closingBracket, closingBrace] = Buffer.from('"\\,[{]}');
