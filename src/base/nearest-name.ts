/** Characters of a name that is compared. The distance takes time by its length, and clients may send any. */
const longestName = 100;

/** Returns the known name that is most similar to a misspelt one, by edit distance; null if none is similar or the name is too long. */
export function nearestName(name: string, names: Iterable<string>): string | null {
  if (name.length > longestName) return null;
  const ranked = [...names].map((candidate) => ({
    candidate,
    distance: editDistance(name.toLowerCase(), candidate.toLowerCase()),
  }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  return best && best.distance <= mostChanges(name) ? best.candidate : null;
}

/** Returns how many changes a misspelt name may need. A short one that needs two has little in common with the other. */
const mostChanges = ({ length }: string): number => Math.max(Math.min(2, Math.floor(length / 2)), Math.floor(length / 3));

/** Returns the end of a message about an unknown name, with the most similar known name; empty if none is similar. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const near = nearestName(name, names);
  return near === null ? '' : `; did you mean ${near}?`;
}

/** Does the same, but lists all known names if none is similar and there are few. */
export function suggest(name: string, names: Iterable<string>): string {
  const candidates = [...names];
  return didYouMean(name, candidates) || (candidates.length > mostListed ? '' : `; known: ${candidates.join(', ')}`);
}

const mostListed = 30;

/** Returns the Levenshtein distance: the minimum number of insertions, deletions and replacements of one character. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) row = nextRow(row, index + 1, (column) => to[column] === letter);
  return row.at(-1) ?? 0;
}

function nextRow(row: readonly number[], first: number, same: (column: number) => boolean): number[] {
  const next = [first];
  for (let column = 1; column < row.length; column += 1) {
    const replaced = (row[column - 1] ?? 0) + (same(column - 1) ? 0 : 1);
    next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
  }
  return next;
}
