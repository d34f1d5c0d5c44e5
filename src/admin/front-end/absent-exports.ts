import { readFile } from 'node:fs/promises';
import { extname, relative, resolve } from 'node:path';
import type { BundlerError, BundlerPlugin } from './bundler.js';

/** Names that are imported from files which do not export them, by the path of the file. */
export type AbsentExports = ReadonlyMap<string, ReadonlySet<string>>;

const message = /^No matching export in "(.+)" for \w+ "(.+)"$/;

/** Returns the names with those that errors of esbuild say; null if an error says anything else, or a name that was made undefined. */
export function addAbsent(absent: AbsentExports, errors: readonly BundlerError[]): AbsentExports | null {
  const all = new Map([...absent].map(([file, names]) => [file, new Set(names)]));
  for (const { text } of errors) {
    const [, path = '', name = ''] = message.exec(text) ?? [];
    const file = resolve(path);
    if (path === '' || absent.get(file)?.has(name) === true) return null;
    all.set(file, (all.get(file) ?? new Set()).add(name));
  }
  return all;
}

/** Returns the names in words. */
export const describeAbsent = (absent: AbsentExports): readonly string[] =>
  [...absent].map(([file, names]) => `${[...names].join(', ')} of ${relative('', file)}`);

/** Returns a plugin of esbuild that makes absent exports undefined, which webpack does. */
export const defineAbsent = (absent: AbsentExports): BundlerPlugin => ({
  name: 'define-absent',
  setup({ onLoad }) {
    if (absent.size === 0) return;
    onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, async ({ path }) => {
      const names = absent.get(path);
      if (names === undefined) return undefined;
      const ending = extname(path);
      return {
        contents: [await readFile(path, 'utf8'), ...[...names].map(exportUndefined)].join('\n'),
        loader: ending.includes('t') ? 'tsx' : 'jsx',
      };
    });
  },
});

const exportUndefined = (name: string): string =>
  name === 'default' ? 'export default undefined;' : `export const ${name} = undefined;`;
