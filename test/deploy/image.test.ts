import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot, packageVersion } from '../../src/package-root.js';

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
    const built = files.filter((file) => !file.startsWith('dist/') && file !== 'deploy');
    expect(admitted).to.include.members(built);
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
