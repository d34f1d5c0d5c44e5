import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { placeOf } from '#operate/backup/place.js';
import { prepareRestore, restoreBackup } from '#operate/backup/restore-backup.js';
import { verifyBackup } from '#operate/backup/verify-backup.js';
import { writeBackup } from '#operate/backup/write-backup.js';
import { diskStorage } from '#media/storage/disk-storage.js';
import type { FileStorage } from '#media/storage/file-storage.js';
import { s3Storage } from '#media/storage/s3-storage.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { type BackupFolder, makeFolder } from './backups.js';

const silent = { begin: () => undefined, advance: () => undefined, end: () => undefined };
const text = 'the bytes of a file';

const s3Options = { bucket: 'media', region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };

async function* failing(): AsyncGenerator<Uint8Array> {
  yield await Promise.reject(new Error('AccessDenied'));
}

describe('files of a backup', () => {
  let folder: BackupFolder;
  let source: FreshDatabase;
  const open: FreshDatabase[] = [];
  const ids = ['a'.repeat(24), 'b'.repeat(24)] as const;
  const key = `${ids[0]}.txt`;
  const other = `${ids[1]}.txt`;
  const empty = async (): Promise<FreshDatabase> => {
    const database = await freshDatabase();
    open.push(database);
    return database;
  };
  const uploads = (): string => join(folder.path, 'data/uploads');
  const pathOf = (name: string): string => join(uploads(), name.slice(22, 24), name);
  const put = async (name: string, bytes: string): Promise<void> => {
    await mkdir(join(pathOf(name), '..'), { recursive: true });
    await writeFile(pathOf(name), bytes);
  };
  const place = (name: string) => placeOf(join(folder.path, name), { provider: 'disk', providerOptions: {} } as never);
  const record = ({ db }: FreshDatabase) =>
    db.collection('uploads.files').insertMany(
      ids.map((id) => ({
        _id: new ObjectId(id),
        filename: `${id}.txt`,
        length: text.length,
        metadata: { provider: 'disk', key: `${id}.txt` },
      })),
    );
  before(async () => {
    folder = await makeFolder();
    source = await empty();
    await record(source);
    for (const name of [key, other]) await put(name, text);
    expect((await folder.run(source, 'backup', 'whole.gz')).exitCode).to.equal(0);
    await put(other, text.slice(1));
    expect((await folder.run(source, 'backup', 'short.gz')).exitCode).to.equal(2);
    await rm(pathOf(other));
    expect((await folder.run(source, 'backup', 'missing.gz')).exitCode).to.equal(2);
  });
  beforeEach(async () => {
    await rm(uploads(), { recursive: true, force: true });
    for (const name of [key, other]) await put(name, text);
  });
  after(async () => {
    for (const database of open) await database.drop();
    await folder.remove();
  });

  const full: FileStorage['write'] = () => Promise.reject(new Error('ENOSPC: no space left on device'));
  const restore = async (target: FreshDatabase, storage: FileStorage, conflict: 'fail' | 'replace', file = 'whole.gz') => {
    const context = { database: databaseOf(target), storageOf: () => storage, progress: silent };
    const backup = await verifyBackup(place(file), context);
    return restoreBackup(await prepareRestore({ place: place(file), backup, conflict }, context), context);
  };

  for (const conflict of ['fail', 'replace'] as const)
    it(`are not deleted by a restore with ${conflict} that has no space to write`, async () => {
      const target = await empty();
      if (conflict === 'replace') await record(target);
      await rm(pathOf(other));
      const work = restore(target, { ...diskStorage(uploads()), write: full }, conflict);
      expect(String(await work.catch((error: unknown) => error))).to.match(/ENOSPC/);
      expect(await readFile(pathOf(key), 'utf8')).to.equal(text);
    });

  for (const file of ['short.gz', 'missing.gz'])
    it(`stay in the storage if ${file} lacks them`, async () => {
      await folder.run(await empty(), 'restore', file);
      for (const name of [key, other]) expect(await readFile(pathOf(name), 'utf8')).to.equal(text);
    });

  const unusable: readonly (readonly [title: string, storageOf: () => FileStorage, message: RegExp])[] = [
    ['no network', () => s3Storage({ ...s3Options, endpoint: 'http://127.0.0.1:1', maxAttempts: 1 }), /ECONNREFUSED/],
    ['no bucket', () => s3Storage({}), /needs a bucket for s3/],
    [
      'no rights',
      () => ({
        ...diskStorage(uploads()),
        read: () => Readable.from(failing()),
        sizeOf: () => Promise.reject(new Error('Forbidden')),
      }),
      /AccessDenied/,
    ],
    ['a broken disk', () => ({ ...diskStorage(uploads()), read: () => Readable.from(failing()) }), /AccessDenied/],
  ];
  for (const [title, storageOf, message] of unusable)
    it(`are not taken for missing ones: a backup fails with ${title}`, async () => {
      const work = writeBackup(place('unusable.gz'), { database: databaseOf(source), storageOf, progress: silent });
      expect(String(await work.catch((error: unknown) => error))).to.match(message);
      expect(await readdir(folder.path)).to.not.include('unusable.gz');
    });

  it('take the place of half a file, and are not there before they are whole', async () => {
    await put(key, text.slice(5));
    await rm(pathOf(other));
    const storage = diskStorage(uploads());
    const watched: FileStorage = {
      ...storage,
      write: (name, bytes, about) =>
        storage.write(
          name,
          (async function* () {
            yield* bytes;
            if (name === other) expect(await storage.sizeOf(name)).to.equal(null);
          })(),
          about,
        ),
    };
    await restore(await empty(), watched, 'fail');
    for (const name of [key, other]) expect(await readFile(pathOf(name), 'utf8')).to.equal(text);
    const files = await readdir(uploads(), { recursive: true, withFileTypes: true });
    expect(files.filter((entry) => entry.isFile()).length).to.equal(2);
  });

  it('leave nothing in a storage without space', async () => {
    await rm(uploads(), { recursive: true });
    const storage = diskStorage(uploads());
    const failing: FileStorage = {
      ...storage,
      write: (name, bytes, about) =>
        storage.write(
          name,
          (async function* () {
            yield* bytes;
            await full(name, bytes, about);
          })(),
          about,
        ),
    };
    expect(String(await restore(await empty(), failing, 'fail').catch((error: unknown) => error))).to.match(/ENOSPC/);
    const files = await readdir(uploads(), { recursive: true, withFileTypes: true });
    expect(files.filter((entry) => entry.isFile())).to.deep.equal([]);
  });
});
