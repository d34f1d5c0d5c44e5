import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { program } from '../../support/program.js';
import { type BackupFolder, digestAll, makeFolder } from './backups.js';

const collections = ['alpha', 'beta', 'gamma', 'omega'];
const file = 'killed.gz';

describe('a process that is killed', () => {
  let folder: BackupFolder;
  let source: FreshDatabase;
  let target: FreshDatabase;
  before(async () => {
    [folder, source, target] = [await makeFolder(), await freshDatabase(), await freshDatabase()];
    for (const name of collections) {
      const rows = Array.from({ length: 8_000 }, (_, n) => ({ n, text: `${name} ${String(n)} `.repeat(100) }));
      await source.db.collection(name).insertMany(rows);
      await source.db.collection(name).createIndex({ n: 1 }, { unique: true });
    }
  });
  after(async () => {
    await source.drop();
    await target.drop();
    await folder.remove();
  });

  const start = async ({ uri }: FreshDatabase, ...args: readonly string[]): Promise<ChildProcess> =>
    spawn(process.execPath, [...(await program()), ...args], {
      cwd: folder.path,
      env: { ...process.env, MONGODB_URI: uri },
      stdio: 'ignore',
    });
  const killWhen = async (child: ChildProcess, isThere: () => Promise<boolean>): Promise<void> => {
    const ended = once(child, 'exit');
    while (child.exitCode === null && !(await isThere())) await delay(1);
    child.kill('SIGKILL');
    expect((await ended)[1]).to.equal('SIGKILL');
  };
  const parts = async (): Promise<readonly string[]> => (await readdir(folder.path)).filter((name) => name.endsWith('.part'));

  it('while it makes a backup leaves none, and the next one is whole', async () => {
    const isBegun = async (): Promise<boolean> => {
      const [part] = await parts();
      return part !== undefined && (await stat(join(folder.path, part))).size > 0;
    };
    await killWhen(await start(source, 'backup', file), isBegun);
    expect(await readdir(folder.path))
      .to.have.lengthOf(1)
      .and.to.not.include(file);
    const [cut = ''] = await parts();
    const refused = await folder.run(target, 'restore', cut);
    expect([refused.exitCode, refused.stderr.split('\n').at(-1)]).to.deep.equal([
      1,
      `${cut} is cut: its end is missing; use another backup`,
    ]);
    expect((await folder.run(source, 'backup', file)).exitCode).to.equal(0);
    expect(await parts()).to.deep.equal([]);
  });

  const staged = async (): Promise<number> => {
    const [last] = await target.db.listCollections({ name: /^_import_.*_omega$/ }).toArray();
    return last === undefined ? 0 : target.db.collection(last.name).countDocuments();
  };
  const published = async (): Promise<number> =>
    (await target.db.listCollections({ name: { $in: collections.slice(0, 3) } }).toArray()).length;

  it('while it restores changes nothing before it publishes, and the next one ends its work', async () => {
    await killWhen(await start(target, 'restore', file), async () => (await staged()) > 0);
    expect(await published()).to.equal(0);
    const other = await folder.run(target, 'restore', file, '--conflict', 'skip');
    expect([other.exitCode, other.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && /--conflict fail was interrupted/.test(text),
    );
    const release = await hold(target, 'omega');
    await killWhen(await start(target, 'restore', file), async () => (await published()) === 3);
    await release();
    expect((await folder.run(target, 'restore', file)).exitCode).to.equal(0);
    expect(await digestAll(target)).to.deep.equal(await digestAll(source));
    expect((await target.db.listCollections({ name: /^_import_/ }).toArray()).length).to.equal(0);
  });

  for (const conflict of ['skip', 'replace'])
    it(`while it merges with --conflict ${conflict} goes on`, async () => {
      const held = await freshDatabase();
      await held.db.collection('alpha').insertMany(Array.from({ length: 10 }, (_, n) => ({ n: -1 - n })));
      await held.db.collection('gamma').insertOne({ n: -1 });
      const isBegun = async (): Promise<boolean> => (await held.db.collection('gamma').estimatedDocumentCount()) > 1;
      await killWhen(await start(held, 'restore', file, '--conflict', conflict), isBegun);
      expect((await folder.run(held, 'restore', file, '--conflict', conflict)).exitCode).to.equal(0);
      const counts = await Promise.all(collections.map((name) => held.db.collection(name).countDocuments()));
      expect(counts).to.deep.equal([8_010, 8_000, 8_001, 8_000]);
      await held.drop();
    });
}).timeout(240_000);

/** Keeps others from taking the place of a collection. Returns what ends that. */
async function hold({ client, db }: FreshDatabase, collection: string): Promise<() => Promise<void>> {
  await db.createCollection(collection);
  const session = client.startSession();
  session.startTransaction();
  await db.collection(collection).insertOne({ held: true }, { session });
  return async () => {
    await session.abortTransaction();
    await session.endSession();
  };
}
