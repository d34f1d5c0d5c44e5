import { join } from 'node:path';
import { expect } from 'chai';
import { Long } from 'mongodb';
import { placeOf } from '#operate/backup/place.js';
import { verifyBackup } from '#operate/backup/verify-backup.js';
import { writeBackup } from '#operate/backup/write-backup.js';
import { diskStorage } from '#media/storage/disk-storage.js';
import { listBackedUp } from '#operate/raw/backed-up.js';
import { type MomentPart, readOneMoment } from '#operate/raw/one-moment.js';
import { idDocument } from '#operate/raw/raw-documents.js';
import { scanDocuments } from '#operate/raw/scan-documents.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { checkBank, openBank, startWriters } from './bank.js';
import { type BackupFolder, makeFolder } from './backups.js';

describe('a backup while others write', () => {
  let folder: BackupFolder;
  let source: FreshDatabase;
  let target: FreshDatabase;
  before(async () => {
    [folder, source, target] = [await makeFolder(), await freshDatabase(), await freshDatabase()];
    await openBank(source.db);
    const others = Array.from({ length: 8_000 }, (_, index) => ({ _id: Long.fromNumber(index), text: 'x'.repeat(200) }));
    await source.db.collection('bulk').insertMany(others as never);
  });
  after(async () => {
    await source.drop();
    await target.drop();
    await folder.remove();
  });

  it('is of one moment: transactions are whole', async () => {
    const writers = startWriters(source.client, source.name);
    const made = await folder.run(source, 'backup', 'bank.backup.gz');
    expect([made.exitCode, (await writers.stop()) > 10]).to.deep.equal([0, true]);
    expect((await folder.run(target, 'restore', 'bank.backup.gz')).exitCode).to.equal(0);
    expect(await checkBank(target.db)).to.deep.equal([]);
    expect(await target.db.collection('bulk').countDocuments()).to.equal(8_000);
  });

  it('contains what changes behind the scan, also many documents, and ids of several types', async () => {
    const odd = source.db.collection<{ _id: string | number | Date | object | boolean | null; n: number }>('odd');
    await odd.insertMany(['a', 1, 2.5, new Date(0), { a: 1 }, true].map((_id) => ({ _id, n: 1 })));
    const held = new Map<string, string>();
    let hasChanged = false;
    const parts = readOneMoment(databaseOf(source));
    const take = (part: MomentPart): void => {
      if (part.kind === 'moment') return;
      for (const document of part.documents) {
        const key = `${part.collection} ${hex(idDocument(document))}`;
        if (part.kind === 'deleted') held.delete(key);
        else held.set(key, hex(document));
      }
    };
    for await (const part of parts) {
      take(part);
      if (hasChanged || part.kind !== 'documents' || part.collection !== 'odd') continue;
      hasChanged = true;
      await source.db.collection('bulk').updateMany({}, { $set: { text: 'y' } });
      await source.db.collection('bulk').deleteMany({ _id: { $lt: Long.fromNumber(5_000) as never } });
      await odd.updateMany({}, { $inc: { n: 1 } });
      await odd.deleteOne({ n: 2, _id: 2.5 } as never);
      await odd.insertOne({ _id: null, n: 1 });
      await source.db.collection('later').insertOne({ n: 1 });
    }
    const stored = new Map<string, string>();
    for (const { name } of await listBackedUp(databaseOf(source)))
      for await (const document of scanDocuments(databaseOf(source), name))
        for (const one of document) stored.set(`${name} ${hex(idDocument(one))}`, hex(one));
    expect(stored.size).to.be.greaterThan(3_000);
    expect(held.size).to.equal(stored.size);
    expect([...stored].filter(([key, bytes]) => held.get(key) !== bytes)).to.deep.equal([]);
  });

  it('returns documents that change while they are small, and are large when they are read again, in parts that fit', async () => {
    const large = source.db.collection<{ _id: number; text: string }>('large');
    await large.insertMany(Array.from({ length: 1_500 }, (_, _id) => ({ _id, text: '' })));
    await source.db.collection('last').insertOne({ n: 1 });
    let [hasChanged, largest, seen] = [false, 0, 0];
    const read = new Set<string>();
    for await (const part of readOneMoment(databaseOf(source))) {
      if (part.kind === 'moment') continue;
      largest = Math.max(
        largest,
        part.documents.reduce((sum, { length }) => sum + length, 0),
      );
      if (hasChanged && part.collection === 'large') {
        seen += part.documents.length;
        for (const document of part.documents) read.add(`${part.kind} ${hex(idDocument(document))}`);
      }
      if (hasChanged || part.collection !== 'last') continue;
      hasChanged = true;
      await large.deleteMany({ _id: { $in: [0, 700] } });
      await large.updateMany({ _id: { $lt: 600 } }, { $set: { text: 'y' } });
      await large.updateMany({ _id: { $gte: 600 } }, { $set: { text: 'x'.repeat(80_000) } });
    }
    expect([seen, [...read].filter((id) => id.startsWith('deleted')).length]).to.deep.equal([1_500, 2]);
    expect(read.size).to.equal(1_500);
    expect(largest).to.be.lessThan(17_000_000);
    await large.drop();
  });

  it('goes on if the server closes the cursor of the changes, and reads few records of files at once', async () => {
    await source.db.collection('uploads.files').insertMany(Array.from({ length: 200 }, (_, n) => ({ n })));
    const odd = source.db.collection<{ _id: string; n: number }>('odd');
    let [hasChanged, isFound, most] = [false, false, 0];
    for await (const part of readOneMoment(databaseOf(source))) {
      if (part.kind === 'moment') continue;
      if (part.collection === 'uploads.files') most = Math.max(most, part.documents.length);
      if (part.collection === 'odd')
        isFound ||= part.documents.some((document) => hex(document).includes(hex(Buffer.from('late'))));
      if (hasChanged || part.collection !== 'uploads.files') continue;
      hasChanged = true;
      expect(await killStreams(source)).to.be.greaterThan(0);
      await odd.insertOne({ _id: 'late', n: 1 });
    }
    expect([most, isFound]).to.deep.equal([50, true]);
  });

  it('counts documents once that change meanwhile', async () => {
    await source.db.collection('bulk').updateMany({}, { $set: { text: 'z'.repeat(2_000) } });
    const count = (
      await Promise.all((await listBackedUp(databaseOf(source))).map(({ name }) => source.db.collection(name).countDocuments()))
    ).reduce((a, b) => a + b, 0);
    let hasBegun = false;
    const changing = {
      ...{ begin: () => undefined, end: () => undefined },
      advance: () => {
        if (!hasBegun) changes.push(source.db.collection('bulk').updateMany({}, { $inc: { n: 1 } }));
        hasBegun = true;
      },
    };
    const changes: Promise<unknown>[] = [];
    const place = placeOf(join(folder.path, 'counted.gz'), { provider: 'disk', providerOptions: {} } as never);
    const context = { database: databaseOf(source), storageOf: () => diskStorage(folder.path), progress: changing };
    const { documents } = await writeBackup(place, context);
    await Promise.all(changes);
    const { end, written } = await verifyBackup(place, context);
    expect([documents, end.documents, written > count]).to.deep.equal([count, count, true]);
  });

  it('fails if a collection is dropped or replaced meanwhile', async () => {
    await source.db.collection('gone').insertOne({ n: 1 });
    const read = async (): Promise<void> => {
      for await (const part of readOneMoment(databaseOf(source)))
        if (part.kind === 'documents' && part.collection === 'gone') await source.db.dropCollection('gone');
    };
    expect(String(await read().catch((error: unknown) => error))).to.match(
      /gone was replaced or dropped meanwhile; run the backup again/,
    );
  });
});

/** Closes the change streams of a database. Returns their number. */
async function killStreams({ client, db, name }: FreshDatabase): Promise<number> {
  const pipeline = [{ $currentOp: { idleCursors: true } }, { $match: { ns: `${name}.$cmd.aggregate` } }];
  const cursors = (await client.db('admin').aggregate(pipeline).toArray()).map(({ cursor }) => cursor.cursorId);
  await db.command({ killCursors: '$cmd.aggregate', cursors });
  return cursors.length;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
