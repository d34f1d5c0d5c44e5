/** Characters of a run. */
const size = 3;

/** Runs that are kept of one text at most: about those of five pages. Each is a key of an index. */
const mostKept = 2_000;

/** Texts of more characters have more runs than are kept, unless they repeat themselves. */
const longest = 100_000;

/**
 * Returns the trigrams that are stored beside a text: its runs of three characters, in one case. Null matches any part; `''`
 * matches none, for a value that is no text or shorter.
 */
export function storedTrigrams(value: unknown): readonly string[] | '' | null {
  if (typeof value !== 'string') return '';
  if (value.length > longest) return null;
  const runs = trigramsOf(value, mostKept);
  if (runs.size > mostKept) return null;
  return runs.size === 0 ? '' : [...runs];
}

/** Returns the runs of three characters of a text, in one case; no more than one over `most`. */
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
 * Returns a text in one case. Characters that a pattern of the database takes for the same when it ignores case become the same here,
 * each by itself, so that a part of a text becomes a part of this one. Some become two: `ß` and `ẞ` become `ss`.
 */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
