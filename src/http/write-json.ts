/** Levels of lists and objects that are written piece by piece: those of the entries of a list, and of the entries related to them. */
const levels = 6;

/**
 * Returns the bytes of a value as `JSON.stringify` writes it. The text is never whole in memory: it is made in pieces, and each becomes
 * bytes at once. `estimate`: about how many bytes there are.
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

  /** What was written so far. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Returns whether there was something to write. `level`: the lists and objects around the value. */
  write(value: unknown, level: number): boolean {
    if (level < levels && Array.isArray(value)) return this.#writeList(value, level + 1);
    if (level < levels && isPlain(value)) return this.#writeObject(value, level + 1);
    // Undefined for what is no JSON, such as a function.
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

/** Whether a value is an object without a form of its own in JSON. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
