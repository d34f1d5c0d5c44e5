/** Levels of lists and objects that are written in pieces: enough for the entries of a list and for related entries. */
const levels = 6;

/**
 * Returns the bytes of the JSON of a value. The text is created in pieces that become bytes immediately, so that it is never in
 * memory as a whole. `estimate` is the approximate number of bytes.
 */
export function writeJson(value: object, estimate: number): Buffer {
  const writer = new JsonWriter(estimate);
  writer.write(value, 0);
  return writer.bytes;
}

class JsonWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(estimate: number) {
    this.#buffer = Buffer.allocUnsafeSlow(Math.ceil(estimate));
  }

  /** The bytes that were written so far. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Writes a value. Returns false if it has no JSON form. `level` is the number of lists and objects around the value. */
  write(value: unknown, level: number): boolean {
    if (level < levels && Array.isArray(value)) return this.#writeList(value, level + 1);
    if (level < levels && isPlain(value)) return this.#writeObject(value, level + 1);
    // undefined for values without a JSON form, such as functions
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) this.#append(text);
    return text !== undefined;
  }

  #writeList(items: readonly unknown[], level: number): true {
    let before = '[';
    for (const item of items) {
      this.#append(before);
      if (!this.write(item, level)) this.#append('null');
      before = ',';
    }
    this.#append(items.length === 0 ? '[]' : ']');
    return true;
  }

  #writeObject(values: Readonly<Record<string, unknown>>, level: number): true {
    let before = '{';
    for (const key of Object.keys(values)) {
      const start = this.#length;
      this.#append(`${before}${JSON.stringify(key)}:`);
      if (this.write(values[key], level)) before = ',';
      else this.#length = start;
    }
    this.#append(before === '{' ? '{}' : '}');
    return true;
  }

  #append(text: string): void {
    const end = this.#length + Buffer.byteLength(text);
    if (end > this.#buffer.length) this.#grow(end);
    this.#buffer.write(text, this.#length);
    this.#length = end;
  }

  #grow(size: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.ceil(1.25 * size));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** Returns whether a value is an object without a special JSON form. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
