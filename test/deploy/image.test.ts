import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot, packageVersion } from '#base/package-root.js';
import { readStages } from './dockerfile.js';

const read = (name: string): string => readFileSync(join(packageRoot, name), 'utf8');

describe('the image of the Dockerfile', () => {
  const lines = read('.dockerignore').split('\n');
  const admitted = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1).replace(/\/$/, ''));
  const text = read('Dockerfile');

  it('gets only what .dockerignore names, and never data/ or .env', () => {
    expect(lines).to.include('*').and.include('**/data/').and.include('**/.env*');
    expect(lines.indexOf('**/data/')).to.be.greaterThan(lines.findLastIndex((line) => line.startsWith('!')));
    expect(admitted).not.to.include.oneOf(['data', '.env', '.git', 'node_modules', 'deploy']);
    expect(readdirSync(packageRoot)).to.include.members(admitted);
  });

  it('gets what the package contains, except for what is for operators', () => {
    const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
    const built = files.filter((file) => !/^!?dist\//.test(file) && file !== 'deploy');
    expect(admitted).to.include.members(built);
  });

  it('contains the panel if an argument of the build says so, outside of the folder that a volume hides', () => {
    const [build = [], final = []] = readStages();
    expect(build).to.deep.include({ name: 'ARG', text: 'PANEL=' });
    expect(final).to.deep.include({ name: 'COPY', text: '--from=build /srv/mangrove/build build' });
    const { text: command = '' } = build.find(({ text }) => text.includes('panel build')) ?? {};
    const folder = mkdtempSync(join(tmpdir(), 'mangrove-image-'));
    mkdirSync(join(folder, 'bin'));
    const write =
      "require('fs').mkdirSync('data/panel', { recursive: true }); require('fs').writeFileSync('data/panel/index.html', '')";
    writeFileSync(join(folder, 'bin/mangrove.cjs'), write); // stands for the program
    for (const [PANEL, files] of [
      ['', []],
      ['true', ['index.html']],
    ] as const) {
      execFileSync('sh', ['-c', command], { cwd: folder, env: { ...process.env, PANEL } });
      expect(readdirSync(join(folder, 'build'))).to.deep.equal(files);
      rmSync(join(folder, 'build'), { recursive: true });
    }
    rmSync(folder, { recursive: true });
  });

  it('is run by a user without rights, whose number is known', () => {
    expect(text)
      .to.match(/^USER 1000:1000$/m)
      .and.match(/^HEALTHCHECK /m);
  });

  it('is labelled with the version of the package', () => {
    expect(text).to.include(`ARG VERSION=${packageVersion}\n`);
    for (const name of ['title', 'description', 'licenses', 'version', 'revision'])
      expect(text).to.include(`org.opencontainers.image.${name}=`);
  });
});
