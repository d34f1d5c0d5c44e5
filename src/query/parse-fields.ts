import { invalidParameter } from '../errors.js';

/** Parses `fields`: items as written, each a name or a comma list of names; `*` and absence mean all, returned as null. */
export function parseFields(input: unknown): string[] | null {
  if (input === undefined) return null;
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const written = items.map((item) => {
    if (typeof item !== 'string' || item === '') throw invalidParameter('fields');
    return item;
  });
  return written.some((item) => namesIn(item).includes('*')) ? null : [...new Set(written)];
}

/** The names that an item of `fields` lists. */
export const namesIn = (item: string): string[] => item.split(',').map((name) => name.trim());
