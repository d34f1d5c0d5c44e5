import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';
import { readImports } from '../structure/imports.js';

/** An import of a file of a folder, such as src. */
export interface Import {
  /** As it is written: `./x.js`, `#store/x.js`, or a package. */
  readonly module: string;
  /** The file that it names, as a path from the folder; null for a package. */
  readonly target: string | null;
  /** The names that it takes, or `*` for all of them. */
  readonly names: readonly string[];
}

export interface Source {
  /** Path from the folder, with slashes. */
  readonly name: string;
  readonly imports: readonly Import[];
}

/** Returns the files of a folder and their imports, type imports as well, in the order of their names; none if there is no folder. */
export function readSources(folder: string): readonly Source[] {
  const all = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const paths = all.filter((path) => path.endsWith('.ts'));
  return paths.sort().map((path) => {
    const name = path.split(sep).join('/');
    const file = ts.createSourceFile(path, readFileSync(join(folder, path), 'utf8'), ts.ScriptTarget.Latest, true);
    return { name, imports: readImports(file).map((found) => ({ ...found, target: targetOf(name, found.module) })) };
  });
}

/** `./x.js` is the file x.ts beside the importing one, and `#store/x.js` the file store/x.ts of src, whose files alone write so. */
function targetOf(from: string, module: string): string | null {
  if (module.startsWith('#')) return module.slice(1).replace(/\.js$/, '.ts');
  if (!module.startsWith('.')) return null;
  const path = relative('/project/folder', resolve('/project/folder', dirname(from), module));
  return path.replace(/\.js$/, '.ts').split(sep).join('/');
}
