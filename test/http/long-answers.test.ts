import { expect } from 'chai';
import { Readable } from 'node:stream';
import type { AnyRoute, RouteCall } from '#http/route.js';
import { Connection } from '#http/running.js';
import { createConfig } from '#settings/create-config.js';
import { openTo, serve, type Served } from './serve.js';

/** Bounds that a long answer would exceed, or keep others from. */
const bounds = { requestsAtOnce: 1, requestsWaiting: 0, requestTimeout: 300, shutdownTimeout: 60_000 };
const settings = { isLong: true } as const;
const text = 'compressible '.repeat(1_000);

describe('paths of long answers', () => {
  let server: Served;
  const connection = new Connection();
  let waiting: ((body: unknown) => void)[] = [];
  const ended: string[] = [];

  /** Answers when the test says so, or when the answer must end. */
  const wait =
    (name: string) =>
    ({ ends }: Pick<RouteCall, 'ends'>): Promise<{ body: unknown }> =>
      new Promise((resolve) => {
        waiting.push((body) => {
          resolve({ body });
        });
        ends?.addEventListener('abort', () => {
          ended.push(name);
          resolve({ body: { over: true } });
        });
      });
  const stream = (): { body: Readable; headers: Record<string, string> } => {
    const body = new Readable({ read: () => undefined });
    waiting.push((chunk) => {
      body.push(chunk);
      body.push(null);
    });
    return { body, headers: { 'Content-Type': 'text/plain' } };
  };
  const routes: readonly AnyRoute[] = [
    { method: 'GET', path: '/poll', settings, action: 'anybody', handle: wait('poll') },
    { method: 'GET', path: '/open-poll', settings, action: null, handle: wait('open poll') },
    { method: 'GET', path: '/stream', settings, action: 'anybody', handle: stream },
    { method: 'GET', path: '/whole', settings, action: 'anybody', handle: () => ({ body: { text } }) },
    { method: 'GET', path: '/usual', action: 'anybody', handle: () => ({ body: { text } }) },
    { method: 'GET', path: '/slow', action: 'anybody', handle: wait('slow') },
  ];
  before(async () => {
    const config = { server: bounds };
    connection.running = openTo(createConfig(config));
    server = await serve({ routes, connection, config });
  });
  after(() => server.close());
  beforeEach(() => {
    waiting = [];
  });

  const get = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(server.port)}${path}`, { headers: { 'Accept-Encoding': 'gzip' }, ...init });
  const begun = async (count: number): Promise<void> => {
    while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  const answerAll = (body: unknown): void => {
    for (const answer of waiting) answer(body);
  };

  for (const path of ['/poll', '/open-poll'])
    it(`take no place in the queue, and have no time limit: ${path}`, async () => {
      const polls = Array.from({ length: 20 }, () => get(path));
      await begun(20);
      expect((await get('/usual')).status).to.equal(200);
      expect((await get('/slow')).status).to.equal(503); // its time limit is over, and those of the polls would be too
      answerAll({ done: true });
      for (const poll of polls) expect(await (await poll).json()).to.deep.equal({ done: true });
    });

  it('send the headers of a stream at once', async () => {
    const answer = await get('/stream');
    expect(answer.status).to.equal(200);
    answerAll(text);
    expect(await answer.text()).to.equal(text);
    expect(answer.headers.get('content-encoding')).to.equal(null);
  });

  for (const [path, encoding] of [
    ['/whole', null],
    ['/usual', 'gzip'],
  ] as const)
    it(`are not compressed: ${path} has the encoding ${String(encoding)}`, async () => {
      expect((await get(path)).headers.get('content-encoding')).to.equal(encoding);
    });

  it('end when the client disconnects', async () => {
    const client = new AbortController();
    const poll = get('/poll', { signal: client.signal }).catch((error: unknown) => (error as Error).name);
    await begun(1);
    ended.length = 0;
    client.abort();
    expect(await poll).to.equal('AbortError');
    while (ended.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(ended).to.deep.equal(['poll']);
  });

  it('end when the service stops, and begin no more', async () => {
    const polls = [get('/poll'), get('/open-poll')];
    await begun(2);
    connection.announceStop();
    for (const poll of polls) expect(await (await poll).json()).to.deep.equal({ over: true });
    expect((await get('/poll')).status).to.equal(503);
  });
});
