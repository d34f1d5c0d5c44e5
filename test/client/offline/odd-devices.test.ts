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
