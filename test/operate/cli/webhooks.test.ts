import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { runCli } from '../../support/run-cli.js';

describe('npx mangrove webhooks', () => {
  let directory: string;
  let database: FreshDatabase;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-webhooks-'));
    database = await freshDatabase();
  });
  after(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const run = (...args: readonly string[]) =>
    runCli('webhooks', args, { directory, env: { MONGODB_URI: database.uri, NODE_ENV: 'development' } });
  const name = ['--name', 'site', '--url', 'https://example.com/hook'];

  it('creates webhooks, prints their secret once, lists and deletes them', async () => {
    const header = 'X-Key: a secret: word';
    const made = await run('create', ...name, '--event', 'entry.create', '--event', 'media.create', '--header', header);
    expect([made.exitCode, made.stderr]).to.deep.equal([0, 'created the webhook 1 "site"; its secret is shown only once:']);
    expect(made.stdout).to.match(/^whsec_[\w+/]+=$/);
    const stored = await database.db.collection('_webhooks').findOne({});
    expect(stored).to.deep.include({ format: 'standard', headers: { 'X-Key': 'a secret: word' }, isEnabled: true });
    const { stdout } = await run('list');
    expect(stdout).to.equal('1\tsite\thttps://example.com/hook\tentry.create media.create\tall types\tenabled');
    const logged = JSON.stringify(await database.db.collection('_audit').find().toArray());
    expect(logged).to.include('webhooks create').and.not.include('secret: word');
    expect((await run('delete', '1')).stdout).to.equal('deleted site');
  });

  it('lists deliveries, and delivers them again', async () => {
    await run('create', ...name, '--event', 'entry.create');
    const [at, next] = [new Date('2026-01-01T00:00:00Z'), new Date(0)];
    const answer = { at, ms: 3, status: 500, text: 'no\nmore' };
    const row = { webhook: 2, key: 'api::note.note 1', type: 'entry.create', body: '{}', at, createdAt: at, status: 'failed' };
    const rows = database.db.collection<{ _id: string } & Document>('_webhook_deliveries');
    await rows.insertOne({ _id: 'msg_1', ...row, attempts: 10, next, answer });
    const line = 'msg_1\t2026-01-01T00:00:00.000Z\tentry.create\tapi::note.note 1\tfailed\t10 attempts\t500 no';
    expect((await run('deliveries', '2')).stdout).to.equal(line);
    expect((await run('deliveries', '2', '--status', 'pending')).stdout).to.equal('');
    expect((await run('replay', '2', '--since', '2025-12-31')).stdout).to.equal('1 to be delivered again');
    expect(await rows.findOne({})).to.include({ status: 'pending', attempts: 0 });
    expect((await run('replay', '2', '--delivery', 'msg_2')).exitCode).to.equal(1);
  });

  const refusals: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['create'], /--name is missing/],
    [['create', ...name], /--event is missing/],
    [['create', ...name, '--event', 'entry.nope'], /entry|events/],
    [['create', ...name, '--event', 'entry.create', '--type', 'api::nope.nope'], /no content type api::nope.nope/],
    [['create', ...name, '--event', 'entry.create', '--header', 'X-Key'], /--header must be/],
    [['delete', '7'], /webhook.notFound/],
    [['replay', '2'], /--delivery or --since/],
    [['replay', '2', '--since', 'noon'], /--since must be/],
    [['deliveries', '2', '--status', 'odd'], /--status must be one of/],
  ];
  for (const [args, message] of refusals)
    it(`refuses ${args.join(' ')}`, async () => {
      const { exitCode, stderr } = await run(...args);
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(message);
    });
});
