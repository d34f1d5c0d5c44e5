import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compare } from 'bcrypt';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { program } from '../../support/program.js';
import { runCli } from '../../support/run-cli.js';

describe('commands', () => {
  let directory: string;
  let database: FreshDatabase;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-commands-'));
    database = await freshDatabase();
    env = { MONGODB_URI: database.uri, NODE_ENV: 'development' };
  });
  after(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const run = (name: string, ...args: string[]) => runCli(name, args, { directory, env });
  const stored = (username: string) => database.db.collection('up_users').findOne({ username });
  const succeed = async (name: string, ...args: string[]): Promise<string> => {
    const { stdout, stderr, exitCode } = await run(name, ...args);
    expect(exitCode, stderr).to.equal(0);
    return stdout;
  };

  it('run as separate processes', async () => {
    const options = { cwd: directory, env: { ...process.env, ...env } };
    const args = [...(await program()), 'token', 'create', '--name', 'alone'];
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    expect(stdout.trim()).to.match(/^[0-9a-f]{256}$/);
    await succeed('token', 'revoke', 'alone');
  });

  it('make, list and revoke tokens', async () => {
    const key = await succeed('token', 'create', '--name', 'ci', '--type', 'read-only', '--days', '7');
    expect(key).to.match(/^[0-9a-f]{256}$/);
    expect(await succeed('token', 'list')).to.match(/^2\tci\tread-only\texpires 2/);
    await succeed('token', 'revoke', 'ci');
    expect(await succeed('token', 'list')).to.equal('');
  });

  it('make users, and set their roles and passwords', async () => {
    const input = 'Secret123\nnot this\n';
    const args = ['create', '--username', 'ann', '--email', 'Ann@mail.test', '--password'];
    const { stdout, exitCode } = await runCli('user', args, { directory, env, input });
    expect([stdout, exitCode]).to.deep.equal(['created ann', 0]);
    await succeed('user', 'set-role', 'ann@mail.test', 'public');
    const made = await stored('ann');
    expect(await compare('Secret123', String(made?.['password']))).to.equal(true);
    expect(made).to.include({ email: 'ann@mail.test', role: 2, confirmed: true });
    expect(await succeed('user', 'set-password', 'ann')).to.match(/^[\w-]{16}$/);
    const changed = await stored('ann');
    expect(changed?.['password']).to.not.equal(made?.['password']);
    expect(changed).to.include({ _tokenVersion: 1 });
  });

  it('print whose password was generated to stderr, and the password alone to stdout', async () => {
    const { stdout, stderr } = await run('user', 'create', '--username', 'bob', '--email', 'bob@mail.test');
    expect(stdout).to.match(/^[\w-]{16}$/);
    expect(stderr).to.equal('the password of bob is shown only once:');
  });

  it('store, list, export and remove models', async () => {
    const info = { singularName: 'recipe', pluralName: 'recipes', displayName: 'Recipe' };
    const model = { uid: 'api::recipe.recipe', kind: 'collectionType', info, attributes: { title: { type: 'string' } } };
    await writeFile(join(directory, 'recipe.json'), JSON.stringify(model));
    expect(await succeed('models', 'add', 'recipe.json')).to.match(/^added +api::recipe\.recipe\n1 added$/);
    expect(await succeed('models', 'list')).to.equal('api::recipe.recipe');
    const file = await succeed('models', 'export', 'exported');
    expect(JSON.parse(await readFile(join(directory, file), 'utf8'))).to.deep.equal(model);
    expect(await succeed('models', 'remove', 'api::recipe.recipe')).to.equal('removed api::recipe.recipe');
    expect(await succeed('models', 'list')).to.equal('no models');
    expect((await run('models', 'remove', 'api::recipe.recipe')).exitCode).to.equal(1);
    const records = await database.db.collection('_audit').find({ what: 'models remove' }).sort({ _id: 1 }).toArray();
    expect(records.map(({ body, status, changed }) => ({ body, status, changed }))).to.deep.equal([
      { body: ['api::recipe.recipe'], status: 200, changed: true },
      { body: ['api::recipe.recipe'], status: 404, changed: false },
    ]);
    await writeFile(join(directory, 'broken.json'), '{ "uid": ');
    const { stdout, exitCode } = await run('models', 'add', 'broken.json');
    expect([exitCode, stdout]).to.deep.equal([1, 'refused  broken.json  Unexpected end of JSON input\n1 refused']);
  });

  it('that change something are recorded with their outcome', async () => {
    await succeed('permissions', 'grant', 'authenticated', 'plugin::upload.content-api.find');
    await succeed('permissions', 'list', 'authenticated');
    await run('user', 'set-role', 'nobody', 'public');
    const records = await database.db.collection('_audit').find().sort({ _id: -1 }).limit(2).toArray();
    expect(records.map(({ kind, what, body, status, changed }) => ({ kind, what, body, status, changed }))).to.deep.equal([
      { kind: 'command', what: 'user set-role', body: ['nobody', 'public'], status: 400, changed: null },
      {
        kind: 'command',
        what: 'permissions grant',
        body: ['authenticated', 'plugin::upload.content-api.find'],
        status: 200,
        changed: true,
      },
    ]);
    await succeed('permissions', 'revoke', 'authenticated', 'plugin::upload.content-api.find');
  });

  it('grant and revoke actions', async () => {
    const granted = async () => (await succeed('permissions', 'list', 'authenticated')).split('\n');
    await succeed('permissions', 'grant', 'authenticated', 'plugin::upload.content-api.*');
    expect(await granted()).to.have.length(7);
    await succeed('permissions', 'revoke', 'authenticated', 'plugin::upload.content-api.find');
    expect(await granted()).to.have.length(6);
  });

  it('make, change and delete roles, and their rules', async () => {
    expect(await succeed('roles', 'create', 'Editor in Chief', '--description', 'writes')).to.equal('created editor_in_chief');
    await succeed('roles', 'change', 'editor_in_chief', '--name', 'Editor');
    expect(await succeed('roles', 'list')).to.match(/^editor_in_chief\tEditor\t0 actions$/m);
    const users = 'plugin::users-permissions.user';
    await writeFile(join(directory, 'rules.json'), JSON.stringify({ rows: { [users]: { id: { $eq: '$user.id' } } } }));
    await succeed('rules', 'set', 'editor_in_chief', 'rules.json');
    const rules = { fields: {}, rows: { [users]: { id: { $eq: '$user.id' } } } };
    expect(await succeed('rules', 'list')).to.equal(`editor_in_chief\t${JSON.stringify(rules)}`);
    await writeFile(join(directory, 'rules.json'), JSON.stringify({ row: {} }));
    expect((await run('rules', 'set', 'editor_in_chief', 'rules.json')).stderr).to.equal('unknown key row; did you mean rows?');
    await succeed('rules', 'remove', 'editor_in_chief');
    expect(await succeed('rules', 'list')).to.equal('');
    await succeed('roles', 'delete', 'editor_in_chief');
    expect(await succeed('roles', 'list')).to.not.contain('editor');
  });

  it('add, change and remove locales', async () => {
    await succeed('locales', 'add', 'fr');
    await succeed('locales', 'add', 'de', '--name', 'Deutsch', '--default');
    expect(await succeed('locales', 'list')).to.equal('en\tEnglish (en)\nfr\tFrench (fr)\nde\tDeutsch\tdefault');
    await succeed('locales', 'change', 'en', '--default');
    await succeed('locales', 'remove', 'de');
    await succeed('locales', 'remove', 'fr');
    expect(await succeed('locales', 'list')).to.equal('en\tEnglish (en)\tdefault');
  });

  const wrong: Readonly<Record<string, string>> = {
    'roles delete nobody': 'there is no role nobody',
    'roles delete public': 'Cannot delete public role',
    'roles change public': 'nothing to change: --name or --description is missing\n\nusage: npx mangrove roles',
    'rules set public': 'a file is missing\n\nusage: npx mangrove rules',
    'locales add xx_y': 'code must be a language code',
    'locales add en': 'This locale already exists',
    'locales remove en': 'Cannot delete the default locale',
    'locales change fr --default': 'Locale not found',
    'permissions grant nobody x': 'there is no role nobody',
    'permissions list nobody': 'there is no role nobody',
    'permissions grant public api::no.no.find': 'no action is called api::no.no.find',
    'permissions grant public plugin::upload.content-api.fnd':
      'plugin::upload.content-api.fnd; did you mean plugin::upload.content-api.find?',
    'user set-role nobody public': 'there is no user nobody',
    'user create --username eve --email eve@mail.test --password=Secret123': 'a password is not taken from the command line',
    'user create --username eve --email eve@mail.test --password Secret123': 'a password is not taken from the command line',
    'user set-password ann Secret123': 'a password is not taken from the command line',
    'user set-password ann --password': 'no password was given',
    'user create --username ann --email other@mail.test': 'the name or the address is taken',
    'user create --username eve --email eve': 'email must be a valid email',
    'token revoke nothing': 'Token not found',
    'token create --name x --type other': 'type must be one of',
    'token create --name x --days soon': '--days must be a number above 0 and at most 36525, not soon',
    'token crate': 'there is no command token crate; did you mean create?\n\nusage: npx mangrove token',
    'token revoke': 'the name or id of a token is missing',
    'user create --username eve': '--email is missing',
    'user set-role ann': 'the type of a role is missing',
    'permissions grant public': 'an action is missing',
    'locales change fr': 'nothing to change: --name or --default is missing',
  };
  for (const [line, message] of Object.entries(wrong))
    it(`fail for ${line}, saying why`, async () => {
      const [name = '', ...args] = line.split(' ');
      const { stderr, exitCode } = await run(name, ...args);
      expect(exitCode).to.equal(1);
      expect(stderr).to.include(message);
    });

  it('create no user whose name or address another request claims at the same time', async () => {
    const claims = database.db.collection<{ _id: string; until: Date }>('_claims');
    await claims.insertOne({ _id: 'email zoe@mail.test', until: new Date(Date.now() + 60_000) });
    const { stderr, exitCode } = await run('user', 'create', '--username', 'zoe', '--email', 'Zoe@mail.test');
    expect([exitCode, stderr]).to.deep.equal([1, 'the name or the address is taken']);
    await claims.deleteMany({});
    await succeed('user', 'create', '--username', 'zoe', '--email', 'Zoe@mail.test');
  });

  it('leave no password in the log of changes', async () => {
    const records = await database.db.collection('_audit').find().toArray();
    expect(records).not.to.deep.equal([]);
    expect(JSON.stringify(records)).not.to.include('Secret123');
  });
});
