/** Returns whether BSON reserves a key, or cannot contain it. */
export const isReservedKey = (key: string): boolean => key === '_bsontype' || key.includes('\0');

/** Returns a problem for a key that BSON reserves or cannot contain, and for a value that is nested too deeply. */
export function jsonProblems(value: unknown, path: string): string[] {
  const open: [unknown, number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [part, depth] = next;
    if (typeof part !== 'object' || part === null) continue;
    if (depth > 64) return [`${path} must not be nested deeper than 64 levels`];
    const keys = Array.isArray(part) ? [] : Object.keys(part);
    const bad = keys.find(isReservedKey);
    if (bad !== undefined) return [`${path} must not hold the key ${JSON.stringify(bad)}`];
    for (const inner of Object.values(part)) open.push([inner, depth + 1]);
  }
  return [];
}
