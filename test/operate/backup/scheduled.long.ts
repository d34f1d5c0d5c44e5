import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createServer } from '#index.js';
import { createLog } from '../../support/create-log.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { serveModels, testConfig, type Serving } from '../../support/serve.js';
import { startS3 } from '../../media/storage/start-s3.js';
import { makeFolder } from './backups.js';

describe('scheduled backups', () => {
  let to: string;
  let database: FreshDatabase;
  before(async () => {
    [to, database] = [await mkdtemp(join(tmpdir(), 'mangrove-scheduled-')), await freshDatabase()];
  });
  after(async () => {
    await database.drop();
    await rm(to, { recursive: true });
  });
  const serve = (backup: object, plugins: object = {}): Promise<Serving> =>
    serveModels({ models: [], database, config: { backup: { schedule: '* * * * * *', ...backup }, plugins } });

  it('are made by one of the instances at each time, and the newest are kept, with the files of others', async () => {
    const others = [
      `${database.name}-2020-01-03T00-00-00Z.backup.gz.another-pod.1.part`,
      'mine.txt',
      'other-2020-01-01T00-00-00Z.backup.gz',
      `${database.name}-other.backup.gz`,
    ];
    const old = [
      `${database.name}-2020-01-01T00-00-00Z.backup.gz`,
      `${database.name}-2020-01-01T00-00-00Z.backup.gz.${hostname()}.999999999.part`,
      `${database.name}-2020-01-02T00-00-00Z.backup.gz.a-former-pod.1.part`,
    ];
    for (const name of [...others, ...old]) await writeFile(join(to, name), 'x');
    const [day, pod = ''] = [(Date.now() - 90_000_000) / 1_000, old.at(-1)];
    await utimes(join(to, pod), day, day);
    const servings = [await serve({ to, keep: 2 }), await serve({ to, keep: 2 })];
    const own = async (): Promise<readonly string[]> => (await readdir(to)).filter((name) => !others.includes(name)).sort();
    const seen = new Set<string>();
    while (seen.size < 3) {
      for (const name of await own()) if (/^test_\w+-202\d-[-\dT]+Z\.backup\.gz$/.test(name)) seen.add(name);
      await delay(20);
    }
    for (const serving of servings) await serving.stop();
    const left = await own();
    expect(left.length).to.equal(2);
    expect([...seen].sort().slice(-2)).to.deep.equal(left);
    expect((await readdir(to)).filter((name) => others.includes(name)).sort()).to.deep.equal(others.sort());
    const folder = await makeFolder();
    const target = await freshDatabase();
    expect((await folder.run(target, 'restore', join(to, left[0] ?? ''))).exitCode).to.equal(0);
    await target.drop();
    await folder.remove();
  });

  it('are made in S3', async () => {
    const s3 = await startS3();
    const serving = await serve(
      { to: 's3://media/nightly', keep: 1 },
      { upload: { config: { providerOptions: { s3: s3.options } } } },
    );
    while ((await s3.count()) === 0) await delay(20);
    await serving.stop();
    await s3.stop();
  });

  it('fail, and delete no older ones, while files are missing in their storage', async () => {
    const [folder, fresh] = [await mkdtemp(join(tmpdir(), 'mangrove-scheduled-')), await freshDatabase()];
    const metadata = { provider: 'disk', key: 'gone.txt' };
    await fresh.db.collection('uploads.files').insertOne({ filename: 'gone.txt', length: 1, metadata });
    const old = `${fresh.name}-2020-01-01T00-00-00Z.backup.gz`;
    await writeFile(join(folder, old), 'x');
    const config = { backup: { schedule: '* * * * * *', to: folder, keep: 1 } };
    const { logger, lines } = await createLog();
    const serving = await serveModels({ models: [], database: fresh, config, logger });
    const failures = (): readonly string[] =>
      lines.map((line) => JSON.stringify(line)).filter((line) => line.includes('gone.txt'));
    while (failures().length < 2) await delay(20);
    await serving.stop();
    expect(failures()[0]).to.match(/gone\.txt: missing in their storage, so that the backup is written without them/);
    expect(await readdir(folder))
      .to.include(old)
      .and.have.length.above(2);
    await fresh.drop();
    await rm(folder, { recursive: true });
  });

  it('need a rule that is valid', async () => {
    const server = await createServer({ config: testConfig(database, { backup: { schedule: 'at noon' } }) });
    const error: unknown = await server.start().catch((thrown: unknown) => thrown);
    await server.stop();
    expect(String(error)).to.match(/backup\.schedule is no cron rule/);
  });
});
