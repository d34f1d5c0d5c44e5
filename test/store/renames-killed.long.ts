import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { program } from '../support/program.js';
import { storeModels, type TestModel } from '../support/serve.js';

const article = (attributes: object): TestModel => ({
  uid: 'api::article.article',
  kind: 'collectionType',
  collectionName: 'articles',
  info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
  attributes,
});

/** A service in a process of its own. */
interface Running {
  readonly process: ChildProcess;
  readonly url: string;
}

describe('a rename whose processes are killed', function () {
  this.timeout(240_000);
  let directory: string;
  let database: FreshDatabase;
  const services: Running[] = [];
  const words = program();

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-renames-'));
    database = await freshDatabase();
  });
  after(async () => {
    for (const { process: one } of services) one.kill('SIGKILL');
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });

  async function start(): Promise<Running> {
    const env = {
      ...process.env,
      MONGODB_URI: database.uri,
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_PRETTY: 'false',
    };
    const child = spawn(process.execPath, [...(await words), 'start'], {
      cwd: directory,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /https?:\/\/(localhost|127\.0\.0\.1):\d+/.exec(line);
        if (found !== null) resolve(found[0]);
      });
    });
    const running = { process: child, url };
    services.push(running);
    return running;
  }

  const phase = async (): Promise<unknown> =>
    (await database.db.collection('_settings').findOne({ _id: /^rename-/ as never }))?.['phase'] as unknown;

  it('goes on after each of them, and loses no value', async () => {
    const count = 20_000;
    await storeModels(database, [article({ title: { type: 'string' } })]);
    await database.db
      .collection('articles')
      .insertMany(Array.from({ length: count }, (_, index) => ({ _id: (index + 1) as never, title: `t${String(index + 1)}` })));
    await database.db.collection('_collections').insertOne({ _id: 'articles' as never });
    let first = await start();
    await start();
    await storeModels(database, [article({ headline: { type: 'string', renamedFrom: 'title' } })]);
    for (const wanted of ['copying', 'switched', 'clearing']) {
      for (let now = await phase(); now !== wanted && now !== 'done'; now = await phase()) await delay(10);
      first.process.kill('SIGKILL');
      const now = await start();
      first = services.find((one) => one.process.exitCode === null && one.process.signalCode === null && one !== now) ?? now;
    }
    while ((await phase()) !== 'done') await delay(100);
    const left = {
      $or: [{ title: { $exists: true } }, { $expr: { $ne: ['$headline', { $concat: ['t', { $toString: '$_id' }] }] } }],
    };
    expect(await database.db.collection('articles').countDocuments(left)).to.equal(0);
  });
});
