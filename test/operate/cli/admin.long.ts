import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare } from 'bcrypt';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { runCli, type CliInput } from '../../support/run-cli.js';

describe('npx mangrove admin', () => {
  let directory: string;
  let database: FreshDatabase;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-admin-'));
    database = await freshDatabase();
  });
  after(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const run = (line: string, { env = {}, ...input }: Partial<CliInput> = {}) => {
    const [name = '', ...args] = line.split(' ');
    return runCli(name, args, { directory, env: { MONGODB_URI: database.uri, NODE_ENV: 'development', ...env }, ...input });
  };
  const stored = (email: string) => database.db.collection('admin_users').findOne({ email });

  it('creates administrators, with a password that is generated, read, or in a variable', async () => {
    const made = await run('admin create --email Ines@example.org');
    expect([made.exitCode, made.stderr]).to.deep.equal([0, 'the password of ines@example.org is shown only once:']);
    const word = await run('admin create --email bo@example.org --firstname Bo --role strapi-editor --password', {
      input: 'Secret123\nnot this\n',
    });
    expect([word.exitCode, word.stdout]).to.deep.equal([0, 'created bo@example.org']);
    const variable = await run('admin create --email cy@example.org --role Author --role strapi-editor --password', {
      env: { MANGROVE_ADMIN_PASSWORD: 'Secret456' },
    });
    expect([variable.exitCode, variable.stdout]).to.deep.equal([0, 'created cy@example.org']);
    for (const [email, password, firstname, roles] of [
      ['ines@example.org', made.stdout, 'ines', [1]],
      ['bo@example.org', 'Secret123', 'Bo', [2]],
      ['cy@example.org', 'Secret456', 'cy', [3, 2]],
    ] as const) {
      const found = await stored(email);
      expect(found).to.deep.include({ firstname, isActive: true, blocked: false, roles });
      expect(await compare(password, String(found?.['password']))).to.equal(true);
    }
  });

  it('sets passwords, activates the administrator, and ends earlier log-ins', async () => {
    await database.db.collection('admin_users').updateOne({ email: 'bo@example.org' }, { $set: { isActive: false } });
    const before = await stored('bo@example.org');
    const { exitCode, stdout } = await run('admin reset-password BO@example.org --password', { input: 'Another123\n' });
    expect([exitCode, stdout]).to.deep.equal([0, 'the password of bo@example.org is set; earlier log-ins no longer work']);
    const after = await stored('bo@example.org');
    expect(after).to.include({ isActive: true, _tokenVersion: Number(before?.['_tokenVersion'] ?? 0) + 1 });
    expect(await compare('Another123', String(after?.['password']))).to.equal(true);
  });

  const refusals: readonly (readonly [line: string, message: string, input?: string])[] = [
    ['admin create', '--email is missing'],
    ['admin create --email ines@example.org', 'there is an administrator ines@example.org already'],
    ['admin create --email nobody', 'email must be a valid email'],
    [
      'admin create --email dan@example.org --role boss',
      'there is no role boss of administrators; there are: strapi-super-admin',
    ],
    ['admin create --email dan@example.org --password=Secret123', 'a password is not taken from the command line'],
    ['admin create --email dan@example.org --password', 'password must be at least 8 characters', 'short1A\n'],
    ['admin create --email dan@example.org --password', 'no password was given', ''],
    ['admin reset-password bo@example.org Secret123', 'a password is not taken from the command line'],
    ['admin reset-password dan@example.org', 'there is no administrator dan@example.org'],
    ['admin reset-password bo@example.org --password', 'password must contain at least one number', 'Secretsecret\n'],
    ['admin reset-password', 'the e-mail address of an administrator is missing'],
  ];
  for (const [line, message, input = ''] of refusals)
    it(`refuses ${line} ${JSON.stringify(input)}`, async () => {
      const { exitCode, stderr } = await run(line, { input });
      expect(exitCode).to.equal(1);
      expect(stderr).to.include(message);
      expect(await stored('dan@example.org')).to.equal(null);
    });
});
