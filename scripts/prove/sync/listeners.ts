import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { compileTargets, ownRoot } from '../../compile-targets.js';
import { adminToken, sendAs } from '../../../test/content/rights/serve-accounts.js';
import { freshDatabase } from '../../../test/support/mongo.js';
import type { Answer } from '../../../test/support/serve.js';
import { startEphemeral } from '../../start-database.js';
import { compiled, Instance } from './process.js';

/*
 * `npm run bench:listeners`: what sync costs. The memory that 10,000 listeners add to a service in use, and to one that has just
 * started, when they have connected and when they have been idle; the time in which a change reaches them; wake-ups of 1,000 listeners
 * that ask the same and of 1,000 that ask different things; a first load, and ten changes in collections of several sizes.
 * `--listeners N`; `--sizes 10000,100000` are the sizes of collections.
 */
const { values } = parseArgs({
  options: {
    listeners: { type: 'string', default: '10000' },
    sizes: { type: 'string', default: '10000,100000,1000000' },
  },
});
const most = Number(values.listeners);
const sizes = values.sizes.split(',').map(Number);

/** Seconds in which nothing changes. V8 needs about 60 to return the memory that connecting took. */
const quiet = 120;

/** Connections that are opened at a time. */
const opening = 100;

/** A client that counts the events that it receives. */
interface Listener {
  readonly socket: Socket;
  /** Resolves after the next event `uptodate`. */
  readonly next: () => Promise<void>;
}

await compileTargets(ownRoot);
const database = await startEphemeral(console.log);
const fresh = await freshDatabase(database.uri);
const settings = { connections: 2 * most, connectionsPerCaller: 2 * most };
const service = await Instance.start(fresh.uri, true, { settings, program: compiled });
try {
  const token = await prepare();
  await measureListeners(token);
  for (const size of sizes) await measurePulls(token, size);
} finally {
  await service.kill();
  await fresh.drop();
  await database.stop();
}
process.exit();

async function prepare(): Promise<string> {
  const { body } = await sendAs(adminToken, 'POST', `${service.url}/admin/api/tokens`, { name: 'all', type: 'full-access' });
  await fresh.db.collection<{ _id: number }>('authors').insertMany(rowsFrom(1, 10));
  return body.data.accessKey as string; // by the admin API
}

function rowsFrom(first: number, count: number): { _id: number }[] {
  const values = { name: 'a', title: 't', rating: 1, locale: 'en', publishedAt: new Date(0) };
  return Array.from({ length: count }, (_, index) => ({ _id: first + index, ...values }));
}

/** Opens streams of events that ask what `query` says. */
async function listen(token: string, count: number, query: (index: number) => string): Promise<Listener[]> {
  const listeners: Listener[] = [];
  for (let from = 0; from < count; from += opening) {
    const opened = Array.from({ length: Math.min(opening, count - from) }, (_, index) => open(token, query(from + index)));
    await Promise.all(opened.map(({ first }) => first));
    listeners.push(...opened.map(({ listener }) => listener));
  }
  return listeners;
}

function open(token: string, query: string): { readonly listener: Listener; readonly first: Promise<void> } {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let waiting: (() => void)[] = [];
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    if (text.startsWith('HTTP/') && !text.startsWith('HTTP/1.1 200')) throw new Error(text);
    if (!text.includes('event: uptodate')) return;
    const told = waiting;
    waiting = [];
    for (const tell of told) tell();
  });
  socket.on('close', (hadError) => {
    if (waiting.length > 0) throw new Error(`a listener was disconnected${hadError ? ' by an error' : ''}`);
  });
  socket.on('error', () => socket.destroy());
  const path = `/api/sync/authors?${query}`;
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  const next = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  return { listener: { socket, next }, first: next() };
}

/** Changes an entry that all listeners see. Returns the milliseconds until the last one, and a typical one, has heard of it. */
async function wake(token: string, listeners: readonly Listener[]): Promise<{ last: number; median: number }> {
  const begun = performance.now();
  const times = listeners.map(({ next }) => next().then(() => performance.now() - begun));
  await sendAs(token, 'PUT', `${service.url}/api/authors/1`, { data: { name: String(begun) } });
  const sorted = (await Promise.all(times)).sort((one, other) => one - other);
  return { last: sorted.at(-1) ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0 };
}

/** Sends lists, until the young generation of the heap has the size that it keeps in a service in use. */
async function use(token: string): Promise<void> {
  const get = (): Promise<Answer> => sendAs(token, 'GET', `${service.url}/api/authors?sort=name`);
  for (let run = 0; run < 300; run += 1) await Promise.all(Array.from({ length: 32 }, get));
}

async function measureListeners(token: string): Promise<void> {
  const close = (listeners: readonly Listener[]): void => {
    for (const { socket } of listeners) socket.destroy();
  };
  const warm = await listen(token, 200, () => 'fields=name');
  await wake(token, warm);
  close(warm);
  const started = await service.memory();
  await use(token);
  const before = await service.memory();
  const many = await listen(token, most, () => 'fields=name');
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  const print = (when: string, { rss, heapUsed }: NodeJS.MemoryUsage): void => {
    const [used, fresh, heap] = [rss - before.rss, rss - started.rss, heapUsed - before.heapUsed].map(megabytes);
    console.log(
      `${String(most)} listeners, ${when}: ${used} resident more, ${heap} of them heap; ${fresh} more than after a start`,
    );
  };
  print('when they are connected', await service.memory());
  await delay(1_000 * quiet);
  print(`after ${String(quiet)} s without a change`, await service.memory());
  await report(`a change reaches ${String(most)} listeners of one handle`, () => wake(token, many));
  close(many);
  const thousand = Math.min(1_000, most);
  const equal = await listen(token, thousand, () => 'fields=name');
  await report(`a change reaches ${String(thousand)} listeners of one handle`, () => wake(token, equal));
  close(equal);
  const different = await listen(token, thousand, (index) => `fields=name&filters[id][$ne]=${String(index + 1_000)}`);
  await report(`a change reaches ${String(thousand)} listeners of different handles`, () => wake(token, different));
  close(different);
}

/** Prints the middle one of five measurements. */
async function report(title: string, measure: () => Promise<{ last: number; median: number }>): Promise<void> {
  const measured = [];
  for (let run = 0; run < 5; run += 1) measured.push(await measure());
  const { last, median } = measured.sort((one, other) => one.last - other.last)[2] ?? { last: 0, median: 0 };
  console.log(`${title}: the last after ${last.toFixed(0)} ms, half of them after ${median.toFixed(0)} ms`);
}

/** Fills the posts up to a size, and measures a first load of 10,000 of them and ten changes. */
async function measurePulls(token: string, size: number): Promise<void> {
  const rows = fresh.db.collection<{ _id: number }>('posts');
  for (let from = await rows.countDocuments(); from < size; from += 10_000) await rows.insertMany(rowsFrom(from + 1, 10_000));
  const get = async (query: string): Promise<Answer['body']> =>
    (await sendAs(token, 'GET', `${service.url}/api/sync/posts?${query}`)).body;
  const log = fresh.db.collection<{ _id: string; written: Date }>('_changes');
  const last = await rows.insertOne({ _id: -size });
  while ((await log.findOne({ collection: 'posts', id: last.insertedId } as object)) === null);
  const begun = performance.now();
  let body = await get('');
  for (let read = body.data.length as number; body.meta.sync.more === true && read < 10_000; read += body.data.length as number)
    body = await get(`token=${String(body.meta.sync.token)}`);
  const loaded = performance.now() - begun;
  while (body.meta.sync.more === true) body = await get(`token=${String(body.meta.sync.token)}`);
  const times: number[] = [];
  for (let run = 0; run < 11; run += 1) {
    for (let _id = 1; _id <= 10; _id += 1) await rows.updateOne({ _id: _id * 7 }, { $inc: { rating: 1 } } as object);
    const mark = await rows.insertOne({ _id: -size - run - 1 });
    while ((await log.findOne({ collection: 'posts', id: mark.insertedId } as object)) === null);
    const started = performance.now();
    body = await get(`token=${String(body.meta.sync.token)}`);
    times.push(performance.now() - started);
    if (body.data.length !== 10) throw new Error(`${String(body.data.length)} changes instead of 10`);
  }
  const middle = times.sort((one, other) => one - other)[5] ?? 0;
  console.log(
    `${String(size)} entries: a first load of 10,000 takes ${loaded.toFixed(0)} ms, ten changes ${middle.toFixed(1)} ms`,
  );
}
