import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import { loadSecrets } from '#settings/load-secrets.js';

const none = { jwtSecret: null, tokenSalt: null, adminToken: null };

describe('secrets', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-secrets-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('are made once in development by all who start at the same time, for the owner only', async () => {
    const config = createConfig({ directory, environment: 'development' });
    const all = await Promise.all(Array.from({ length: 30 }, () => loadSecrets(config)));
    expect(new Set(all.map((secrets) => JSON.stringify(secrets))).size).to.equal(1);
    const file = join(directory, 'data', 'secrets.json');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect({ ...JSON.parse(await readFile(file, 'utf8')), previous: none }).to.deep.equal(all[0]);
  });

  it('are taken from the configuration if it has them', async () => {
    const admin = { token: 'a'.repeat(32), apiToken: { salt: 'b'.repeat(16) } };
    const { adminToken, tokenSalt, jwtSecret } = await loadSecrets(
      createConfig({ directory, environment: 'development', admin }),
    );
    expect({ adminToken, tokenSalt }).to.deep.equal({ adminToken: admin.token, tokenSalt: admin.apiToken.salt });
    expect(jwtSecret).to.have.length(64);
  });

  it('name the file if they cannot be stored', async () => {
    await writeFile(join(directory, 'data'), '');
    const error = await loadSecrets(createConfig({ directory, environment: 'development' })).catch((reason: unknown) => reason);
    expect(String(error)).to.match(/secrets\.json \(EEXIST\): start in a folder that can be written.*JWT_SECRET/);
  });

  it('wait for another process that has created the file and not yet written it', async () => {
    const file = join(directory, 'data', 'secrets.json');
    await mkdir(join(directory, 'data'));
    await writeFile(file, '');
    const loading = loadSecrets(createConfig({ directory, environment: 'development' })).catch((reason: unknown) => reason);
    for (let times = 0; times < 40; times += 1) await stat(file); // long enough for it to have looked
    const written = { jwtSecret: 'j'.repeat(64), tokenSalt: 's'.repeat(64), adminToken: 'a'.repeat(64) };
    await writeFile(file, JSON.stringify(written));
    expect(await loading).to.deep.equal({ ...written, previous: none });
  });

  for (const environment of ['production', 'staging'])
    it(`must be set in ${environment}, and the error says how`, async () => {
      const error = await loadSecrets(createConfig({ directory, environment })).catch((reason: unknown) => reason);
      expect(String(error)).to.match(/JWT_SECRET.*node -e[\s\S]*API_TOKEN_SALT[\s\S]*ADMIN_TOKEN/);
    });
});
