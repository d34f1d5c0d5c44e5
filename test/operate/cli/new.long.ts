import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#base/package-root.js';
import { program } from '../../support/program.js';
import { runCli, type CliResult } from '../../support/run-cli.js';

describe('npx mangrove new', function () {
  this.timeout(120_000);
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-new-'));
  });
  after(() => rm(directory, { recursive: true }));

  const create = (...words: readonly string[]): Promise<CliResult> => runCli('new', words, { directory, env: {} });

  it('creates a project that gets the package from where it is, and prints the next commands', async () => {
    const { stdout, exitCode } = await create('My App');
    expect(exitCode).to.equal(0);
    for (const line of ["  cd 'My App'", '  npm install', '  npm test', '  npm start'])
      expect(stdout.split('\n')).to.include(line);
    expect(await readdir(join(directory, 'My App'))).to.include.members(['.gitignore', '.dockerignore', 'src', 'config', 'test']);
    const { name, dependencies } = JSON.parse(await readFile(join(directory, 'My App/package.json'), 'utf8'));
    expect(name).to.equal('my-app');
    const [, path = ''] = /^file:(.*)$/.exec(String(dependencies.mangrove)) ?? [];
    expect(resolve(directory, 'My App', path)).to.equal(packageRoot);
  });

  const refused: readonly (readonly [title: string, words: readonly string[], message: string])[] = [
    ['no folder', [], 'a folder is missing'],
    ['two folders', ['a', 'b'], 'b is one word too many'],
    ['a folder that is not empty', ['taken'], 'taken is not empty'],
    ['a file', ['taken/file'], 'taken/file is not an empty folder'],
  ];
  for (const [title, words, message] of refused)
    it(`refuses ${title}`, async () => {
      await mkdir(join(directory, 'taken'), { recursive: true });
      await writeFile(join(directory, 'taken/file'), 'kept');
      const { stderr, exitCode } = await create(...words);
      expect(exitCode).to.equal(1);
      expect(stderr).to.contain(message);
      expect(await readdir(join(directory, 'taken'))).to.deep.equal(['file']);
    });

  it('creates a project whose test passes', async () => {
    await create('tested');
    const bin = join(directory, 'tested/node_modules/mangrove/bin');
    await mkdir(bin, { recursive: true });
    const words = JSON.stringify([...(await program())]);
    const code = `const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, [...${words}, ...process.argv.slice(2)], { stdio: 'inherit' });
      process.on('SIGTERM', () => child.kill());
      child.on('exit', (code) => process.exit(code));`;
    await writeFile(join(bin, 'mangrove.cjs'), code);
    const { status, stdout } = spawnSync('npm', ['test'], { cwd: join(directory, 'tested'), encoding: 'utf8' });
    expect(status, stdout).to.equal(0);
    expect(stdout).to.match(/^(#|ℹ) pass 2$/m); // as Node 20 and as newer versions print it
  });
});
