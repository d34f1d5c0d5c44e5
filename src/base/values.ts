/** Values by name: the attributes of an entry, a decoded body, the arguments of a field. */
export type Values = Readonly<Record<string, unknown>>;

/** Returns whether a value is an object with values by name, not a list or date. */
export const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Returns whether a value is an object with values by name, not an instance of a class, such as a Promise or a Map. */
export const isPlainObject = (value: unknown): value is Values => {
  if (!isRecord(value)) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/** Copies plain objects and lists, so that code may change them. Other values are returned unchanged. */
export function copyPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyPlain);
  return isPlainObject(value) ? mapValues(value, copyPlain) : value;
}

/** Returns the object under a name; an empty one if there is none. */
export const recordIn = (values: Values, name: string): Values => (isRecord(values[name]) ? values[name] : {});

/** Returns the items of a list; none for any other value. */
export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the objects in a list; none for any other value. */
export const recordsIn = (value: unknown): readonly Values[] => itemsOf(value).filter(isRecord);

/** Returns a text; null for any other value. */
export const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Returns the value of JSON; null if it is invalid. */
export function decodeOrNull(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** Returns whether a text has only valid percent-encoded characters. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns an object with another value under each name. */
export const mapValues = <Value, Changed>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Changed,
): Record<string, Changed> => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));

/** Returns a name in the form of uids and paths: `blog-post` for `blogPost` and `Blog Post`. */
export const kebabCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase();

/** Returns the items of a kind; usually all, so that the list is not copied. */
export const only = <Item>(items: readonly unknown[], isOf: (item: unknown) => item is Item): readonly Item[] =>
  items.every(isOf) ? items : items.filter(isOf);

/** Appends an item to the list of a key. */
export function appendTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** Returns the items by key, in their order, as Map.groupBy of newer versions of Node does. */
export function groupBy<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) appendTo(groups, keyOf(item), item);
  return groups;
}

/** Parses an id. Leading zeros are allowed. Returns 0, which no entry has as id, for anything else. */
export const decodeId = (value: unknown): number => (/^\d{1,15}$/.test(String(value)) ? Number(value) : 0);

/** Returns whether a value is a number that may be the id of an entry. */
export const isId = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

/** Returns the approximate size of a value in bytes as JSON in UTF-8, including quotes and comma. */
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
  // Twice as fast as with a list of the entries.
  else for (const key in structure) bytes += key.length + bytesOf((structure as Values)[key]);
  return bytes;
}

const dayLength = 86_400_000;

/** The formatted dates by day. */
const days = new Map<number, string>();
const mostDays = 2_000;

/** The formatted minutes and seconds. */
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/**
 * Returns the same as `toISOString` in a third of the time, because otherwise dates take a tenth of the CPU of a list. Throws a
 * RangeError for an invalid date.
 */
export function isoText(date: Date): string {
  const time = date.getTime();
  const day = Math.floor(time / dayLength);
  const milliseconds = time - day * dayLength;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = Math.floor(milliseconds / 1_000) % 60;
  const clock = `${twoDigits[Math.floor(minutes / 60)] ?? ''}:${twoDigits[minutes % 60] ?? ''}:${twoDigits[seconds] ?? ''}`;
  return `${dayText(day)}${clock}.${String(milliseconds % 1_000).padStart(3, '0')}Z`;
}

/** Returns the date part of a day since 1970, `2024-02-29T`. */
function dayText(day: number): string {
  const cached = days.get(day);
  if (cached !== undefined) return cached;
  const text = new Date(day * dayLength).toISOString().slice(0, -'00:00:00.000Z'.length);
  if (days.size >= mostDays) days.clear();
  days.set(day, text);
  return text;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats a number of bytes in whole units of a thousand: `2 MB`. */
export function printSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return `${String(Math.round(bytes / 1000 ** step))} ${units[step] ?? 'B'}`;
}

/** Escapes a string for the text and the quoted attributes of HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);

/**
 * Control characters, except line breaks and tabs, and those that change the direction of text. A terminal would run the former as
 * commands, and show the latter's text in another order.
 */
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** Returns a text for a terminal: control characters are written as in JSON, such as `\u001b`. */
export const printable = (text: string): string =>
  text.replaceAll(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The pattern of a value of `Cache-Control`, as a regular expression: printable characters without spaces around them. */
export const cacheControlPattern = '^[!-~]([ -~]*[!-~])?$';
