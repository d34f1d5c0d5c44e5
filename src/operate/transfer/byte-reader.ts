export const newline = 10;

/** Reads lines and numbers of bytes from a source. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Buffer = Buffer.alloc(0);
  /** Memory that is used again: a new buffer for each part would keep the garbage collector busy. */
  #taken: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns the next line with its end; null at the end of the source. A line without an end, or too long, ends there. */
  async line(longest: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    for (let size = 0; size < longest;) {
      if (this.#buffer.length === 0 && !(await this.#fill())) break;
      const end = this.#buffer.indexOf(newline);
      const piece = this.#buffer.subarray(0, end === -1 ? this.#buffer.length : end + 1);
      this.#buffer = this.#buffer.subarray(piece.length);
      pieces.push(piece);
      size += piece.length;
      if (end !== -1) break;
    }
    return pieces.length === 0 ? null : Buffer.concat(pieces);
  }

  /** Returns a number of bytes, which are valid until the next call; null if the source ends before. */
  async take(count: number): Promise<Buffer | null> {
    if (this.#taken.length < count) this.#taken = Buffer.allocUnsafeSlow(count);
    const bytes = this.#taken.subarray(0, count);
    for (let size = 0; size < count;) {
      if (this.#buffer.length === 0 && !(await this.#fill())) return null;
      const copied = this.#buffer.copy(bytes, size);
      this.#buffer = this.#buffer.subarray(copied);
      size += copied;
    }
    return bytes;
  }

  async #fill(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done === true) return false;
    this.#buffer = Buffer.from(value.buffer, value.byteOffset, value.length);
    return true;
  }
}

/** Passes bytes on. Throws the error of `excess` if there are more than `limit`. */
export async function* upTo(limit: number, source: AsyncIterable<Uint8Array>, excess: () => Error): AsyncGenerator<Uint8Array> {
  let left = limit;
  for await (const bytes of source) {
    left -= bytes.length;
    if (left < 0) throw excess();
    yield bytes;
  }
}
