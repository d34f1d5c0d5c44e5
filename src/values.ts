/** Values by name: the attributes of an entry, a decoded body, the arguments of a field. */
export type Values = Readonly<Record<string, unknown>>;

/** Whether a value is an object with values by name, and no list or date. */
export const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Returns the id that a text of digits stands for, leading zeros allowed; 0, which no entry has, for anything else. */
export const decodeId = (value: unknown): number => (/^\d{1,15}$/.test(String(value)) ? Number(value) : 0);

/** Whether a value is a number that an entry may have as id. */
export const isId = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

/** About how many bytes a value takes in UTF-8, as JSON with the quotes and the comma around it and its key. */
export function bytesOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 6 + Buffer.byteLength(value);
    case 'object':
      return 6 + (value === null ? 0 : bytesWithin(value));
    default:
      return 10;
  }
}

function bytesWithin(structure: object): number {
  if (ArrayBuffer.isView(structure)) return structure.byteLength;
  let bytes = 0;
  if (Array.isArray(structure)) for (const item of structure) bytes += bytesOf(item);
  // Without a list of the entries it takes half the time.
  else for (const key in structure) bytes += key.length + bytesOf((structure as Values)[key]);
  return bytes;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people, in whole units of a thousand: `2 MB`. */
export function printSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${String(Math.round(bytes / 1000 ** step))} ${units[step] ?? 'B'}`;
}

/** Escapes a string for the text and the quoted attributes of HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
