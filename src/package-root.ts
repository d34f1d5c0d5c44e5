import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the package, for both sources and compiled files. */
export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : findRoot(dirname(directory));
}

/** The version of the package. */
export const packageVersion = String(
  (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { readonly version: unknown }).version,
);
