import { dirname, join, resolve } from 'node:path';
import type ts from 'typescript';
import { readImports } from './imports.js';
import type { Project, Source } from './project.js';

/** The entry of the public API. */
const entry = 'index.ts';

/** Names that a file of src exports and no other file of the project imports, as `file: name`. The public API is not looked at. */
export function unusedExports({ root, program, sources, others }: Project): readonly string[] {
  const used = usedNames([...sources.map(({ file }) => file), ...others], join(root, 'src'));
  return sources
    .filter(({ name }) => name !== entry)
    .flatMap((source) => {
      const names = used.get(source.file.fileName) ?? new Set();
      if (names.has('*')) return [];
      return exportedNames(source, program.getTypeChecker()).flatMap((name) =>
        names.has(name) ? [] : [`${source.name}: ${name}`],
      );
    });
}

const exportedNames = ({ file }: Source, checker: ts.TypeChecker): readonly string[] => {
  const module = checker.getSymbolAtLocation(file);
  return module === undefined ? [] : checker.getExportsOfModule(module).map(({ name }) => name);
};

/** The names that other files import, by file. `#store/x.js` is a file of `src`. */
function usedNames(files: readonly ts.SourceFile[], src: string): ReadonlyMap<string, ReadonlySet<string>> {
  const used = new Map<string, Set<string>>();
  for (const file of files)
    for (const { module, names } of readImports(file)) {
      if (!/^[.#]/.test(module)) continue;
      const path = module.startsWith('#') ? join(src, module.slice(1)) : resolve(dirname(file.fileName), module);
      const target = path.replace(/\.js$/, '.ts');
      const known = used.get(target) ?? new Set();
      for (const name of names) known.add(name);
      used.set(target, known);
    }
  return used;
}
