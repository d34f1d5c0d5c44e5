import { invalidParameter } from '../errors.js';

/** Parses `fields`: a name, a comma list, or a list of those; `*` and absence mean all, given as null (rest.md 7.1). */
export function parseFields(input: unknown): string[] | null {
  if (input === undefined) return null;
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const names = items.flatMap((item) => {
    if (typeof item !== 'string' || item === '') throw invalidParameter('fields');
    return item.split(',').map((name) => name.trim());
  });
  return names.includes('*') ? null : [...new Set(names)];
}
