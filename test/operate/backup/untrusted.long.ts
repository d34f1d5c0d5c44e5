import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { BSON } from 'mongodb';
import { placeOf } from '#operate/backup/place.js';
import { prepareRestore, restoreBackup } from '#operate/backup/restore-backup.js';
import { verifyBackup } from '#operate/backup/verify-backup.js';
import { writeBackup } from '#operate/backup/write-backup.js';
import { databaseOf, freshDatabase } from '../../support/mongo.js';
import { allCollections } from '#declarations.js';
import { ownCollections } from '#store/send/own-collections.js';
import { type BackupFolder, makeFolder } from './backups.js';

const silent = { begin: () => undefined, advance: () => undefined, end: () => undefined };
const storageOf = (): never => {
  throw new Error('there are no files');
};
const context = { database: { ownCollections: ownCollections(allCollections) }, progress: silent, storageOf };

const start = `${JSON.stringify({ part: 'start', format: 1, database: 'a', mangrove: '0.0.1', bytes: 0, sha256: sha256('') })}\n`;

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns a part with documents. */
const documents = (bytes: Uint8Array, count: number): Buffer =>
  Buffer.concat([
    Buffer.from(`${JSON.stringify({ part: 'documents', collection: 'a', count, bytes: bytes.length, sha256: sha256(bytes) })}\n`),
    bytes,
  ]);

const many = 13_000_000;
const long = 60_000_000;

/** Files whose content takes much more memory than they do. */
const hostile: readonly (readonly [what: string, content: () => Uint8Array, message: RegExp])[] = [
  ['a long first line of brackets', () => Buffer.alloc(long, '['), /is not a backup|no backup that can be read/],
  ['a long line of values', () => Buffer.from(`${start}[${'[],'.repeat(long / 3)}[]]\n`), /more than 2000000 values/],
  ['a deep line', () => Buffer.from(`${start}${'['.repeat(1_000)}\n`), /nested deeper than 100 levels/],
  [
    'a part of very many documents',
    () => Buffer.concat([Buffer.from(start), documents(Buffer.alloc(5 * many, BSON.serialize({})), many)]),
    /was changed or damaged/,
  ],
];

describe('restoring a backup that somebody else has made', () => {
  let folder: BackupFolder;
  before(async () => {
    folder = await makeFolder();
  });
  after(() => folder.remove());
  const place = (name: string) => placeOf(join(folder.path, name), { provider: 'disk', providerOptions: {} } as never);

  for (const [what, content, message] of hostile)
    it(`is refused in bounded memory: ${what}`, async () => {
      const packed = gzipSync(content(), { level: 1 });
      await writeFile(join(folder.path, 'hostile.gz'), packed);
      const refused = await verifyBackup(place('hostile.gz'), context).catch((error: unknown) => String(error));
      expect(refused).to.match(message);
    });

  it('restores collections whose names objects inherit', async () => {
    const [source, target] = [await freshDatabase(), await freshDatabase()];
    const names = ['constructor', '__proto__', 'toString'];
    for (const name of names) await source.db.collection(name).insertOne({ name });
    await writeBackup(place('names.gz'), { ...context, database: databaseOf(source) });
    const backup = await verifyBackup(place('names.gz'), context);
    const input = { place: place('names.gz'), backup, conflict: 'fail' } as const;
    const restoring = { ...context, database: databaseOf(target) };
    await restoreBackup(await prepareRestore(input, restoring), restoring);
    for (const name of names)
      expect((await target.db.collection(name).find().toArray()).map((row) => row['name'] as unknown)).to.deep.equal([name]);
    for (const { drop } of [source, target]) await drop();
  });
});
