import { payloadTooLargeError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';

const texts = new WeakMap<object, string>();

/** Returns an answer as JSON. It is made once, because it is measured and then sent. */
export function jsonText(answer: Values): string {
  const text = texts.get(answer) ?? JSON.stringify(answer);
  texts.set(answer, text);
  return text;
}

/** Returns the bytes of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? 'null');

/** Returns the bytes by which an answer is larger than it may be; not more than 0 if it fits. This is the measure of all answers. */
const excessOf = (answer: Values, maxBytes: number): number => Buffer.byteLength(jsonText(answer)) - maxBytes;

/** Returns whether an answer has at most so many bytes. */
export const fits = (answer: Values, maxBytes: number): boolean => excessOf(answer, maxBytes) <= 0;

/** Returns an answer that fits. Throws a PayloadTooLargeError for others. */
export function refuseLarge(answer: Values, maxBytes: number): Values {
  if (excessOf(answer, maxBytes) <= 0) return answer;
  throw payloadTooLargeError(`The answer has more than ${String(maxBytes)} bytes (api.mcp.maxBytes)`);
}

/** Makes an answer of some of its entries. `isWhole`: they are all. */
type AnswerOf = (entries: readonly Values[], isWhole: boolean) => Values;

/**
 * Returns the answer of as many entries of a list, from the first on, as fit. A first one that is too large alone is cut. Throws a
 * PayloadTooLargeError if that does not help.
 */
export function fitEntries(all: readonly Values[], maxBytes: number, answerOf: AnswerOf): Values {
  const whole = answerOf(all, true);
  if (excessOf(whole, maxBytes) <= 0) return whole;
  const sizes = all.map((entry) => jsonBytes(entry) + 1);
  for (let room = maxBytes; room > 0;) {
    const count = Math.max(countWithin(sizes, room), 1);
    const used = sizes.slice(0, count).reduce((sum, size) => sum + size, 0);
    const entries = used <= room ? all.slice(0, count) : all.slice(0, 1).map((entry) => cutEntry(entry, room - 1));
    const answer = answerOf(entries, count === all.length);
    const excess = excessOf(answer, maxBytes);
    if (excess <= 0) return answer;
    room = Math.min(used, room) - excess;
  }
  throw tooLarge();
}

/** Returns how many of the first sizes have a sum of at most `room`. */
function countWithin(sizes: readonly number[], room: number): number {
  let used = 0;
  const end = sizes.findIndex((size) => (used += size) > room);
  return end === -1 ? sizes.length : end;
}

/** Returns an answer that fits: the same, or one whose `entry` is cut. Throws a PayloadTooLargeError if that does not help. */
export function fitEntry(answer: Values, maxBytes: number): Values {
  const { entry, ...others } = answer;
  if (!isRecord(entry)) return refuseLarge(answer, maxBytes);
  return fitEntries([entry], maxBytes, ([shown]) => (shown === entry ? answer : { ...others, entry: shown }));
}

const tooLarge = () => payloadTooLargeError('The answer is too large (api.mcp.maxBytes): ask for fewer fields, or populate less');

/** The name under which an entry lists the attributes whose values are not whole. */
const mark = '_truncated';

/** Texts that are shorter are not cut: the values that contain them are left out instead. */
const shortestCut = 100;

/**
 * Returns an entry of at most `room` bytes: its longest texts are cut, and if that does not help, its largest values are null. Throws a
 * PayloadTooLargeError for one that has too many values for that.
 */
function cutEntry(entry: Values, room: number): Values {
  const { [mark]: former, ...plain } = JSON.parse(JSON.stringify(entry)) as Values; // an object, as before
  const namesBefore = Array.isArray(former) ? former.map(String) : [];
  const wholeTexts = new Map(Object.entries(plain).map(([name, value]) => [name, JSON.stringify(value)]));
  const marked = (values: Values): Values => {
    const names = Object.keys(plain).filter((name) => JSON.stringify(values[name]) !== wholeTexts.get(name));
    return { ...values, [mark]: [...new Set([...namesBefore, ...names])] };
  };
  let shown = plain;
  for (let length = Math.floor(room / 2); length >= shortestCut; length = Math.floor(length * 0.7)) {
    shown = cutTexts(plain, length) as Values; // an object, as before
    if (jsonBytes(marked(shown)) <= room) return marked(shown);
  }
  const left = marked(leaveOutLargest(shown, room - jsonBytes(namesBefore)));
  if (jsonBytes(left) > room) throw tooLarge();
  return left;
}

function cutTexts(value: unknown, length: number): unknown {
  if (typeof value === 'string') return value.length > length ? cutText(value, length) : value;
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, length));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutTexts(inner, length)]));
}

/** Cuts a text, but no character that takes two places. */
const cutText = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

const nullBytes = 4;

/** Sets the largest values to null until the rest fits, with the names of all values that may have been cut. */
function leaveOutLargest(entry: Values, room: number): Values {
  const left: Record<string, unknown> = { ...entry };
  const sizes = Object.entries(entry).map(([name, value]) => [name, jsonBytes(value)] as const);
  let bytes = jsonBytes(entry) + jsonBytes({ [mark]: Object.keys(entry) });
  for (const [name, size] of sizes.sort((a, b) => b[1] - a[1])) {
    if (bytes <= room || size <= nullBytes) break;
    if (name === 'id' || name === '_version') continue;
    left[name] = null;
    bytes -= size - nullBytes;
  }
  return left;
}
