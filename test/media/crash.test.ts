import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { drawNoise } from './draw.js';
import { formOf, serveMedia, type FormFile, type MediaServer } from './serve-media.js';

const script = path.join(import.meta.dirname, 'serve-in-child.ts');

describe('media, when the process is killed', () => {
  let database: FreshDatabase;
  let media: MediaServer | undefined;
  before(async () => {
    database = await freshDatabase();
    await setTransactionLimit(1);
    await (await serveMedia({}, database)).stop();
  });
  after(async () => {
    await setTransactionLimit(60);
    await database.drop();
  });

  /** The server ends the transactions of the dead after this many seconds; until then what they wrote cannot be deleted. */
  const setTransactionLimit = (seconds: number) =>
    database.client.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds: seconds });

  afterEach(async () => {
    await media?.stop();
    media = undefined;
  });

  async function startChild(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
    const child = spawn(process.execPath, ['--import', 'tsx', script], {
      env: { ...process.env, TEST_URI: database.uri },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, url: line.toString().trim() };
  }

  /** Uploads, creates with files, replaces and deletes, three at a time, until the server is gone; gives the files it acknowledged. */
  async function sendUntilGone(url: string, image: Buffer): Promise<readonly number[]> {
    const acknowledged: number[] = [];
    const deleted = new Set<number>();
    const files: readonly FormFile[] = [
      { name: 'photo.jpg', type: 'image/jpeg', bytes: image },
      { name: 'large.bin', type: 'application/octet-stream', bytes: Buffer.alloc(3_000_000, 7) },
    ];
    const post = async (route: string, form: FormData) => {
      const response = await fetch(`${url}${route}`, { method: 'POST', body: form });
      return response.ok ? ((await response.json()) as unknown) : null;
    };
    const work = async (): Promise<void> => {
      for (;;) {
        const rows = (await post('/api/upload', formOf(files, {}))) as { id: number }[] | null;
        const [first, second] = rows ?? [];
        if (first) acknowledged.push(first.id);
        const cover = files.map((file) => ({ ...file, field: 'files.gallery' }));
        await post('/api/stories', formOf(cover, { data: '{"title":"t"}' }));
        if (first) await post(`/api/upload?id=${String(first.id)}`, formOf(files.slice(1), {}));
        if (!second) continue;
        deleted.add(second.id);
        await fetch(`${url}/api/upload/files/${String(second.id)}`, { method: 'DELETE' });
      }
    };
    await Promise.allSettled([work(), work(), work()]);
    return acknowledged.filter((id) => !deleted.has(id));
  }

  for (const delay of [150, 600, 1100])
    it(`after ${String(delay)} ms: every row has its bytes, and nothing else is left`, async function () {
      this.timeout(60_000);
      const image = await drawNoise(700, 400, 'jpeg');
      const { child, url } = await startChild();
      const gone = once(child, 'exit');
      const traffic = sendUntilGone(url, image);
      // The moment of the crash is what is tried, not something that is waited for.
      await sleep(delay);
      child.kill('SIGKILL');
      const [acknowledged] = await Promise.all([traffic, gone]);
      media = await serveMedia({}, database);
      await swept(database);
      await expectConsistent(database, acknowledged);
    });
});

/** Resolves when nothing is pending any more; the time limit of the test is the limit. */
async function swept({ db }: FreshDatabase): Promise<void> {
  while ((await db.collection('uploads.files').countDocuments({ pending: { $exists: true } })) > 0) await sleep(100);
}

async function expectConsistent({ db }: FreshDatabase, acknowledged: readonly number[]): Promise<void> {
  const rows = await db.collection<{ _id: number; formats?: object | null }>('files').find().toArray();
  const blobs = await db.collection('uploads.files').find().toArray();
  const sizes = new Map<string, number>();
  for await (const { files_id, data } of db.collection('uploads.chunks').find())
    sizes.set(String(files_id), (sizes.get(String(files_id)) ?? 0) + Number(data.length()));
  expect(blobs.filter(({ pending }) => pending !== undefined)).to.deep.equal([]);
  const names = rows.flatMap((row) =>
    [row, ...Object.values(row.formats ?? {})].map(({ hash, ext }) => `${String(hash)}${String(ext)}`),
  );
  expect(blobs.map(({ filename }) => String(filename))).to.have.members(names);
  for (const { _id, length } of blobs) expect(sizes.get(String(_id)) ?? 0).to.equal(length);
  expect(sizes.size).to.equal(blobs.length);
  expect(rows.map(({ _id }) => _id)).to.include.members([...acknowledged]);
  const linked = (await db.collection('stories').find().toArray()).flatMap(({ gallery }) => gallery as number[]);
  const links = await db.collection('stories').countDocuments({ gallery: { $size: 2 } });
  expect([linked.length, rows.map(({ _id }) => _id)]).to.satisfy(
    ([count, ids]: [number, number[]]) => count === 2 * links && linked.every((id) => ids.includes(id)),
  );
}
