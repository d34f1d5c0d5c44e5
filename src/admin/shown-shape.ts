import type { ShapeReads } from '../mongo/stores/shape-store.js';

/** Returns the reads of a shape as they are answered: what they cost, and the index that would serve them. */
export function shownShape({ uid, shape, way, count, slow, ms, maxMs, lastAt, examined }: ShapeReads) {
  const reads = { uid, shape, way, count, slow, ms: { total: ms, average: Math.round(ms / count), max: maxMs }, lastAt };
  if (examined === null) return { ...reads, unindexed: null, plan: null, advice: null, suggestedIndex: null };
  const { isUnindexed, advice, suggestion, ...plan } = examined;
  const command = suggestion && `npx mangrove models index add ${uid} ${suggestion.keys.join(' ')}`;
  return { ...reads, unindexed: isUnindexed, plan, advice, suggestedIndex: suggestion && { ...suggestion, command } };
}
