import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startEphemeral, type ScriptDatabase } from '../../scripts/start-database.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { drawNoise } from './draw.js';
import { formOf, serveMedia, type FormFile, type MediaServer } from './serve-media.js';

const script = path.join(import.meta.dirname, 'serve-in-child.ts');

describe('media, when the process is killed', () => {
  let mongod: ScriptDatabase;
  let database: FreshDatabase;
  let media: MediaServer | undefined;
  before(async () => {
    mongod = await startEphemeral(console.log);
    database = await freshDatabase(mongod.uri);
    // The server ends the transactions of killed processes after this many seconds; until then their writes cannot be deleted.
    await database.client.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds: 1 });
    await (await serveMedia({}, { uses: database })).stop();
  });
  after(async () => {
    await media?.stop();
    await database.drop();
    await mongod.stop();
  });

  async function startChild(): Promise<Child> {
    const process_ = spawn(process.execPath, ['--import', 'tsx', script], {
      env: { ...process.env, TEST_URI: database.uri },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(process_.stdout, 'data')) as [Buffer];
    return { process: process_, url: line.toString().trim() };
  }

  /** Works on a child, three things at a time, and kills it `delay` milliseconds after a number of answers. */
  async function workAndKill({ process: child, url }: Child, { answers, delay }: Crash, work: Work): Promise<void> {
    const gone = once(child, 'exit');
    let left = answers;
    const answered = () => {
      left -= 1;
      // The moment of the crash is what is tried, not something that is waited for.
      if (left === 0) setTimeout(() => child.kill('SIGKILL'), delay);
    };
    const workers = [0, 2, 4].map((first) => work(url, first, answered));
    const ended = workers.map((worker) =>
      worker.catch((error: unknown) => {
        if (left <= 0) return;
        child.kill('SIGKILL');
        throw error;
      }),
    );
    await Promise.all([gone, ...ended]);
  }

  it('every row has its bytes, and nothing else is left', async function () {
    const done = new Done();
    const files = [
      { name: 'photo.jpg', type: 'image/jpeg', bytes: await drawNoise(250, 160, 'jpeg') },
      { name: 'large.bin', type: 'application/octet-stream', bytes: Buffer.alloc(1_100_000, 7) },
    ];
    const children = await Promise.all(crashes.map(startChild));
    await Promise.all(
      children.map((child, index) => workAndKill(child, crashes[index] ?? { answers: 1, delay: 0 }, worker(files, done))),
    );
    expect(
      Object.keys(steps).filter((name) => !done.names.has(name)),
      'never done',
    ).to.deep.equal([]);
    await transactionsEnded(database);
    media = await serveMedia({}, { uses: database });
    await swept(database);
    await expectConsistent(database, done.kept());
  });
});

interface Child {
  readonly process: ChildProcess;
  readonly url: string;
}

/** When a child is killed. */
interface Crash {
  readonly answers: number;
  readonly delay: number;
}

const crashes: readonly Crash[] = [
  { answers: 4, delay: 0 },
  { answers: 12, delay: 12 },
  { answers: 22, delay: 31 },
];

/** What the children have acknowledged before they were killed. */
class Done {
  readonly names = new Set<string>();
  readonly #files = new Set<number>();
  readonly #deleted = new Set<number>();

  add(file: number): void {
    this.#files.add(file);
  }

  /** To be said before it is tried: it may be done although there is no answer. */
  remove(file: number): void {
    this.#deleted.add(file);
  }

  kept(): readonly number[] {
    return [...this.#files].filter((file) => !this.#deleted.has(file));
  }
}

type Work = (url: string, first: number, answered: () => void) => Promise<void>;

/** What a worker does, again and again, with what it has made before. */
interface Hand {
  readonly post: (route: string, files: readonly FormFile[], fields?: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly remove: (route: string) => Promise<unknown>;
  readonly files: readonly FormFile[];
  readonly done: Done;
  story: number;
  pair: readonly { readonly id: number }[];
}

const field = (name: string, files: readonly FormFile[]) => files.map((file) => ({ ...file, field: name }));
const idOf = (body: unknown): number => (body as { readonly data: { readonly id: number } }).data.id; // as the service answers
const data = '{"title":"t"}';

const steps: Readonly<Record<string, (hand: Hand) => Promise<unknown>>> = {
  upload: async (hand) => {
    hand.pair = (await hand.post('/api/upload', hand.files)) as Hand['pair']; // as the service answers
    for (const { id } of hand.pair) hand.done.add(id);
  },
  'create with files': async (hand) => {
    hand.story = idOf(await hand.post('POST /api/stories', field('files.gallery', hand.files), { data }));
  },
  'update with files': ({ post, story, files }) =>
    post(`PUT /api/stories/${String(story)}`, field('files.cover', files.slice(0, 1)), { data: '{}' }),
  'upload with ref': ({ post, story, files }) =>
    post('/api/upload', files, { ref: 'api::story.story', refId: String(story), field: 'gallery' }),
  replace: ({ post, pair, files }) => post(`/api/upload?id=${String(pair[0]?.id)}`, files.slice(1)),
  'replace by an image': ({ post, pair, files }) => post(`/api/upload?id=${String(pair[0]?.id)}`, files.slice(0, 1)),
  delete: ({ remove, pair, done }) => {
    const id = pair[1]?.id ?? 0;
    done.remove(id);
    return remove(`/api/upload/files/${String(id)}`);
  },
};

/** Goes through all steps until the service is gone; what the later ones need comes first, then `first` is where it begins. */
function worker(files: readonly FormFile[], done: Done): Work {
  return async (url, first, answered) => {
    const send = async (method: string, path: string, body?: FormData): Promise<unknown> => {
      const response = await fetch(url + path, { method, ...(body && { body }) });
      if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)}`);
      const answer: unknown = await response.json();
      answered();
      return answer;
    };
    const hand: Hand = {
      post: (route, sent, fields = {}) => {
        const [method, path] = route.startsWith('/') ? ['POST', route] : route.split(' ');
        return send(method ?? '', path ?? '', formOf(sent, fields));
      },
      remove: (path) => send('DELETE', path),
      ...{ files, done, story: 0, pair: [] },
    };
    const list = Object.entries(steps);
    for (let next = 0; ; next += 1) {
      const [name, step] = list[(next < 2 ? next : next + first) % list.length] ?? [];
      if (name === 'delete' && hand.pair.length === 0) continue;
      await step?.(hand);
      done.names.add(name ?? '');
    }
  };
}

/** The server ends the transactions of the dead when their time is over; the time limit of the test is the limit. */
async function transactionsEnded({ client }: FreshDatabase): Promise<void> {
  const open = async () => Number((await client.db('admin').command({ serverStatus: 1 }))['transactions'].currentOpen);
  while ((await open()) > 0) await sleep(50);
}

/** Resolves when nothing is pending any more; the time limit of the test is the limit. */
async function swept({ db }: FreshDatabase): Promise<void> {
  while ((await db.collection('uploads.files').countDocuments({ pending: { $exists: true } })) > 0) await sleep(50);
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
  const linked = (await db.collection('stories').find().toArray()).flatMap(({ gallery, cover }) => [
    ...(gallery as number[]),
    ...(typeof cover === 'number' ? [cover] : []),
  ]);
  expect(rows.map(({ _id }) => _id)).to.include.members(linked);
  expect(await db.collection('stories').countDocuments({ $expr: { $eq: [{ $mod: [{ $size: '$gallery' }, 2] }, 1] } })).to.equal(
    0,
  );
}
