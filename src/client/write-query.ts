/** Writes a query as the API reads it: `{ filters: { title: { $eq: 'x' } } }` is `?filters[title][$eq]=x`, percent-encoded. */
export function writeQuery(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => pairsOf(name, value));
  return pairs.length === 0 ? '' : `?${pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&')}`;
}

const encode = encodeURIComponent;

type Pair = readonly [key: string, value: string];

function pairsOf(key: string, value: unknown): Pair[] {
  if (value === undefined) return [];
  if (value instanceof Date) return [[key, value.toISOString()]];
  if (typeof value !== 'object' || value === null) return [[key, String(value)]];
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  const pairs = entries.flatMap(([name, inner]) => pairsOf(`${key}[${name}]`, inner));
  if (pairs.length > 0) return pairs;
  if (isPopulated.test(key)) return [[key, 'true']];
  return key.endsWith('[$in]') ? noneOf(key) : [];
}

/** A relation with nothing chosen below it: `populate: { author: {} }`. */
const isPopulated = /(^populate|\[populate]|\[on])\[[^\]]*]$/;

/** Nothing is in an empty list. The parameter would be missing, and all entries meet a condition that is missing. */
function noneOf(key: string): Pair[] {
  const attribute = key.slice(0, -'[$in]'.length);
  return ['$null', '$notNull'].map((operator) => [`${attribute}[${operator}]`, 'true']);
}
