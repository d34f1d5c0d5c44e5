import type { ByteSource } from '../../media/storage/file-storage.js';

const newline = 10;

/** Returns the lines of a text, empty ones left out. Throws an Error for a line of more than `limit` bytes. */
export async function* readLines(source: ByteSource, limit: number): AsyncGenerator<string> {
  let held: Uint8Array[] = [];
  let size = 0;
  const take = (last: Uint8Array): string => {
    const text = Buffer.concat([...held, last]).toString('utf8');
    held = [];
    size = 0;
    return text;
  };
  for await (const bytes of source) {
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      assertFits(size + end - start, limit);
      const line = take(bytes.subarray(start, end));
      if (line !== '') yield line;
      start = end + 1;
    }
    const rest = bytes.subarray(start);
    if (rest.length > 0) held.push(rest);
    size += rest.length;
    assertFits(size, limit);
  }
  const last = take(new Uint8Array());
  if (last !== '') yield last;
}

function assertFits(size: number, limit: number): void {
  if (size > limit) throw new Error(`a line has more than ${String(limit)} bytes`);
}
