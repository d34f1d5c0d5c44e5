/** How two answers to one question differ. */
export interface Comparison {
  /** Whether both hold the same entries at the same places, at every level, and the same total. */
  readonly sameIds: boolean;
  /** The first place where they differ in anything, or null. */
  readonly difference: string | null;
}

/** Compares two bodies. Objects without keys, such as the `meta` of an entry, count as missing. */
export function compareAnswers(product: unknown, baseline: unknown): Comparison {
  const [ours, theirs] = [tidy(product), tidy(baseline)];
  return {
    sameIds: JSON.stringify(collectIds(ours)) === JSON.stringify(collectIds(theirs)),
    difference: findDifference(ours, theirs, ''),
  };
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, tidy(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => !isObject(item) || Object.keys(item).length > 0).sort(byKey));
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** Every `id` and `total`, in order, within the structure that it stands in. */
function collectIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(collectIds);
  if (!isObject(value)) return null;
  const inside = Object.entries(value).filter(([key, item]) => isCompared(key) || (typeof item === 'object' && item !== null));
  return inside.map(([key, item]) => [key, isCompared(key) ? item : collectIds(item)]);
}

const isCompared = (key: string): boolean => key === 'id' || key === 'total';

function findDifference(ours: unknown, theirs: unknown, path: string): string | null {
  if (!isContainer(ours) || !isContainer(theirs)) {
    return Object.is(ours, theirs)
      ? null
      : `${path || 'body'}: ${show(ours)} from the product, ${show(theirs)} from the baseline`;
  }
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const found = findDifference(ours[key], theirs[key], path ? `${path}.${key}` : key);
    if (found !== null) return found;
  }
  return null;
}

const show = (value: unknown): string => (JSON.stringify(value) as string | undefined)?.slice(0, 80) ?? 'nothing';

const isObject = (value: unknown): value is Record<string, unknown> => isContainer(value) && !Array.isArray(value);

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
