import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the package, for both sources and compiled files. */
export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The package.json of src has no version: it only says what `#store/store.js` names. */
function findRoot(directory: string): string {
  return versionIn(directory) === null ? findRoot(dirname(directory)) : directory;
}

/** The version of the package. */
export const packageVersion = versionIn(packageRoot) ?? '';

/** Returns the version in the package.json of a project; that of this package if it has none. */
export const projectVersion = (directory: string): string => versionIn(directory) ?? packageVersion;

/** Returns the version in the package.json of a folder; null if there is none. */
function versionIn(folder: string): string | null {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return null;
  const { version } = Object(JSON.parse(readFileSync(file, 'utf8'))) as { readonly version?: unknown };
  return typeof version === 'string' ? version : null;
}
