import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { findBinary } from '#operate/embedded/find-binary.js';
import { launchMongod, type RunningMongod } from '#operate/embedded/launch-mongod.js';
import { pickPort } from '#operate/embedded/open-data.js';
import { createServer } from '#operate/service/create-server.js';
import type { NamedFinding } from '#operate/doctor/checks.js';
import { createLog } from '../support/create-log.js';
import { runCli } from '../support/run-cli.js';

describe('a user whom the database refuses', function () {
  this.timeout(120_000);
  let server: RunningMongod;
  let directory: string;
  let port: number;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-auth-'));
    port = await pickPort(0);
    const { path } = await findBinary({ env: process.env, dataVersion: undefined, log: console.log });
    const started = await launchMongod(path, ['--auth', '--bind_ip', '127.0.0.1', '--port', String(port), '--dbpath', directory]);
    if (started.kind !== 'running') throw new Error('mongod has not started');
    server = started;
    const client = await MongoClient.connect(`mongodb://127.0.0.1:${String(port)}`);
    const root = { createUser: 'root', pwd: 'S3cret', roles: ['root'] };
    await client.db('admin').command(root);
    await client.close();
    const admin = await MongoClient.connect(`mongodb://root:S3cret@127.0.0.1:${String(port)}`);
    for (const [createUser, role] of [
      ['one', 'readWrite'],
      ['reader', 'read'],
    ])
      // prettier-ignore
      await admin.db('admin').command({ createUser, pwd: 'S3cret', roles: [{ role, db: 'content' }] });
    await admin.db('content').command({ createUser: 'inner', pwd: 'S3cret', roles: ['readWrite'] });
    await admin.close();
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const noName = 'may not use the database mangrove, which is the default, since the address names none: add its name';
  const notLoggedIn = 'refuses the user name or the password';
  const cases: readonly (readonly [user: string, path: string, message: string | null])[] = [
    ['one:S3cret', '/', noName],
    ['one:S3cret', '', noName],
    ['one:S3cret', '/other?authSource=admin', 'may not read and write the database that it names'],
    ['reader:S3cret', '/content?authSource=admin', 'may not read and write the database that it names'],
    ['one:S3cretly', '/content?authSource=admin', notLoggedIn],
    ['nobody:S3cret', '/content', notLoggedIn],
    ['inner:S3cret', '/?authSource=admin', 'name the database in which the user was created, as in ?authSource=admin'],
    ['one:S3cret', '/content?authSource=admin', null],
    ['inner:S3cret', '/content', null],
  ];
  for (const [user, path, message] of cases)
    it(`${user}@host${path}: ${message ?? 'starts'}`, async () => {
      const { logger, lines } = await createLog();
      const uri = `mongodb://${user}@127.0.0.1:${String(port)}${path}`;
      const one = await createServer({ config: { server: { port: 0, host: '127.0.0.1' }, database: { uri } }, logger });
      const error: unknown = await one.start().catch((thrown: unknown) => thrown);
      await one.stop();
      if (message === null) return void expect(error).to.equal(undefined);
      expect(error).to.have.property('name', 'ConfigError');
      expect(String(error)).to.include(message).and.not.match(/S3c/);
      expect(JSON.stringify(lines)).to.not.match(/S3c|trying again/);
    });

  for (const [user, path, message] of cases)
    it(`${user}@host${path}: the doctor ${message === null ? 'finds only that it is a standalone server' : 'says so'}`, async () => {
      const uri = `mongodb://${user}@127.0.0.1:${String(port)}${path}`;
      const env = { NODE_ENV: 'production', MONGODB_URI: uri };
      const { stdout } = await runCli('doctor', ['--json'], { directory, env });
      const { checks } = JSON.parse(stdout) as { readonly checks: readonly NamedFinding[] };
      const ofDatabase = ['database', 'connection', 'replica-set'];
      const found = checks.filter(({ name, state }) => ofDatabase.includes(name) && state === 'problem').map(({ text }) => text);
      expect(found, found.join()).to.have.length(user.startsWith('reader') ? 2 : 1);
      if (user.startsWith('reader')) expect(found[0]).to.include('may not write to the database');
      else expect(found[0]).to.include(message ?? 'the database is a standalone server');
      expect(stdout).not.to.match(/S3c/);
    });
});
