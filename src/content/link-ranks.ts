import type { Ranked } from '../mongo/write/link-changes.js';
import { nextRank } from './build-parts.js';

/**
 * Returns ranks by id that put a list into the given order, only for entries whose rank must change. Entries that are in order
 * already keep their rank, and moved ones get a rank in between. All entries get new ranks only if nothing fits in between.
 */
export function planRanks(ordered: readonly Ranked[]): ReadonlyMap<number, number> {
  const kept = longestRisingRun(ordered);
  const changed = new Map<number, number>();
  let below = 0;
  for (let start = 0; start < ordered.length;) {
    const entry = ordered[start];
    if (entry === undefined) break;
    if (kept.has(entry.id)) {
      below = entry.rank ?? below;
      start++;
      continue;
    }
    let end = start;
    while (end < ordered.length && !kept.has(ordered[end]?.id ?? 0)) end++;
    const above = ordered[end]?.rank ?? null;
    const ranks = ranksBetween(below, above, end - start);
    if (ranks === null) return rankAnew(ordered);
    for (const [offset, rank] of ranks.entries()) changed.set(ordered[start + offset]?.id ?? 0, rank);
    start = end;
  }
  return changed;
}

/** Returns the ids of the longest subsequence whose ranks already rise. */
function longestRisingRun(ordered: readonly Ranked[]): ReadonlySet<number> {
  const ends: { readonly rank: number; readonly index: number }[] = [];
  const before = new Map<number, number>();
  for (const [index, { rank }] of ordered.entries()) {
    if (rank === null) continue;
    const at = firstNotBelow(ends, rank);
    const previous = ends[at - 1];
    if (previous !== undefined) before.set(index, previous.index);
    ends[at] = { rank, index };
  }
  const kept = new Set<number>();
  for (let index = ends.at(-1)?.index; index !== undefined; index = before.get(index)) kept.add(ordered[index]?.id ?? 0);
  return kept;
}

/** Returns the index of the first rising rank that is not below a rank; the length if all are below. */
function firstNotBelow(ends: readonly { readonly rank: number }[], rank: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle]?.rank ?? Infinity) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

function ranksBetween(below: number, above: number | null, count: number): number[] | null {
  if (above === null) return Array.from({ length: count }, () => nextRank(below));
  const step = (above - below) / (count + 1);
  const ranks = Array.from({ length: count }, (_, index) => below + step * (index + 1));
  const fits = step > 0 && ranks.every((rank, index) => rank > (ranks[index - 1] ?? below) && rank < above);
  return fits ? ranks : null;
}

const rankAnew = (ordered: readonly Ranked[]): ReadonlyMap<number, number> => new Map(ordered.map(({ id }) => [id, nextRank()]));
