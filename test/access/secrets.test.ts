import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createConfig } from '../../src/config/create-config.js';
import { loadSecrets } from '../../src/config/load-secrets.js';
import { freshDatabase } from '../support/mongo.js';

describe('secrets', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-secrets-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('are made once in development, for the owner only', async () => {
    const config = createConfig({ directory, environment: 'development' });
    const all = await Promise.all([loadSecrets(config), loadSecrets(config), loadSecrets(config)]);
    expect(new Set(all.map(({ jwtSecret }) => jwtSecret)).size).to.equal(1);
    const file = join(directory, 'data', 'secrets.json');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal(all[0]);
  });

  it('are taken from the configuration where it has them', async () => {
    const admin = { token: 'a'.repeat(32), apiToken: { salt: 'b'.repeat(16) } };
    const { adminToken, tokenSalt, jwtSecret } = await loadSecrets(
      createConfig({ directory, environment: 'development', admin }),
    );
    expect({ adminToken, tokenSalt }).to.deep.equal({ adminToken: admin.token, tokenSalt: admin.apiToken.salt });
    expect(jwtSecret).to.have.length(64);
  });

  it('must be set in production, and the error says how', async () => {
    const error = await loadSecrets(createConfig({ directory, environment: 'production' })).catch((reason: unknown) => reason);
    expect(String(error)).to.match(/JWT_SECRET.*node -e[\s\S]*API_TOKEN_SALT[\s\S]*ADMIN_TOKEN/);
  });
});

describe('commands', () => {
  it('make users, tokens and grants', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mangrove-commands-'));
    const database = await freshDatabase();
    const root = resolve(import.meta.dirname, '../..');
    const env = { ...process.env, MONGODB_URI: database.uri, NODE_ENV: 'development' };
    const tsx = join(root, 'node_modules/tsx/dist/cli.mjs');
    const run = async (name: string, ...args: string[]): Promise<string> => {
      const file = join(root, 'src/cli', `${name}.ts`);
      const { stdout } = await promisify(execFile)(process.execPath, [tsx, file, ...args], { cwd: directory, env });
      return stdout.trim();
    };
    const key = await run('token', 'create', '--name', 'ci', '--type', 'read-only', '--days', '7');
    expect(key).to.match(/^[0-9a-f]{256}$/);
    expect(await run('token', 'list')).to.match(/^1\tci\tread-only\texpires 2/);
    await run('token', 'revoke', 'ci');
    expect(await run('token', 'list')).to.equal('');
    await run('user', 'create', '--username', 'ann', '--email', 'Ann@mail.test', '--password', 'Secret123');
    await run('user', 'set-role', 'ann@mail.test', 'public');
    expect(await database.db.collection('up_users').findOne({ username: 'ann' })).to.include({ email: 'ann@mail.test', role: 2 });
    await run('permissions', 'grant', 'authenticated', 'plugin::upload.content-api.*');
    expect((await run('permissions', 'list', 'authenticated')).split('\n')).to.have.length(6);
    await run('permissions', 'revoke', 'authenticated', 'plugin::upload.content-api.find');
    expect((await run('permissions', 'list', 'authenticated')).split('\n')).to.have.length(5);
    const failed = await run('permissions', 'grant', 'nobody', 'x').catch((error: { stderr: string }) => error.stderr);
    expect(failed).to.include('there is no role nobody');
    await database.drop();
    await rm(directory, { recursive: true });
  }).timeout(60_000);
});
