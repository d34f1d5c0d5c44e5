import type { Random } from '../../../scripts/random.js';

/** Characters of one to four bytes, and some that JSON writes with two or six. */
const characters = ['a', 'Z', ' ', '"', '\\', '\n', '\u0001', 'é', '€', '😀'];

/** Returns a text of at most so many characters. */
export const textOf = (random: Random, most: number): string => {
  const unit = Array.from({ length: 1 + random.below(20) }, () => random.maybe(characters) ?? 'x').join('');
  const text = unit.repeat(1 + random.below(Math.max(Math.ceil(most / unit.length), 1))).slice(0, most);
  return text.toWellFormed().replaceAll('\uFFFD', '');
};

/** Returns the length of a text, short or long. */
export const lengthOf = (random: Random): number => [3, 30, 300, 3_000, 30_000][random.below(5)] ?? 3;

/** Returns a value of JSON. */
export function valueOf(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 1 ? 3 : 5);
  if (kind === 0) return random.oneIn(2) ? null : random.below(1e9);
  if (kind < 3) return textOf(random, lengthOf(random));
  const inner = Array.from({ length: random.below(5) }, () => valueOf(random, depth + 1));
  return kind === 3 ? inner : Object.fromEntries(inner.map((value, index) => [`${textOf(random, 10)}${String(index)}`, value]));
}
