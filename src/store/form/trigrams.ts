/** Number of characters in a trigram. */
const size = 3;

/** Maximum number of trigrams that are stored for one text, about those of five pages. Each is a key of the index. */
const mostKept = 2_000;

/** Length from which texts have more trigrams than are stored, unless they repeat themselves. */
const longest = 100_000;

/**
 * Returns the trigrams that are stored for a text: its sequences of three characters, in folded case. Returns null, which matches
 * any search, if there are too many, and `''`, which matches none, for a shorter text or a value that is not text.
 */
export function storedTrigrams(value: unknown): readonly string[] | '' | null {
  if (typeof value !== 'string') return '';
  if (value.length > longest) return null;
  const runs = trigramsOf(value, mostKept);
  if (runs.size > mostKept) return null;
  return runs.size === 0 ? '' : [...runs];
}

/** Returns the sequences of three characters of a text, in folded case; at most one more than `max`. */
export function trigramsOf(text: string, max = Infinity): ReadonlySet<string> {
  const folded = foldCase(text);
  const characters = surrogates.test(folded) ? Array.from(folded) : null;
  const length = characters?.length ?? folded.length;
  const runs = new Set<string>();
  for (let start = 0; start + size <= length && runs.size <= max; start += 1)
    runs.add(characters?.slice(start, start + size).join('') ?? folded.slice(start, start + size));
  return runs;
}

const surrogates = /[\ud800-\udfff]/;

/**
 * Returns a text in folded case. Characters that a case-insensitive pattern of the database treats as equal become equal. Each
 * character is folded separately, so that a part of a text becomes a part of the result. Some become two: `ß` and `ẞ` become
 * `ss`.
 */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
