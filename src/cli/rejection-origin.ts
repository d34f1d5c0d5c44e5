import { relative, sep } from 'node:path';
import { packageRoot } from '../package-root.js';

/**
 * Returns the file and line of a project that an error comes from; `code of the project` if its stack names none. Returns null for
 * an error of the service itself.
 */
export function originOf(error: unknown, directory: string): string | null {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = stack.split('\n').flatMap((line) => /(?:file:\/\/|\(|at )(\/[^()]+?:\d+):\d+\)?$/.exec(line.trim())?.[1] ?? []);
  const own = places.find((place) => place.startsWith(directory + sep) && !place.includes(`${sep}node_modules${sep}`));
  if (own !== undefined) return relative(directory, own);
  return places.some((place) => place.startsWith(packageRoot) && !place.includes(`${sep}node_modules${sep}`))
    ? null
    : 'code of the project';
}
