import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Db, MongoClient } from 'mongodb';
import { linkTo } from '../../scripts/prove/faults/tcp-link.js';
import { type ScriptDatabase, startEphemeral } from '../../scripts/start-database.js';
import { findBinary } from '#operate/embedded/find-binary.js';
import { launchMongod } from '#operate/embedded/launch-mongod.js';
import { commonArguments, pickPort } from '#operate/embedded/open-data.js';
import { ChangeBus } from '#store/changes/changes.js';
import { followChanges } from '#store/changes/watch-changes.js';
import { Observer } from '#base/observe/observer.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

/** Watches the changes of a database, and counts the reports. */
function following(fresh: Pick<FreshDatabase, 'client' | 'db'>, token: unknown = null) {
  const changes = new ChangeBus();
  const heard = { rows: 0, others: 0 };
  changes.onChange(['rows'], () => (heard.rows += 1));
  // nobody writes to it: it is heard of only when everything is read again
  changes.onChange(['others'], () => (heard.others += 1));
  const seen: string[] = [];
  const observer = new Observer({
    'changes lost': ({ kind }) => void seen.push(kind),
    'changes found': ({ kind }) => void seen.push(kind),
  });
  const stopped = new AbortController();
  const ended = followChanges(databaseOf(fresh), changes, { stopped: stopped.signal, observer, token });
  return {
    changes,
    heard,
    seen,
    stop: async () => {
      stopped.abort();
      await ended;
    },
  };
}

/** The time limit of the test is the limit. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5);
}

/** Where a stream that begins now would be resumed. */
async function tokenOf(db: Db): Promise<unknown> {
  const stream = db.watch();
  await stream.tryNext();
  const token = stream.resumeToken;
  await stream.close();
  return token;
}

/** The commands that a client waits for the replies of. */
function commandsUnderWay(client: MongoClient): ReadonlySet<number> {
  const ids = new Set<number>();
  client.on('commandStarted', ({ requestId }) => ids.add(requestId));
  client.on('commandSucceeded', ({ requestId }) => ids.delete(requestId));
  client.on('commandFailed', ({ requestId }) => ids.delete(requestId));
  return ids;
}

describe('a change stream', () => {
  let fresh: FreshDatabase;
  before(async () => {
    fresh = await freshDatabase();
  });
  after(() => fresh.drop());

  const insert = () => fresh.db.collection('rows').insertOne({});

  it('resumes from a token, without reading everything again', async () => {
    const token = await tokenOf(fresh.db);
    await insert();
    const { changes, heard, stop } = following(fresh, token);
    await until(() => changes.isListening);
    expect(heard).to.deep.equal({ rows: 1, others: 0 });
    await stop();
  });

  it('names the documents that were written, and leaves out collections that nobody caches', async () => {
    const { changes, stop } = following(fresh);
    await until(() => changes.isListening);
    const seen: (readonly [string, unknown])[] = [];
    for (const name of ['rows', '_audit', '_models'])
      changes.onChange([name], (change) => seen.push([name, 'ids' in change ? change.ids : undefined]));
    const write = (name: string, _id: string) => fresh.db.collection<{ readonly _id: string }>(name).insertOne({ _id });
    for (const name of ['_audit', 'rows']) await write(name, 'one');
    await until(() => seen.length === 1);
    await fresh.client.withSession((session) =>
      session.withTransaction(async () => {
        const models = fresh.db.collection<{ readonly _id: string }>('_models');
        await models.insertMany([{ _id: 'one' }, { _id: 'two' }], { session });
      }),
    );
    await until(() => seen.length === 2);
    await fresh.db.collection('rows').drop();
    await until(() => seen.length === 3);
    expect(seen).to.deep.equal([
      ['rows', ['one']],
      ['_models', ['one', 'two']],
      ['rows', null],
    ]);
    await stop();
  });

  it('opens a new stream if the server refuses the resume token, and drops all caches', async () => {
    const { changes, heard, seen, stop } = following(fresh, { _data: 'no place' });
    await until(() => changes.isListening);
    expect(heard).to.deep.equal({ rows: 1, others: 1 });
    await insert();
    await until(() => heard.rows === 2);
    await stop();
    expect(seen).to.deep.equal(['changes lost', 'changes found']);
  });

  it('reports writes made while it was disconnected', async () => {
    const link = await linkTo(fresh.client.options.hosts[0]?.port ?? 0);
    const client = await MongoClient.connect(`mongodb://127.0.0.1:${String(link.port)}/?directConnection=true`, {
      heartbeatFrequencyMS: 500,
      monitorCommands: true,
    });
    const underWay = commandsUnderWay(client);
    const { changes, heard, stop } = following({ ...fresh, client, db: client.db(fresh.name) });
    await until(() => changes.isListening);
    await insert();
    await until(() => heard.rows === 2);
    link.block();
    await insert();
    await until(() => underWay.size > 0);
    link.unblock();
    await until(() => !changes.isListening);
    await until(() => changes.isListening);
    expect(heard).to.deep.equal({ rows: 3, others: 1 });
    await stop();
    await client.close();
    await link.close();
  });
});

describe('a change stream whose position is no longer in the oplog', () => {
  let server: ScriptDatabase;
  let young: YoungMember;
  let [primary, member]: MongoClient[] = [];
  let token: unknown;
  before(async () => {
    server = await startEphemeral(() => undefined);
    primary = await MongoClient.connect(server.uri);
    token = await tokenOf(primary.db('places'));
    await primary.db('places').collection('rows').insertOne({});
    young = await joinMember(primary);
    member = await MongoClient.connect(young.uri);
  });
  after(async () => {
    await member?.close();
    await primary?.close();
    await young.stop();
    await server.stop();
  });

  it('is opened again after the error ChangeStreamHistoryLost, and all caches are dropped', async () => {
    if (primary === undefined || member === undefined) throw new Error('there is no member');
    const db = member.db('places');
    const pipeline = [{ $changeStream: { resumeAfter: token } }];
    const failure: unknown = await db.command({ aggregate: 1, pipeline, cursor: {} }).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 286);
    const { changes, heard, stop } = following({ client: member, db }, token);
    await until(() => changes.isListening);
    expect(heard).to.deep.equal({ rows: 1, others: 1 });
    await primary.db('places').collection('rows').insertOne({});
    await until(() => heard.rows === 2);
    await stop();
  });
});

interface YoungMember {
  readonly uri: string;
  readonly stop: () => Promise<void>;
}

/** Adds a member to a set, which copies the data. Its oplog begins at that time. Resolves when it can be read. */
async function joinMember(primary: MongoClient): Promise<YoungMember> {
  const port = await pickPort(0);
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-member-'));
  const { path } = await findBinary({ env: process.env, log: () => undefined });
  const args = ['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', 'rs0'];
  const started = await launchMongod(path, [...args, ...commonArguments(0.25)]);
  if (started.kind !== 'running') throw new Error(started.reason);
  const admin = primary.db('admin');
  const { config } = await admin.command({ replSetGetConfig: 1 });
  const members = [...config.members, { _id: 1, host: `127.0.0.1:${String(port)}`, priority: 0, votes: 0 }] as const;
  await admin.command({ replSetReconfig: { ...config, version: Number(config.version) + 1, members } });
  const uri = `mongodb://127.0.0.1:${String(port)}/?directConnection=true`;
  const client = await MongoClient.connect(uri);
  while ((await client.db('admin').command({ hello: 1 }))['secondary'] !== true) await delay(20);
  await client.close();
  const stop = async (): Promise<void> => {
    process.kill(started.pid, 'SIGKILL');
    await started.ended;
    await rm(folder, { recursive: true });
  };
  return { uri, stop };
}
