import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { program } from '../../support/program.js';
import { type Serving, serveModels } from '../../support/serve.js';
import { providers } from '../../media/storage/providers.js';
import { startS3, type S3Server } from '../../media/storage/start-s3.js';
import { type BackupFolder, makeFolder } from './backups.js';

const bytes = Buffer.from(Uint8Array.from({ length: 5_000_000 }, (_, index) => (index * 7 + (index >> 8)) % 251));

/** Writes config/plugins, because commands read it. */
async function configure({ path }: BackupFolder, config: unknown): Promise<void> {
  await mkdir(join(path, 'config'), { recursive: true });
  await writeFile(join(path, 'config/plugins.json'), JSON.stringify({ upload: { config } }));
}

async function upload({ server }: Serving): Promise<string> {
  const form = new FormData();
  form.append('files', new Blob([bytes], { type: 'text/plain' }), 'a.txt');
  form.append('files', new Blob(['small'], { type: 'text/plain' }), 'b.txt');
  const answer = await fetch(`${server.url}/api/upload`, { method: 'POST', body: form });
  return ((await answer.json()) as readonly { readonly url: string }[])[0]?.url ?? '';
}

for (const name of ['disk', 's3'] as const)
  describe(`a backup of files on ${name}`, () => {
    let folder: BackupFolder;
    let target: FreshDatabase;
    before(async () => {
      [folder, target] = [await makeFolder(), await freshDatabase()];
    });
    after(async () => {
      await target.drop();
      await folder.remove();
    });

    it('contains the files, and stores them again', async () => {
      const [first, second] = [await providers[name](), await providers[name]()];
      const source = await serveModels({ models: [], config: { plugins: { upload: { config: first.config } } } });
      const url = await upload(source);
      await configure(folder, first.config);
      const made = await folder.run(source.database, 'backup', 'files.gz');
      expect(made.stdout).to.match(/ documents, 2 files from outside of the database, as of /);
      await configure(folder, second.config);
      expect((await folder.run(target, 'restore', 'files.gz')).exitCode).to.equal(0);
      await first.close();
      const restored = await serveModels({
        models: [],
        database: target,
        config: { plugins: { upload: { config: second.config } } },
      });
      const answer = await fetch(`${restored.server.url}${url}`);
      expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), bytes)).to.equal(0);
      expect(await second.count()).to.equal(2);
      expect((await folder.run(target, 'restore', 'files.gz', '--conflict', 'skip')).exitCode).to.equal(0);
      expect((await folder.run(target, 'restore', 'files.gz', '--conflict', 'replace')).exitCode).to.equal(0);
      expect(await second.count()).to.equal(2);
      await restored.stop();
      await second.close();
      await source.stop();
    });
  });

describe('a backup in S3', () => {
  let folder: BackupFolder;
  let s3: S3Server;
  let source: FreshDatabase;
  let target: FreshDatabase;
  before(async () => {
    [folder, s3, source, target] = [await makeFolder(), await startS3(), await freshDatabase(), await freshDatabase()];
    await configure(folder, { provider: 'gridfs', providerOptions: { s3: s3.options } });
    await source.db.collection('pages').insertMany([{ n: 1 }, { n: 2, bytes }]);
  });
  after(async () => {
    for (const database of [source, target]) await database.drop();
    await s3.stop();
    await folder.remove();
  });

  it('is written and restored', async () => {
    const made = await folder.run(source, 'backup', 's3://media/backups/shop.gz');
    expect([made.exitCode, made.stderr.includes('rror')]).to.deep.equal([0, false]);
    expect((await folder.run(source, 'backup', 's3://media/backups/shop.gz')).stderr).to.match(/already exists/);
    expect((await folder.run(target, 'restore', 's3://media/backups/shop.gz')).exitCode).to.equal(0);
    expect(await target.db.collection('pages').countDocuments()).to.equal(2);
    expect((await folder.run(target, 'restore', 's3://media/backups/nope.gz')).stderr).to.match(
      /there is no object s3:\/\/media\/backups\/nope.gz/,
    );
    expect((await folder.run(source, 'backup', 's3://media')).stderr).to.match(/has no name of an object/);
  });

  it('refuses files of a storage that is not configured', async () => {
    const disk = await makeFolder();
    await configure(disk, { provider: 's3', providerOptions: s3.options });
    const serving = await serveModels({
      models: [],
      config: { plugins: { upload: { config: { provider: 's3', providerOptions: s3.options } } } },
    });
    await upload(serving);
    expect((await disk.run(serving.database, 'backup', 'files.gz')).exitCode).to.equal(0);
    await configure(disk, { provider: 'gridfs' });
    const refused = await disk.run(target, 'restore', 'files.gz', '--conflict', 'skip');
    expect([refused.exitCode, refused.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && /files of the storage s3, which is not configured here/.test(text),
    );
    await serving.stop();
    await disk.remove();
  });
});

describe('a backup to standard output', () => {
  it('fails with a message if nobody reads it to its end', async () => {
    const [folder, source] = [await makeFolder(), await freshDatabase()];
    await source.db.collection('pages').insertMany([{ bytes: randomBytes(1_000_000) }, { n: 2 }]);
    const env = { ...process.env, MONGODB_URI: source.uri };
    const words = [process.execPath, ...(await program()), 'backup', '-'].map((word) => `'${word}'`).join(' ');
    const options = { cwd: folder.path, env };
    const { stderr } = await promisify(execFile)('bash', ['-c', `${words} | head -c 10 >/dev/null`], options);
    expect(stderr)
      .to.match(/EPIPE/)
      .and.not.to.match(/ at |Unhandled/);
    await source.drop();
    await folder.remove();
  });
});
