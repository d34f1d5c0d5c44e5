import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { placeOf } from '#operate/backup/place.js';
import { prepareRestore, restoreBackup } from '#operate/backup/restore-backup.js';
import type { RestoreReport } from '#operate/backup/restoring.js';
import { verifyBackup } from '#operate/backup/verify-backup.js';
import { writeBackup } from '#operate/backup/write-backup.js';
import { diskStorage } from '#media/storage/disk-storage.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { type BackupFolder, digestAll, makeFolder } from './backups.js';

const silent = { begin: () => undefined, advance: () => undefined, end: () => undefined };

describe('a restore that sleeps, and wakes after another process has taken it over', () => {
  let folder: BackupFolder;
  let source: FreshDatabase;
  const key = `${'a'.repeat(24)}.txt`;
  const place = () => placeOf(join(folder.path, 'shop.gz'), { provider: 'disk', providerOptions: {} } as never);
  before(async () => {
    [folder, source] = [await makeFolder(), await freshDatabase()];
    for (const name of ['articles', 'zebras'])
      await source.db.collection(name).insertMany(Array.from({ length: 1_500 }, (_, n) => ({ n })));
    const metadata = { provider: 'disk', key };
    await source.db.collection('uploads.files').insertOne({ _id: new ObjectId('a'.repeat(24)), length: 1, metadata });
    const storage = diskStorage(join(folder.path, 'files'));
    await storage.write(key, [Buffer.from('x')], 'text/plain');
    await writeBackup(place(), { database: databaseOf(source), storageOf: () => storage, progress: silent });
  });
  after(async () => {
    await source.drop();
    await folder.remove();
  });

  /** Starts a restore. Returns when it is about to store its file, with what lets it go on. */
  const start = async (target: FreshDatabase, name: string) => {
    const events = new EventEmitter();
    const [reached, opened] = [once(events, 'reached'), once(events, 'open')];
    const storage = diskStorage(join(folder.path, name));
    const write: typeof storage.write = async (...input) => {
      events.emit('reached');
      await opened;
      await storage.write(...input);
    };
    const context = { database: databaseOf(target), storageOf: () => ({ ...storage, write }), progress: silent };
    const backup = await verifyBackup(place(), context);
    const prepared = await prepareRestore({ place: place(), backup, conflict: 'fail' }, context);
    const ended = restoreBackup(prepared, context).catch((error: unknown) => String(error));
    await reached;
    const goOn = (): Promise<RestoreReport | string> => {
      events.emit('open');
      return ended;
    };
    return goOn;
  };

  it('fails, and takes nothing from the other one', async () => {
    const target = await freshDatabase();
    const first = await start(target, 'first');
    await target.db.collection('_imports').updateMany({}, { $set: { aliveAt: new Date(0) } });
    const second = await start(target, 'second');
    expect(await first()).to.match(/another process has taken over/);
    expect(await second()).to.have.property('merged');
    expect(await digestAll(target)).to.deep.equal(await digestAll(source));
    expect(await target.db.listCollections({ name: /^_import_/ }).toArray()).to.deep.equal([]);
    await target.drop();
  });

  it('replaces nothing that others have stored since the database was empty', async () => {
    const target = await freshDatabase();
    const storageOf = () => diskStorage(join(folder.path, 'files'));
    const restore = async (progress: typeof silent): Promise<unknown> => {
      const context = { database: databaseOf(target), storageOf, progress };
      const backup = await verifyBackup(place(), context);
      await target.db.collection('_imports').updateMany({}, { $set: { aliveAt: new Date(0) } });
      const prepared = await prepareRestore({ place: place(), backup, conflict: 'fail' }, context);
      return restoreBackup(prepared, context).catch((error: unknown) => String(error));
    };
    let steps = Infinity;
    const begin = (title?: string): undefined => void (steps = title === 'storing' ? 1 : Infinity);
    const advance = (): undefined => {
      if ((steps -= 1) === 0) throw new Error('the power fails');
    };
    expect(await restore({ ...silent, begin, advance })).to.match(/the power fails/);
    await target.db.collection<{ _id: string }>('zebras').insertOne({ _id: 'mine' });
    expect(await restore(silent)).to.match(/zebras has got content while the backup was restored/);
    expect(await target.db.collection<{ _id: string }>('zebras').find().toArray()).to.deep.equal([{ _id: 'mine' }]);
    await target.db.dropCollection('zebras');
    expect(await restore(silent)).to.have.property('merged');
    expect(await digestAll(target)).to.deep.equal(await digestAll(source));
    await target.drop();
  });

  it('fails if somebody has dropped what it staged', async () => {
    const target = await freshDatabase();
    const goOn = await start(target, 'dropped');
    const [{ name } = { name: '' }] = await target.db.listCollections({ name: /^_import_.*_articles$/ }).toArray();
    await target.db.dropCollection(name);
    await target.db.createCollection(name);
    expect(await goOn()).to.match(/another process has dropped what was staged; nothing is restored/);
    expect(await target.db.listCollections({ name: /articles/ }).toArray()).to.deep.equal([]);
    await target.drop();
  });
});
