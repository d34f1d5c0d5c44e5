import { createHash } from 'node:crypto';
import { readFile, writeFile, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { largestPart, sealed } from '#operate/backup/parts.js';
import { placeOf } from '#operate/backup/place.js';
import { writeBackup } from '#operate/backup/write-backup.js';
import { loadConfig } from '#settings/load-config.js';
import { diskStorage } from '#media/storage/disk-storage.js';
import type { FileStorage } from '#media/storage/file-storage.js';
import { packageVersion } from '#base/package-root.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { type BackupFolder, digestAll, makeFolder } from './backups.js';

type Row = { readonly _id: number | string } & Readonly<Record<string, unknown>>;

const insert = async ({ db }: FreshDatabase, name: string, ...rows: readonly Row[]): Promise<void> =>
  void (await db.collection<Row>(name).insertMany([...rows]));

describe('npx mangrove restore', () => {
  let folder: BackupFolder;
  let source: FreshDatabase;
  const open: FreshDatabase[] = [];
  const file = 'shop.backup.gz';
  const empty = async (): Promise<FreshDatabase> => {
    const database = await freshDatabase();
    open.push(database);
    return database;
  };
  before(async () => {
    folder = await makeFolder();
    source = await empty();
    await insert(
      source,
      'articles',
      { _id: 1, slug: 'a', text: 'one' },
      { _id: 2, slug: 'b', text: 'two' },
      { _id: 3, slug: 'c' },
    );
    await source.db.collection('articles').createIndex({ slug: 1 }, { unique: true });
    await insert(source, '_counters', { _id: 'articles', next: 4 }, { _id: 'pages', next: 7 });
    await insert(source, '_models', { _id: 'api::article.article', kind: 'collectionType' });
    await insert(source, '_claims', { _id: 'job x' });
    await insert(source, '_model_status', { _id: 'x' });
    expect((await folder.run(source, 'backup', file)).exitCode).to.equal(0);
  });
  after(async () => {
    for (const database of open) await database.drop();
    await folder.remove();
  });

  const bad: (readonly [title: string, make: (bytes: Buffer) => Buffer, message: RegExp])[] = [
    ['an empty file', () => Buffer.alloc(0), /is not a backup/],
    ['another file', () => Buffer.from('hello, I am no backup'), /is not a backup/],
    ['a compressed file', () => gzipSync('hello, I am no backup\n'), /is not a backup/],
    ['a cut file', (bytes) => bytes.subarray(0, bytes.length - 1), /is cut/],
    ['half a file', (bytes) => bytes.subarray(0, bytes.length / 2), /is cut/],
    ['a file that lacks its last part', (bytes) => withoutEnd(bytes), /is cut/],
    ['a changed byte', (bytes) => flipped(bytes, bytes.length / 2), /changed or damaged/],
    ['a changed byte at the beginning', (bytes) => flipped(bytes, 5), /is not a backup/],
    ['a changed checksum of gzip', (bytes) => flipped(bytes, bytes.length - 6), /changed or damaged/],
    ['further bytes', (bytes) => Buffer.concat([bytes, Buffer.from('x')]), /is cut|changed or damaged/],
    ['a second backup behind it', (bytes) => Buffer.concat([bytes, bytes]), /changed or damaged/],
    ['a changed value, compressed again', (bytes) => edited(bytes, 'two', 'TWO'), /changed or damaged/],
    [
      'a changed name, compressed again',
      (bytes) => edited(bytes, '"collection":"articles"', '"collection":"articlez"'),
      /changed or damaged/,
    ],
    [
      'another version',
      (bytes) => edited(bytes, '"format":1', '"format":2'),
      /has format 2, and this version of Mangrove reads format 1/,
    ],
  ];
  const [major = 0, minor = 0] = packageVersion.split('.').map(Number);
  const newer = [`${String(major + 1)}.0.0`, `${String(major)}.${String(minor + 10)}.0`, `${packageVersion}9`];
  for (const version of newer)
    bad.push([
      `a backup of version ${version}`,
      (bytes) => resealed(bytes, packageVersion, version),
      /was made by Mangrove [\d.]+, and this is [\d.]+; restore it with that version or a newer one/,
    ]);
  it('accepts a backup of an older version', async () => {
    const bytes = await readFile(join(folder.path, file));
    await writeFile(join(folder.path, 'older.gz'), resealed(bytes, packageVersion, '0.0.1'));
    expect((await folder.run(await empty(), 'restore', 'older.gz')).exitCode).to.equal(0);
  });
  for (const [title, make, message] of bad)
    it(`refuses ${title}, and changes nothing`, async () => {
      const target = await empty();
      await insert(target, 'pages', { _id: 1 });
      await writeFile(join(folder.path, 'bad.gz'), make(await readFile(join(folder.path, file))));
      const held = await namesAndCounts(target);
      for (const conflict of ['fail', 'replace']) {
        const { exitCode, stderr } = await folder.run(target, 'restore', 'bad.gz', '--conflict', conflict);
        expect(exitCode).to.equal(1);
        expect(lastLine(stderr))
          .to.match(message)
          .and.match(/^bad\.gz /);
      }
      expect(await namesAndCounts(target)).to.deep.equal(held);
    });

  it('refuses a file that does not exist, in one line', async () => {
    const { exitCode, stderr } = await folder.run(await empty(), 'restore', 'nope.gz');
    expect([exitCode, lastLine(stderr)]).to.deep.equal([1, 'there is no file or folder nope.gz']);
  });

  const stored: readonly Row[] = [
    { _id: 2, slug: 'b', text: 'mine' },
    { _id: 9, slug: 'a', text: 'has the slug of 1' },
  ];
  const tables: readonly {
    readonly conflict: string;
    readonly code: number;
    readonly articles: readonly string[];
    readonly output: RegExp;
  }[] = [
    {
      conflict: 'fail',
      code: 1,
      articles: ['2 mine', '9 has the slug of 1'],
      output: /the database has content \(articles\): nothing is restored/,
    },
    {
      conflict: 'skip',
      code: 2,
      articles: ['2 mine', '3 ', '9 has the slug of 1'],
      output: /kept +articles +1\nnot restored +articles +1: another document has the same slug/,
    },
    {
      conflict: 'replace',
      code: 2,
      articles: ['2 two', '3 ', '9 has the slug of 1'],
      output: /restored +articles +2\nnot restored +articles +1: another/,
    },
  ];
  for (const { conflict, code, articles, output } of tables)
    it(`restores into a database with content with --conflict ${conflict}`, async () => {
      const target = await empty();
      await insert(target, 'articles', ...stored);
      await target.db.collection('articles').createIndex({ slug: 1 }, { unique: true });
      await insert(target, '_counters', { _id: 'articles', next: 10 });
      await insert(target, '_model_status', { _id: 'mine' });
      const held = await digestAll(target);
      const result = await folder.run(target, 'restore', file, '--conflict', conflict);
      expect(result.exitCode).to.equal(code);
      expect(result.stdout + result.stderr).to.match(output);
      const rows = await target.db.collection<Row>('articles').find().sort({ _id: 1 }).toArray();
      expect(rows.map(({ _id, text = '' }) => `${String(_id)} ${String(text)}`)).to.deep.equal(articles);
      if (conflict === 'fail') expect(await digestAll(target)).to.deep.equal(held);
      else {
        const counters = await target.db.collection<Row>('_counters').find().sort({ _id: 1 }).toArray();
        expect(counters).to.deep.equal([
          { _id: 'articles', next: 10 },
          { _id: 'pages', next: 7 },
        ]);
        expect(await target.db.collection<Row>('_model_status').find().toArray()).to.deep.equal([{ _id: 'mine' }]);
        expect(await target.db.collection('_models').countDocuments()).to.equal(1);
      }
      expect((await target.db.listCollections({ name: /^_import_/ }).toArray()).length).to.equal(0);
    });

  it('replaces documents whose values become free by others, in whatever order', async () => {
    const [from, target] = [await empty(), await empty()];
    const many = Array.from({ length: 30 }, (_, n) => n);
    await insert(from, 'chain', ...many.map((n) => ({ _id: n, slug: n + 1 })), { _id: 'x', slug: 'swapped' });
    await insert(target, 'chain', ...many.map((n) => ({ _id: n, slug: n })), { _id: 'y', slug: 'swapped' });
    for (const { db } of [from, target]) await db.collection('chain').createIndex({ slug: 1 }, { unique: true });
    expect((await folder.run(from, 'backup', 'chain.gz')).exitCode).to.equal(0);
    const result = await folder.run(target, 'restore', 'chain.gz', '--conflict', 'replace');
    expect(result.exitCode).to.equal(2);
    expect(result.stdout).to.match(/restored +chain +30\nnot restored +chain +1: another document has the same slug/);
    const rows = await target.db
      .collection<Row>('chain')
      .find({ _id: { $lt: 99 } })
      .sort({ _id: 1 })
      .toArray();
    expect(rows.map(({ slug }) => slug)).to.deep.equal(many.map((n) => n + 1));
  });

  it('restores into a database that a service has only started on, and twice with replace', async () => {
    const target = await empty();
    await insert(target, 'i18n_locales', { _id: 1, code: 'en' });
    await insert(target, '_models', { _id: 'api::page.page', kind: 'singleType' });
    expect((await folder.run(target, 'restore', file)).exitCode).to.equal(0);
    const once = await digestAll(target);
    expect((await folder.run(target, 'restore', file)).exitCode).to.equal(1);
    expect((await folder.run(target, 'restore', file, '--conflict', 'replace')).exitCode).to.equal(0);
    expect(await digestAll(target)).to.deep.equal(once);
    expect(await target.db.collection('_models').countDocuments()).to.equal(2);
    expect(await target.db.collection('_claims').countDocuments()).to.equal(0);
  });

  it('begins a new epoch of the change log', async () => {
    const target = await empty();
    const log = { _id: 'log', seq: 3, epoch: 'e', position: { _data: '82' }, writes: 5 };
    await insert(target, '_changes', log);
    expect((await folder.run(target, 'restore', file)).exitCode).to.equal(0);
    expect(await target.db.collection<Row>('_changes').findOne()).to.deep.equal({ ...log, position: null, writes: 6 });
  });

  it('needs a replica set for a backup', async () => {
    const database = { ...databaseOf(source), isReplicated: false };
    const place = placeOf(join(folder.path, 'none.gz'), await settingsOf());
    const work = writeBackup(place, { database, storageOf: () => diskStorage(folder.path), progress: silent });
    expect(String(await work.catch((error: unknown) => error))).to.match(
      /a standalone MongoDB does not have: make it a replica set/,
    );
  });

  it('says which files are missing in their storage, unless they were deleted meanwhile', async () => {
    const database = await empty();
    const key = (id: string): string => `${id}.txt`;
    const ids = ['a'.repeat(24), 'b'.repeat(24), 'c'.repeat(24)];
    const rows = ids.map((id) => ({
      _id: new ObjectId(id),
      filename: id,
      length: 3,
      metadata: { provider: 'disk', key: key(id) },
    }));
    await database.db.collection('uploads.files').insertMany(rows);
    const storage = diskStorage(folder.path);
    await storage.write(key(ids[0] ?? ''), [Buffer.from('abc')], 'text/plain');
    const deleting: FileStorage = {
      ...storage,
      read: async function* (name, range) {
        if (name === key(ids[1] ?? '')) await database.db.collection('uploads.files').deleteOne({ filename: ids[1] ?? '' });
        yield* storage.read(name, range);
      },
    };
    const place = placeOf(join(folder.path, 'lost.gz'), await settingsOf());
    const tally = await writeBackup(place, { database: databaseOf(database), storageOf: () => deleting, progress: silent });
    expect([[...tally.lost.values()], tally.files]).to.deep.equal([[key(ids[2] ?? '')], 1]);
    const target = await empty();
    for (const conflict of ['fail', 'skip']) {
      const restored = await folder.run(target, 'restore', 'lost.gz', '--conflict', conflict);
      expect([restored.exitCode, restored.stdout.match(/the file .*/g)]).to.deep.equal([
        2,
        [`the file ${key(ids[2] ?? '')} is not restored: it was missing in its storage when the backup was made`],
      ]);
    }
    const again = await folder.run(database, 'backup', 'lost-again.gz');
    expect([again.exitCode, lastLine(again.stderr)]).to.deep.equal([
      2,
      `the file ${key(ids[2] ?? '')} is missing in its storage`,
    ]);
  });

  it('writes no part that is too large to be read', async () => {
    const head = { part: 'documents', collection: 'a', count: 1 } as const;
    const parts = Readable.from([{ head, payload: [Buffer.alloc(largestPart), Buffer.alloc(1)] }]);
    const read = async (): Promise<void> => {
      for await (const piece of sealed(parts)) expect(piece.length).to.equal(0);
    };
    expect(String(await read().catch((error: unknown) => error))).to.match(/a part of 67108865 bytes is too large/);
  });

  it('writes no file where there is one, or if it fails, and leaves nothing', async () => {
    const again = await folder.run(source, 'backup', file);
    expect([again.exitCode, lastLine(again.stderr)]).to.deep.equal([1, `${file} already exists; name a new file`]);
    const nowhere = await folder.run(source, 'backup', 'no/folder.gz');
    expect([nowhere.exitCode, lastLine(nowhere.stderr)]).to.deep.equal([1, 'there is no file or folder no']);
    expect((await readdir(folder.path)).filter((name) => name.includes('part'))).to.deep.equal([]);
  });
});

const silent = { begin: () => undefined, advance: () => undefined, end: () => undefined };

const settingsOf = async () => (await loadConfig({ directory: tmpdir(), variables: {} })).plugins.upload.config;

const lastLine = (text: string): string => text.split('\n').at(-1) ?? '';

async function namesAndCounts({ db }: FreshDatabase): Promise<readonly string[]> {
  const names = (await db.listCollections().toArray()).map(({ name }) => name).sort();
  return Promise.all(names.map(async (name) => `${name} ${String(await db.collection(name).countDocuments())}`));
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(Math.floor(at)) ^ 1, Math.floor(at));
  return copy;
}

/** Compresses as a backup is. */
const packed = (bytes: Buffer): Buffer => gzipSync(bytes, { level: 1 });

function edited(bytes: Buffer, from: string, to: string): Buffer {
  const text = gunzipSync(bytes).toString('latin1');
  expect(text).to.include(from);
  return packed(Buffer.from(text.replace(from, to), 'latin1'));
}

/** Changes the version of a backup, with the checksum of its lines. */
function resealed(bytes: Buffer, from: string, to: string): Buffer {
  const text = gunzipSync(bytes).toString('latin1').replace(`"mangrove":"${from}"`, `"mangrove":"${to}"`);
  const whole = createHash('sha256');
  const raw = Buffer.from(text, 'latin1');
  for (let start = 0; ;) {
    const end = raw.indexOf('\n', start) + 1;
    const line = raw.subarray(start, end);
    const head = JSON.parse(line.toString()) as { part: string; bytes: number };
    if (head.part === 'end') {
      const last = JSON.stringify({ ...head, whole: whole.digest('hex') });
      return packed(Buffer.concat([raw.subarray(0, start), Buffer.from(`${last}\n`), raw.subarray(end)]));
    }
    whole.update(line);
    start = end + head.bytes;
  }
}

function withoutEnd(bytes: Buffer): Buffer {
  const text = gunzipSync(bytes).toString('latin1');
  return packed(Buffer.from(text.slice(0, text.lastIndexOf('{"part":"end"')), 'latin1'));
}
