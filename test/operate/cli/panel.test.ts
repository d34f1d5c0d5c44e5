import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../../support/run-cli.js';

describe('npx mangrove panel', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-panel-'));
    await mkdir(join(directory, 'config'));
  });
  after(() => rm(directory, { recursive: true }));

  it('reads a configuration with settings of features', async () => {
    await writeFile(join(directory, 'config/server.json'), '{ "slowRequest": 100 }');
    // without npm the build ends after the configuration was read
    const { stderr } = await runCli('panel', ['build'], { directory, env: { PATH: '', XDG_CACHE_HOME: directory } });
    expect(stderr).to.include('npm').and.not.include('unknown key');
  });
});
