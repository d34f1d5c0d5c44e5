import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../src/package-root.js';

const read = (name: string): string => readFileSync(join(packageRoot, name), 'utf8');

describe('the image of the Dockerfile', () => {
  const lines = read('.dockerignore').split('\n');
  const admitted = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1).replace(/\/$/, ''));

  it('gets only what .dockerignore names, and never data/ or .env', () => {
    expect(lines).to.include('*').and.include('**/data/').and.include('**/.env*');
    expect(lines.indexOf('**/data/')).to.be.greaterThan(lines.findLastIndex((line) => line.startsWith('!')));
    expect(admitted).not.to.include.oneOf(['data', '.env', '.git', 'node_modules']);
    expect(readdirSync(packageRoot)).to.include.members(admitted);
  });

  it('gets what the package contains', () => {
    const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
    const built = files.filter((file) => !file.startsWith('dist/'));
    expect(admitted).to.include.members(built);
  });

  it('is run by a user without rights', () => {
    expect(read('Dockerfile'))
      .to.match(/^USER node$/m)
      .and.match(/^HEALTHCHECK /m);
  });

  it('gets the variables of the compose file that production needs', () => {
    for (const name of ['MONGODB_URI', 'JWT_SECRET', 'API_TOKEN_SALT', 'ADMIN_TOKEN'])
      expect(read('compose.yaml')).to.match(new RegExp(`^      ${name}: `, 'm'));
  });
});
