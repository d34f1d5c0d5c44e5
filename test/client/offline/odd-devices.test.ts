import { expect } from 'chai';
import { createClient } from '#client/create-client.js';
import type { AnyTypes } from '#client/entry.js';
import { createOffline, memoryStore, type Offline } from '#client/offline/offline.js';

/** What the engine pushes of writes that are made by `work`. */
async function pushedBy(work: (offline: Offline<AnyTypes>) => Promise<unknown>): Promise<readonly object[]> {
  const pushed: object[] = [];
  const answer = (url: string, body: { readonly writes?: readonly object[] }): object => {
    if (url.includes('/sync/schema')) return { data: { notes: { title: 'scalar', data: 'whole' } }, meta: {} };
    if (!url.endsWith('/push')) return { data: [], meta: { sync: { token: 't', more: false, position: '1' } } };
    pushed.push(...(body.writes ?? []));
    const data = (body.writes ?? []).map((write) => ({ ...write, status: 'applied', id: 1, version: '1' }));
    return { data, meta: {} };
  };
  const fetch = (url: string, { body }: { readonly body?: unknown }): Promise<Response> =>
    Promise.resolve(Response.json(answer(url, JSON.parse(typeof body === 'string' ? body : '{}'))));
  const client = createClient({ url: 'http://device.test', fetch: fetch as never });
  const offline = createOffline({ client, store: memoryStore(), types: ['notes'], automatic: false });
  await offline.pull();
  await work(offline);
  await offline.push();
  await offline.close();
  return pushed;
}

describe('a device whose clock was reset', () => {
  const now = Date.now.bind(Date);
  afterEach(() => (Date.now = now));

  for (const [about, time] of [
    ['to 1970', 50_000_000],
    ['to 2000', Date.UTC(2000)],
  ] as const)
    it(`${about} pushes its writes in their order, also if the clock is put right between them`, async () => {
      const pushed = await pushedBy(async (offline) => {
        Date.now = () => time;
        const { id } = await offline.create('notes', { title: 'first' });
        Date.now = now;
        await offline.add('notes', id, { tags: [1] });
        expect(await offline.get('notes', id)).to.deep.include({ title: 'first', tags: [1] });
      });
      expect(pushed.map((write) => (write as { op: string }).op)).to.deep.equal(['create', 'update']);
    });
});

describe('values that look like names of the device', () => {
  it('keep the nulls beside them', async () => {
    const data = ['$set', null, ['nested'], '$x'];
    const [write] = await pushedBy((offline) => offline.create('notes', { title: '$title', data }));
    expect(write).to.deep.include({ set: { title: { to: '$title' }, data: { to: data } } });
  });
});

describe('a proxy between the app and the service', () => {
  const file = new File(['x'], 'x.txt');
  for (const [status, left] of [
    [400, 'pending'],
    [403, 'pending'],
    [413, 'refused'],
  ] as const)
    for (const [what, value] of [
      ['a push', 'x'],
      ['an upload', file],
    ] as const)
      it(`answers ${what} with ${String(status)}: the write is ${left}`, async () => {
        const page = (): Promise<Response> => Promise.resolve(new Response('<h1>Not here</h1>', { status }));
        const client = createClient({ url: 'http://device.test', fetch: page as never });
        const offline = createOffline({ client, store: memoryStore(), types: ['notes'], automatic: false });
        await offline.create('notes', { title: value });
        await offline.push().catch(() => undefined);
        const { pending, refused } = await offline.status();
        expect({ pending, refused }).to.deep.equal({ pending: 0, refused: 0, [left]: 1 });
        await offline.close();
      });
});

describe('a network that hangs during an upload', () => {
  const wait = globalThis.setTimeout;
  afterEach(() => (globalThis.setTimeout = wait));

  it('ends it after ten minutes, so that the writes are pushed again later', async () => {
    const hang = (_url: string, { signal }: { readonly signal: AbortSignal }): Promise<Response> =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    const waits: (number | undefined)[] = [];
    globalThis.setTimeout = ((work: () => void, milliseconds?: number) => {
      waits.push(milliseconds);
      return wait(work, (milliseconds ?? 0) / 60_000);
    }) as never;
    const client = createClient({ url: 'http://device.test', fetch: hang as never, retries: 0 });
    const offline = createOffline({ client, store: memoryStore(), types: ['notes'], automatic: false });
    await offline.create('notes', { title: new File(['x'], 'x.txt') });
    const failure = await offline.push().then(
      () => null,
      (error: unknown) => error as { readonly kind: string },
    );
    expect([failure?.kind, waits]).to.deep.equal(['timeout', [600_000]]);
    expect(await offline.status()).to.include({ pending: 1, refused: 0 });
    await offline.close();
  });
});

describe('a device that has not read the schema', () => {
  const values: readonly (readonly [what: string, value: object, files: number])[] = [
    ['a JSON value with an address', { uri: 'https://example.org', label: 'x' }, 0],
    ['a list of such values', [{ uri: 'https://example.org' }], 0],
    ['a file of a phone', { uri: 'file:///x.png', name: 'x.png', type: 'image/png' }, 1],
    ['a file of a browser', new File(['x'], 'x.txt'), 1],
  ];
  for (const [what, value, files] of values)
    it(`takes ${what} for ${files === 1 ? 'a file' : 'a value'}`, async () => {
      const client = createClient({ url: 'http://device.test' });
      const offline = createOffline({ client, store: memoryStore(), types: ['notes'], automatic: false });
      await offline.create('notes', { data: value });
      const [write] = await offline.pending();
      const to = (write?.set as { readonly data?: { readonly to: unknown } } | undefined)?.data?.to;
      if (files === 0) expect(to).to.deep.equal(value);
      else expect(await offline.file(to as string)).to.equal(value);
      await offline.close();
    });
});
