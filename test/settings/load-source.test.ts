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

describe('files of a project that code names otherwise than by a relative path', () => {
  const files = {
    'package.json': '{ "imports": { "#utils/*": "./src/utils/*.js" } }',
    'src/utils/own.js': 'module.exports = strapi;',
    'src/utils/typed.ts': 'export const own: unknown = strapi;',
    'aliases.js':
      'const { Module } = require("module");\nconst find = Module._resolveFilename;\n' +
      'Module._resolveFilename = (id, ...more) => find(id.replace(/^@utils-of-a-test/, `${__dirname}/src/utils`), ...more);',
    'node_modules/plain/index.js': 'module.exports = typeof strapi === "string" ? strapi : "of nobody";',
    'node_modules/parts/index.js': 'module.exports = require(require("path").join(__dirname, "part"));',
    'node_modules/parts/part.ts': 'export const own: unknown = strapi;',
  };
  const cases: readonly (readonly [title: string, code: string, result: unknown])[] = [
    ['an absolute path', 'require(__dirname + "/src/utils/own")', 'of the project'],
    [
      'an absolute path of a TypeScript file',
      'require(require("path").join(__dirname, "src/utils/typed")).own',
      'of the project',
    ],
    ['the module of a relative path', 'require(__dirname + "/src/utils/typed.ts") === require("./src/utils/typed")', true],
    ['an absolute path in import()', 'import(__dirname + "/src/utils/typed").then((m) => m.own)', 'of the project'],
    [
      'an address',
      'import(require("url").pathToFileURL(__dirname + "/src/utils/typed.ts").href).then((m) => m.own)',
      'of the project',
    ],
    ['an alias', 'require("./aliases") && require("@utils-of-a-test/own")', 'of the project'],
    ['imports of package.json', 'require("#utils/own")', 'of the project'],
    ['a package by its path', 'require(require.resolve("plain"))', 'of nobody'],
    ['members of require', 'Object.keys(require.cache).length > 0 && require.main === module', false],
  ];
  for (const [title, code, result] of cases)
    it(title, async () => {
      const directory = await writeProject({ ...files, 'main.ts': `export const result = ${code};` });
      const loaded = await loadSource(join(directory, 'main.ts'), { directory, globals: { strapi: 'of the project' } });
      expect(await (loaded as { readonly result: unknown }).result).to.equal(result);
    });

  it('an absolute path in the package that names it', async () => {
    const directory = await writeProject(files);
    const loaded = await loadSource(join(directory, 'node_modules/parts/index.js'), { directory, globals: { strapi: 1 } });
    expect(loaded).to.have.property('own', 1);
  });
});
