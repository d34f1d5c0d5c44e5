import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ChangeStreamDocument, MongoClient, MongoServerError } from 'mongodb';
import { findBinary } from '#operate/embedded/find-binary.js';
import { launchMongod, type RunningMongod } from '#operate/embedded/launch-mongod.js';
import { pickPort } from '#operate/embedded/open-data.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { serveSync } from './serve-sync.js';

/** A replica set of one server with an oplog of one megabyte. */
describe('sync over an oplog that has ended', () => {
  let folder: string;
  let mongod: RunningMongod;
  let database: FreshDatabase;
  before(async () => {
    const { path } = await findBinary({ env: process.env, log: console.log });
    folder = await mkdtemp(join(tmpdir(), 'mangrove-oplog-'));
    const host = `127.0.0.1:${String(await pickPort(0))}`;
    const address = ['--dbpath', folder, '--port', host.split(':')[1] ?? '', '--bind_ip', '127.0.0.1', '--nounixsocket'];
    const small = ['--replSet', 'rs0', '--oplogSize', '1', '--syncdelay', '1', '--wiredTigerCacheSizeGB', '0.25'];
    const launched = await launchMongod(path, [...address, ...small]);
    if (launched.kind !== 'running') throw new Error(launched.reason);
    mongod = launched;
    const client = await MongoClient.connect(`mongodb://${host}/?directConnection=true`);
    await client.db('admin').command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
    await mongod.primary;
    await client.close();
    database = await freshDatabase(`mongodb://${host}/?replicaSet=rs0`);
  });
  after(async () => {
    await database.client.close();
    await mongod.stop();
    await rm(folder, { recursive: true });
  });

  /** Resolves with the error of the server when it cannot continue a stream at a position any more. */
  async function fillOplog(position: unknown): Promise<MongoServerError> {
    const filling = database.client.db('other').collection('rows');
    const text = 'x'.repeat(100_000);
    for (;;) {
      for (let n = 0; n < 50; n += 1) await filling.insertOne({ text });
      const stream = database.db.watch([], { resumeAfter: position, maxAwaitTimeMS: 10 });
      const found = await stream.tryNext().catch((error: unknown) => error as MongoServerError | ChangeStreamDocument);
      await stream.close();
      if (found instanceof MongoServerError) return found;
    }
  }

  it('begins a new epoch, so that clients begin anew', async () => {
    const first = await serveSync({ database });
    await first.as(first.editor, 'POST', '/api/posts', { data: { title: 'a' } });
    await first.logged();
    const copy = first.copyOf(first.editor, 'posts');
    await copy.pull();
    const log = database.db.collection<{ _id: string; epoch: string; position: unknown }>('_changes');
    const before = await log.findOne({ _id: 'log' });
    await first.stop();
    await database.db
      .collection<{ _id: number }>('posts')
      .insertOne({ _id: 77, title: 'missed', locale: 'en' } as { _id: number });
    const lost = await fillOplog(before?.position);
    expect([lost.codeName, lost.code]).to.deep.equal(['ChangeStreamHistoryLost', 286]);
    const second = await serveSync({ database });
    const next = second.copyOf(first.editor, 'posts?publicationState=preview');
    next.token = copy.token;
    while ((await log.findOne({ _id: 'log' }))?.epoch === before?.epoch);
    const again = second.copyOf(first.editor, 'posts');
    again.token = copy.token;
    expect((await again.step()).status).to.equal(410);
    await second.expectEqual([next, first.editor, 'posts?publicationState=preview']);
    expect(next.entries.has(77)).to.equal(true);
    await second.stop();
  });
});
