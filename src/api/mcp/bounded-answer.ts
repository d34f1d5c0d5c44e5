import { isRecord, type Values } from '#base/values.js';

/** Returns the bytes of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? 'null');

/** The name under which an entry lists the attributes whose values are not whole. */
const mark = '_truncated';

/** Bytes for the rest of an answer: names, a total, a cursor of the usual size, and the names of cut attributes. */
const reserve = 2_000;

/** The first entries of a list that fit, and whether these are all. */
interface Fitted {
  readonly entries: readonly Values[];
  readonly isWhole: boolean;
}

/** Returns the entries that fit into an answer of at most `maxBytes`. A first one that is too large alone is cut. */
export function fitEntries(all: readonly Values[], maxBytes: number): Fitted {
  const room = maxBytes - reserve;
  const entries: Values[] = [];
  let used = 0;
  for (const entry of all) {
    const bytes = jsonBytes(entry) + 1;
    if (used + bytes > room && entries.length > 0) break;
    entries.push(bytes > room ? cutEntry(entry, room) : entry);
    used += bytes;
  }
  return { entries, isWhole: entries.length === all.length };
}

/** Returns an entry that fits into an answer of at most `maxBytes`: the same, or one with shorter values that it names. */
export function fitEntry(entry: Values, maxBytes: number): Values {
  const room = maxBytes - reserve;
  return jsonBytes(entry) <= room ? entry : cutEntry(entry, room);
}

/** Texts that are shorter are not cut: the values that contain them are left out instead. */
const shortestCut = 100;

/** Cuts the longest texts of an entry. If that does not help, also leaves out its largest values. */
function cutEntry(entry: Values, room: number): Values {
  const plain = JSON.parse(JSON.stringify(entry)) as Values; // an object, as before
  let length = Math.floor(room / 2);
  let cut = plain;
  while (length >= shortestCut) {
    cut = cutTexts(plain, length) as Values; // an object, as before
    if (jsonBytes(cut) <= room) break;
    length = Math.floor(length * 0.7);
  }
  const left = leaveOutLargest(cut, room);
  const names = Object.keys(plain).filter((name) => JSON.stringify(left[name]) !== JSON.stringify(plain[name]));
  return { ...left, [mark]: names };
}

function cutTexts(value: unknown, length: number): unknown {
  if (typeof value === 'string') return value.length > length ? cutText(value, length) : value;
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, length));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutTexts(inner, length)]));
}

/** Cuts a text, but no character that takes two places. */
const cutText = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

/** Sets the largest values to null until the rest fits. */
function leaveOutLargest(entry: Values, room: number): Values {
  const left: Record<string, unknown> = { ...entry };
  const sizes = Object.entries(entry).map(([name, value]) => [name, jsonBytes(value)] as const);
  let bytes = jsonBytes(entry);
  for (const [name, size] of sizes.sort((a, b) => b[1] - a[1])) {
    if (bytes <= room) break;
    if (name === 'id' || name === '_version') continue;
    left[name] = null;
    bytes -= size - 4;
  }
  return left;
}
