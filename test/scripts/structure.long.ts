import { expect } from 'chai';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkPackages, unusedPackages } from '../../scripts/check/packages.js';
import { unusedExports } from '../../scripts/check/structure/exports.js';
import { formatTable } from '../../scripts/check/structure/format-table.js';
import { loadProject, type Project } from '../../scripts/check/structure/project.js';
import { exceededPatterns } from '../../scripts/check/structure/patterns.js';
import { hiddenTypes } from '../../scripts/check/structure/public-types.js';
import { functionLines, linesOf, spreadOf } from '../../scripts/check/structure/sizes.js';
import { outsideCitations, storageFiles } from '../../scripts/check/structure/texts.js';
import { staleWalks, writeWalkTables } from '../../scripts/check/structure/walk-tables.js';

const options = { module: 'NodeNext', target: 'ES2022', strict: true, skipLibCheck: true, noEmit: true, types: [] };

const files: Readonly<Record<string, string>> = {
  'tsconfig.json': JSON.stringify({ compilerOptions: options, include: ['src', 'test'] }),
  'README.md': '# A project\n',
  'src/index.ts': `export { start } from './server.js';\nexport type { Shown } from './model/schema/types.js';\n`,
  'src/server.ts': `import { read } from './store/read.js';
import type { Reached, Shown } from './model/schema/types.js';
export const start = (shown: Shown): Reached => read(shown);
export const unused = 1;
`,
  'src/model/schema/types.ts': `export interface Shown { readonly inner: Inner }
export interface Inner { readonly a: number }
export type Reached = { readonly inner: Inner } | null;
export interface Alone { readonly b: number }
`,
  'src/store/read.ts': `import type { Reached, Shown } from '../model/schema/types.js';
/** Reads, as secret.md 4.2 says. */
export function read(shown: Shown): Reached {
  // See README.md.
  const filter = { $in: [shown] };
  return filter.$in.map((one) => {
    return one;
  })[0] ?? null;
}
export const loadLate = async () => {
  const { late } = await import('./late.js');
  return late;
};
`,
  'src/store/late.ts': 'export const late = 1, tested = 2, forgotten = 3;\n',
  'src/content/write.ts': `export const write = { $set: { a: 1 } }; // operators.md\n`,
  'src/content/rank.ts': 'export const rank = `_ranks.author`;\n',
  'src/content/rule.ts': `export const rule = { $user: 1 };\n`,
  'src/model/query/operators.ts': `export const operators = { $eq: 'equal' };\n`,
  'test/late.test.ts': `import { tested } from '../src/store/late.js';\ntested;\n`,
};

const manifest = {
  scripts: { lint: 'lintio --all' },
  dependencies: { used: '^1.0.0', peer: '^1.0.0', idle: '^1.0.0', alias: 'npm:other@^1.0.0', exact: '1.0.0' },
  devDependencies: {
    lintio: '^1.0.0',
    '@types/used': '^1.0.0',
    '@types/idle': '~1.0.0',
    '@types/gone': '^1.0.0',
    tool: '^1.0.0',
  },
};
const packageFiles: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify(manifest),
  'src/a.ts': `import 'used/deep.js'; import 'node:fs'; await import('alias'); import type {} from 'exact';`,
  'node_modules/used/package.json': JSON.stringify({ peerDependencies: { peer: '*' } }),
  // The name is put together, or this file would be found to require a package of that name.
  'test/a.test.ts': `import { createRequire } from 'node:module'; ${'createRequire'}(import.meta.url)('tool'); import 'undeclared';`,
};

/** Writes a project into a folder of its own, and returns the folder. */
async function writeProject(contents: Readonly<Record<string, string>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'structure-')));
  for (const [path, text] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

describe('structure', () => {
  let project: Project;
  before(async () => {
    project = loadProject(await writeProject(files));
  });
  after(() => rm(project.root, { recursive: true }));

  it('lines of files and functions', () => {
    expect(project.sources.map(({ name, file }) => `${name} ${String(linesOf(file))}`)).to.include.members([
      'index.ts 2',
      'store/late.ts 1',
      'store/read.ts 13',
    ]);
    expect(functionLines(project.sources)).to.deep.equal([1, 7, 3, 4]);
    expect(spreadOf([5, 1, 3, 2, 4])).to.deep.equal({ count: 5, median: 3, p90: 5, max: 5 });
    expect(spreadOf([])).to.deep.equal({ count: 0, median: 0, p90: 0, max: 0 });
  });

  it('exported names that nobody imports', () => {
    expect(unusedExports(project)).to.deep.equal([
      'content/rank.ts: rank',
      'content/rule.ts: rule',
      'content/write.ts: write',
      'model/query/operators.ts: operators',
      'model/schema/types.ts: Inner',
      'model/schema/types.ts: Alone',
      'server.ts: unused',
      'store/late.ts: forgotten',
      'store/read.ts: loadLate',
    ]);
  });

  it('types that the public API reaches and does not export', () => {
    expect(hiddenTypes(project)).to.deep.equal(['model/schema/types.ts: Inner', 'model/schema/types.ts: Reached']);
  });

  it('comments that cite a document outside the repository', () => {
    expect(outsideCitations(project)).to.deep.equal([
      'content/write.ts: // operators.md',
      'store/read.ts: /** Reads, as secret.md 4.2 says. */',
    ]);
  });

  it('files outside store/ that know how entries are stored', () => {
    expect(storageFiles(project)).to.deep.equal(['content/rank.ts', 'content/write.ts']);
  });

  it('a table', () => {
    const rows = [
      { title: 'one', now: '1', target: '0', isMet: false },
      { title: 'two', now: '2', target: '', isMet: null },
    ];
    expect(formatTable(rows)).to.equal(
      '| Measure | Now | Target | Met |\n| ------- | --- | ------ | --- |\n| one     | 1   | 0      | no  |\n| two     | 2   |        |     |',
    );
  });
});

const crossed: Readonly<Record<string, string>> = {
  'tsconfig.json': JSON.stringify({ compilerOptions: options, include: ['src'] }),
  'src/content/raw.ts': `declare const readAll: (database: object, command: object) => unknown;
export const rows = readAll({}, { find: 'articles' });
`,
  'src/store/open.ts': `export const path = '/api/articles';\n`,
  'src/strapi/loose.ts': 'export {};\n',
  'src/strapi/load/file.ts': 'export {};\n',
};

describe('walls of structure', () => {
  it('name each place that crosses them, and what to do', async () => {
    const root = await writeProject(crossed);
    try {
      expect(exceededPatterns(loadProject(root)).map((line) => line.split(': ').slice(0, 2).join(': '))).to.deep.equal([
        'content/raw.ts:2: raw database commands outside store/',
        'store/open.ts: files inside store/ that name HTTP paths',
        'strapi/loose.ts: loose files in strapi/',
      ]);
    } finally {
      await rm(root, { recursive: true });
    }
  });
});

describe('walks', () => {
  it('the files of the functions that tables name', async () => {
    const root = await writeProject({
      ...files,
      'docs/architecture.md':
        '| reads | `src/old.ts` | `read` |\n| starts | `src/server.ts` | `start` |\n| ends | `src/server.ts` | `stop` |\n',
    });
    try {
      const project = loadProject(root);
      expect(staleWalks(project)).to.deep.equal(['stop: is not declared', '| reads | `src/old.ts` | `read` |']);
      expect(writeWalkTables('| reads | `src/old.ts` | `read` |', project).text).to.equal(
        '| reads | `src/store/read.ts` | `read` |',
      );
    } finally {
      await rm(root, { recursive: true });
    }
  });
});

describe('check-packages', () => {
  let folder: string;
  before(async () => {
    folder = await writeProject(packageFiles);
  });
  after(() => rm(folder, { recursive: true }));

  const unused = [
    'package.json: idle is a dependency that src does not import',
    'package.json: @types/gone is declared and neither imported nor run',
  ];

  it('declared packages that are not imported', () => {
    expect(unusedPackages(folder)).to.deep.equal(unused);
  });

  it('imported packages that are not declared, and versions', () => {
    expect(checkPackages(folder)).to.deep.equal([
      ...unused,
      'package.json: undeclared is imported and not declared',
      'package.json: exact is "1.0.0"; write the oldest version that will do as ^1.2.3',
      'package.json: @types/idle is "~1.0.0"; write the oldest version that will do as ^1.2.3',
    ]);
  });
});
