import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { extract, list } from 'tar';
import { writePackage } from '../../scripts/package.js';

describe('npm run package', () => {
  let directory: string;
  let file: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-package-'));
    file = join(directory, writePackage(directory));
  });
  after(() => rm(directory, { recursive: true }));

  it('writes what runs and its documentation, without maps', async () => {
    const names: string[] = [];
    await list({ file, onReadEntry: ({ path }) => names.push(path.replace(/^package\//, '')) });
    expect(names).to.include.members([
      'bin/mangrove.cjs',
      'dist/src/main.js',
      'dist/src/index.d.ts',
      'docs/first-app.md',
      'README.md',
    ]);
    expect(names.filter((name) => /\.map$|^(src|test|scripts)\//.test(name))).to.deep.equal([]);
  });

  it('writes a package.json that runs nothing when it is installed', async () => {
    await extract({ file, cwd: directory, strip: 1 }, ['package/package.json']);
    const manifest = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as object;
    expect(manifest).to.include.keys('name', 'version', 'bin', 'exports', 'dependencies');
    expect(manifest).to.not.have.any.keys('scripts', 'devDependencies', 'overrides');
  });
});
