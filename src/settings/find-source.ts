import { statSync } from 'node:fs';
import { dirname, isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Importer {
  /** Absolute path of the file that imports. */
  readonly file: string;
  /** Its `require` of Node. */
  readonly byNode: NodeJS.Require;
  /** Absolute path of the project. */
  readonly directory: string | undefined;
}

/**
 * Returns the source file that a file imports by a path, an address, or a name that leads into the project; null for what Node loads.
 */
export function importedSource(id: string, { file, byNode, directory }: Importer): string | null {
  const path = writtenPath(id, file) ?? aliasedPath(id, byNode, directory);
  return path === null ? null : sourceFile(path);
}

/** Returns the absolute path that an import has as a path or an address; null for others, and for paths in other packages. */
function writtenPath(id: string, file: string): string | null {
  if (/^\.{1,2}(\/|$)/.test(id)) return resolve(dirname(file), id);
  const path = id.startsWith('file:') ? fileURLToPath(id) : id;
  return isAbsolute(path) && ['', packageOf(file)].includes(packageOf(path)) ? path : null;
}

/** Returns the folder of the package in `node_modules` that has a file; empty for others. */
const packageOf = (path: string): string => /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0] ?? '';

/**
 * Returns the file in a project that Node finds for the name of a package, because code has set up aliases, `imports` of
 * package.json has it, or the package is a link to a folder of the project; null if there is none.
 */
function aliasedPath(id: string, byNode: NodeJS.Require, directory: string | undefined): string | null {
  try {
    const path = byNode.resolve(id);
    return directory !== undefined && path.startsWith(directory + sep) && packageOf(path) === '' ? path : null;
  } catch {
    return null; // Node says why when it loads it
  }
}

/**
 * Returns the source file that `x`, `x.js` or `x.ts` refers to: the first existing one of x.ts, x.tsx, x.js and the index file of x.
 * Null if there is none, or if x is another kind of file, such as x.json.
 */
export function sourceFile(path: string): string | null {
  const bare = path.replace(/\.(js|tsx?)$/, '');
  if (bare === path && isFile(path)) return null;
  const endings = ['.ts', '.tsx', '.js'];
  const candidates = [bare, resolve(bare, 'index')].flatMap((name) => endings.map((ending) => name + ending));
  return candidates.find(isFile) ?? null;
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
