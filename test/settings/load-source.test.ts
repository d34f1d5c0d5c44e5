import { join } from 'node:path';
import { expect } from 'chai';
import { loadSource } from '#settings/load-source.js';
import { writeProject } from '../support/write-project.js';

describe('import() in a file of a project', () => {
  const files = {
    'more.ts': 'export default function more(): string { return "more"; }\nexport const extra: number = 3;',
    'common.js': 'module.exports = { named: 1 };',
    'native.mjs': 'export const file = import.meta.url.slice(-10);',
    'node_modules/only-esm/package.json': '{ "name": "only-esm", "type": "module", "exports": { "import": "./index.js" } }',
    'node_modules/only-esm/index.js': 'export default "esm";',
    'node_modules/replaced/index.js': 'module.exports = "of the project";',
  };
  const cases: readonly (readonly [title: string, code: string, result: unknown])[] = [
    ['a TypeScript file', 'import("./more").then((m) => [m.default(), m.extra])', ['more', 3]],
    ['a CommonJS file', 'import("./common").then((m) => [m.default.named, m.named])', [1, 1]],
    ['the module that require returns', 'import("./common").then((m) => m.default === require("./common"))', true],
    ['a module of Node', 'import("./native.mjs").then((m) => m.file)', 'native.mjs'],
    ['a package without require', 'import("only-esm").then((m) => m.default)', 'esm'],
    ['a package of Mangrove', 'import("replaced").then((m) => [m.default.own, m.own])', [1, 1]],
    ['a name from a variable', '((name: string) => import(name))("./more").then((m) => m.extra)', 3],
    ['a file that is missing', 'import("./nothing").catch((error) => error.code)', 'ERR_MODULE_NOT_FOUND'],
    ['a text that looks like one', 'Promise.resolve("import(./more)")', 'import(./more)'],
  ];
  for (const [title, code, result] of cases)
    it(`imports ${title}`, async () => {
      const directory = await writeProject({ ...files, 'main.ts': `export const result = ${code};` });
      const loaded = await loadSource(join(directory, 'main.ts'), { packages: { replaced: { own: 1 } } });
      expect(await (loaded as { readonly result: unknown }).result).to.deep.equal(result);
    });
});

describe('strictness of a file of a project', () => {
  const cases: readonly (readonly [file: string, code: string, isStrict: boolean])[] = [
    [
      'common.js',
      'const package = { v: 1 }; implied = package.v; module.exports = (function () { return this === undefined; })();',
      false,
    ],
    ['imports.js', 'module.exports = import("./none").catch(() => (function () { return this === undefined; })());', false],
    ['strict.js', "'use strict'; module.exports = (function () { return this === undefined; })();", true],
    [
      'strict-imports.js',
      `// first\n"use strict"; import('./none').catch(() => 0); module.exports = (function () { return this === undefined; })();`,
      true,
    ],
    ['this.js', 'this.own = 1; module.exports = this !== module.exports || module.exports.own !== 1;', false],
    ['module.js', 'export const isStrict = (function () { return this === undefined; })();', true],
    ['typed.ts', 'const isStrict: boolean = (function () { return this === undefined; })(); module.exports = isStrict;', true],
  ];
  for (const [file, code, isStrict] of cases)
    it(file, async () => {
      const directory = await writeProject({ [file]: code });
      const loaded = await loadSource(join(directory, file));
      expect(file === 'module.js' ? (loaded as { readonly isStrict: boolean }).isStrict : await loaded).to.equal(isStrict);
    });
});
