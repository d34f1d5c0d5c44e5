/** Returns a negative number if `a` is the older version, a positive one if `b` is, otherwise 0: the order of Semantic Versioning. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [partsOf(a), partsOf(b)];
  const order = compareLists(first.numbers, second.numbers);
  if (order !== 0 || (first.stage.length === 0 && second.stage.length === 0)) return order;
  if (first.stage.length === 0 || second.stage.length === 0) return second.stage.length - first.stage.length;
  return compareLists(first.stage, second.stage);
}

/**
 * Returns whether a version is in a range of comparisons, such as `>=4.0.0 <4.10.8 || 5.0.1`: one of those between `||` has to hold as a
 * whole. A version before a release is in the range if its place in the order is.
 */
export const isInRange = (version: string, range: string): boolean =>
  range.split('||').some((comparisons) =>
    comparisons
      .trim()
      .split(/\s+/)
      .every((comparison) => meetsComparison(version, comparison)),
  );

function meetsComparison(version: string, comparison: string): boolean {
  const [, operator = '', bound = ''] = /^(>=|<=|>|<|=|)(\d.*|\*)$/.exec(comparison) ?? [];
  if (bound === '*') return true;
  if (bound === '') return false;
  const order = compareVersions(version, bound);
  return { '>=': order >= 0, '<=': order <= 0, '>': order > 0, '<': order < 0 }[operator] ?? order === 0;
}

type Part = number | string;

/** Returns the numbers of a version, and the parts that say which stage before the release it is. */
function partsOf(version: string): { readonly numbers: readonly Part[]; readonly stage: readonly Part[] } {
  const [release = '', ...stage] = version.replace(/^v/, '').replace(/\+.*$/, '').split('-');
  const numbers = release.split('.').map(Number);
  return { numbers, stage: stage.length === 0 ? [] : stage.join('-').split('.').map(numberIn) };
}

const numberIn = (part: string): Part => (/^\d+$/.test(part) ? Number(part) : part);

/** Numbers come before words, and a list before a longer one that it begins. */
function compareLists(first: readonly Part[], second: readonly Part[]): number {
  for (let index = 0; index < Math.max(first.length, second.length); index++) {
    const [a, b] = [first[index], second[index]];
    if (a === b) continue;
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
    if (typeof a === typeof b) return a < b ? -1 : 1;
    return typeof a === 'number' ? -1 : 1;
  }
  return 0;
}
