/** Texts beyond this many characters are measured in UTF-8, shorter ones taken as ASCII. */
const longText = 100;

/** About how many bytes a value takes in an answer, as JSON with the quotes and the comma around it and its key. */
export function bytesOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 6 + (value.length > longText ? Buffer.byteLength(value) : value.length);
    case 'object':
      return 6 + (value === null ? 0 : bytesWithin(value));
    default:
      return 10;
  }
}

function bytesWithin(structure: object): number {
  let bytes = 0;
  if (Array.isArray(structure)) for (const item of structure) bytes += bytesOf(item);
  else for (const [key, item] of Object.entries(structure)) bytes += key.length + bytesOf(item);
  return bytes;
}
