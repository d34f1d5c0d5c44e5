import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { memoryStore, type Offline, type OfflineEntry, type OfflineStore } from '#client/offline/offline.js';
import type { AnyTypes } from '#client/entry.js';
import { allActions, type Device, serveOffline, type ServingOffline } from './serve-offline.js';

const titlesOf = async (offline: Offline<AnyTypes>): Promise<unknown[]> =>
  (await offline.list('posts', { sort: 'title' })).map(({ title }) => title);

describe('writes while offline', () => {
  let server: ServingOffline;
  let ann: string;
  let bob: string;
  before(async () => {
    server = await serveOffline();
    ann = (await server.addUser('ann')).jwt;
    bob = (await server.addUser('bob')).jwt;
  });
  beforeEach(async () => {
    for (const name of ['posts', 'authors', 'tags'])
      await server.database.db.collection(name).deleteMany({ _id: { $gt: 0 } as never });
  });
  after(() => server.stop());

  const post = async (values: object): Promise<number> =>
    (await server.as(server.editor, 'POST', '/api/posts', { data: values })).body.data.id;
  const stored = async (id: unknown): Promise<Record<string, unknown>> =>
    (await server.as(server.editor, 'GET', `/api/posts/${String(id)}?populate=*`)).body.data?.attributes;

  /** Returns a device of Ann that has everything. */
  const annsDevice = async (): Promise<Device> => {
    const device = server.device({ jwt: ann });
    await server.meet(device);
    return device;
  };

  it('shows entries flat, with ids for relations', async () => {
    const author = (await server.as(server.editor, 'POST', '/api/authors', { data: { name: 'Ann' } })).body.data.id;
    const tag = (await server.as(server.editor, 'POST', '/api/tags', { data: { name: 'red' } })).body.data.id;
    const id = await post({ title: 'Salt', rating: 3, author, tags: [tag], seo: { title: 'S', author } });
    const { offline } = await annsDevice();
    const entry = await offline.get('posts', id);
    expect(entry).to.deep.include({ id, title: 'Salt', rating: 3, author, tags: [tag], cover: null, body: [] });
    expect(entry?.['seo' as never]).to.deep.include({ title: 'S', author: { id: author } });
  });

  it('shows what is written at once, after a restart, and once the service has it', async () => {
    const id = await post({ title: 'Salt' });
    const first = await annsDevice();
    first.network.isCut = true;
    await first.offline.update('posts', id, { title: 'Sea salt' });
    const made = await first.offline.create('posts', { title: 'Train' });
    await first.offline.increment('posts', made.id, { rating: 2 });
    expect(made.id).to.match(/^\$[\w-]{36}$/);
    expect(await titlesOf(first.offline)).to.deep.equal(['Sea salt', 'Train']);
    await first.offline.close();
    const again = server.device({ jwt: ann, store: first.store });
    expect(await titlesOf(again.offline)).to.deep.equal(['Sea salt', 'Train']);
    expect((await again.offline.get('posts', made.id)) as object).to.include({ title: 'Train', rating: 2 });
    await again.offline.push();
    expect(await again.offline.pending()).to.deep.equal([]);
    expect(await titlesOf(again.offline)).to.deep.equal(['Sea salt', 'Train']);
    await server.meet(again);
    expect(await titlesOf(again.offline)).to.deep.equal(['Sea salt', 'Train']);
    const found = await again.offline.get('posts', made.id);
    expect(found?.id).to.be.a('number');
    expect(await stored(found?.id)).to.include({ title: 'Train', rating: 2 });
  });

  it('carries out once what was sent twice, because an answer was lost', async () => {
    const device = await annsDevice();
    const made = await device.offline.create('posts', { title: 'Once' });
    await device.offline.increment('posts', made.id, { rating: 1 });
    device.network.loses = (path) => (path.endsWith('/push') ? 'after' : null);
    const failure = await device.offline.push().catch((error: unknown) => error);
    expect(failure).to.include({ kind: 'unreachable' });
    expect(await device.offline.pending()).to.have.length(2);
    device.network.loses = () => null;
    await server.meet(device);
    expect(await device.offline.pending()).to.deep.equal([]);
    const entries = await device.offline.list('posts');
    expect(entries.map(({ title, rating }) => ({ title, rating }))).to.deep.equal([{ title: 'Once', rating: 1 }]);
  });

  it('joins changes of an entry that were not sent', async () => {
    const id = await post({ title: 'Salt', rating: 1 });
    const { offline } = await annsDevice();
    for (const title of ['S', 'Se', 'Sea']) await offline.update('posts', id, { title });
    await offline.increment('posts', id, { rating: 1 });
    await offline.increment('posts', id, { rating: 1 });
    await offline.update('posts', id, { secret: 'x' });
    const [write, ...others] = await offline.pending();
    expect(others).to.deep.equal([]);
    expect(write?.set).to.deep.equal({ title: { from: 'Salt', to: 'Sea' }, secret: { from: null, to: 'x' } });
    expect(write?.increment).to.deep.equal({ rating: 2 });
  });

  it('relates entries that were made on the device', async () => {
    const device = await annsDevice();
    const { offline } = device;
    const author = await offline.create('authors', { name: 'Ann' });
    const tags = [await offline.create('tags', { name: 'red' }), await offline.create('tags', { name: 'blue' })];
    const made = await offline.create('posts', { title: 'All', author: author.id, tags: [tags[0]?.id ?? 0] });
    await offline.add('posts', made.id, { tags: [tags[1]?.id ?? 0] });
    await offline.remove('posts', made.id, { tags: [tags[0]?.id ?? 0] });
    const shown = await offline.list('posts', { filters: { tags: { id: tags[1]?.id } } });
    expect(shown.map(({ id }) => id)).to.deep.equal([made.id]);
    await server.meet(device);
    const entry = await offline.get('posts', made.id);
    const idOf = async (type: string, id: OfflineEntry['id']) => (await offline.get(type, id))?.id;
    expect(entry).to.deep.include({ author: await idOf('authors', author.id), tags: [await idOf('tags', tags[1]?.id ?? 0)] });
    expect(await offline.get('posts', made.id))
      .to.have.property('id')
      .that.is.a('number');
  });

  it('makes no write wait for an entry that is made after it', async () => {
    const device = await annsDevice();
    const { offline } = device;
    const made = await offline.create('posts', { title: 'First' });
    const author = await offline.create('authors', { name: 'Ann' });
    await offline.update('posts', made.id, { author: author.id });
    expect((await offline.pending()).map(({ op, status }) => [op, status])).to.deep.equal([
      ['create', 'pending'],
      ['create', 'pending'],
      ['update', 'pending'],
    ]);
    await server.meet(device);
    const entry = await offline.get('posts', made.id);
    expect(entry?.['author']).to.equal((await offline.get('authors', author.id))?.id);
  });

  it('a watch goes on after a copy that could not tell', async () => {
    const id = await post({ title: 'Salt', rating: 4 });
    await server.logged();
    const { network, offline } = server.device({ jwt: ann });
    await offline.create('posts', { title: 'Offline' });
    network.isCut = true;
    const { error } = console;
    const told: unknown[] = [];
    console.error = (...all: unknown[]) => told.push(...all);
    const shown = new Promise<unknown>((resolve) => {
      offline.watch('posts', { filters: { rating: 4 } }, (entries) => {
        if (entries.length > 0) resolve(entries.map((entry) => entry.id));
      });
    });
    await offline.pull().catch(() => undefined);
    expect(String(told[0])).to.include('not in the copy');
    console.error = error;
    network.isCut = false;
    await offline.pull();
    expect(await shown).to.deep.equal([id]);
  });

  it('overwrites no value that another has changed; what is decided is sent', async () => {
    const ids = [await post({ title: 'A', secret: 's' }), await post({ title: 'B' }), await post({ title: 'C' })];
    const [mine, theirs] = [await annsDevice(), server.device({ jwt: bob })];
    await server.meet(theirs);
    for (const id of ids) await theirs.offline.update('posts', id, { title: `Bob's ${String(id)}` });
    for (const id of ids) await mine.offline.update('posts', id, { title: `Ann's ${String(id)}`, rating: 5 });
    await server.meet(theirs);
    await mine.offline.push();
    const conflicts = await mine.offline.conflicts();
    expect(conflicts.map(({ id, conflicts: found }) => ({ id, found }))).to.deep.equal(
      ids.map((id, index) => ({
        id,
        found: { title: { from: 'ABC'[index], mine: `Ann's ${String(id)}`, theirs: `Bob's ${String(id)}` } },
      })),
    );
    expect(await mine.offline.status()).to.include({ pending: 0, conflicts: 3, refused: 0 });
    await mine.offline.increment('posts', ids[0] ?? 0, { owner: 1 });
    await mine.offline.resolve(conflicts[0]?.key ?? '', 'mine');
    await mine.offline.resolve(conflicts[1]?.key ?? '', 'theirs');
    await mine.offline.resolve(conflicts[2]?.key ?? '', { title: 'Both' });
    await server.meet(mine, theirs);
    const all = await mine.offline.list('posts', { sort: 'id' });
    expect(all.map(({ title, rating }) => ({ title, rating }))).to.deep.equal([
      { title: `Ann's ${String(ids[0])}`, rating: 5 },
      { title: `Bob's ${String(ids[1])}`, rating: 5 },
      { title: 'Both', rating: 5 },
    ]);
    expect(await theirs.offline.list('posts', { sort: 'id' })).to.deep.equal(all);
    expect(all[0]).to.include({ owner: 1 });
  });

  it('keeps what is refused, and what waits for it, until it is corrected or given up', async () => {
    const device = await annsDevice();
    const { offline } = device;
    const made = await offline.create('posts', { title: 'T', rating: 'many' });
    const other = await offline.create('authors', { name: 'Cid', posts: [] });
    await offline.push();
    await offline.increment('posts', made.id, { owner: 1 });
    await offline.push();
    const [refused] = await offline.refused();
    expect(refused).to.include({ id: made.id, status: 'refused' });
    expect(refused?.error).to.include({ status: 400 });
    expect((await offline.pending()).map(({ status }) => status)).to.deep.equal(['waiting']);
    await offline.resolve(refused?.key ?? '', { rating: 4 });
    await server.meet(device);
    expect(await offline.get('posts', made.id)).to.include({ title: 'T', rating: 4, owner: 1 });
    await offline.delete('authors', other.id);
    await server.meet(device);
    expect(await offline.list('authors')).to.deep.equal([]);
  });

  it('gives up a create with the writes to its entry and the relations to it', async () => {
    const device = await annsDevice();
    const author = await device.offline.create('authors', { name: 'Ann' });
    await device.offline.increment('authors', author.id, { name: 1 });
    const made = await device.offline.create('posts', { title: 'P', author: author.id });
    await device.offline.delete('authors', author.id);
    expect(await device.offline.get('posts', made.id)).to.include({ author: null });
    await server.meet(device);
    expect(await device.offline.list('authors')).to.deep.equal([]);
    expect(await device.offline.get('posts', made.id)).to.include({ title: 'P', author: null });
  });

  it('says which writes can no longer be made when rights are lost, and shows nothing of the entries', async () => {
    const id = await post({ title: 'Salt', rating: 1 });
    const [device, other] = [await annsDevice(), await annsDevice()];
    await device.offline.update('posts', id, { title: 'Mine' });
    await other.offline.update('posts', id, { title: 'Theirs' });
    await server.meet(other);
    await device.offline.push();
    expect(await device.offline.conflicts()).to.have.length(1);
    await server.admin('PUT', '/roles/1/rules', { rows: { 'api::post.post': { rating: { $gt: 2 } } } });
    await server.settled();
    await device.offline.pull();
    expect(await device.offline.list('posts')).to.deep.equal([]);
    expect(await device.offline.conflicts()).to.deep.equal([]);
    await device.offline.push();
    const [refused] = await device.offline.refused();
    expect(refused?.error).to.include({ status: 404 });
    expect(JSON.stringify(refused)).not.to.include('Theirs');
    await server.admin('PUT', '/roles/1/rules', { rows: null });
    await server.settled();
    await device.offline.drop(refused?.key ?? '');
    await server.meet(device);
    expect(await titlesOf(device.offline)).to.deep.equal(['Theirs']);
  });

  it('keeps the copy if something before the service refuses, such as a proxy', async () => {
    await post({ title: 'Salt' });
    const device = await annsDevice();
    for (const status of [401, 403, 404, 410]) {
      device.network.answers = () => new Response('<!doctype html>', { status });
      await device.offline.pull().catch(() => undefined);
      expect(await titlesOf(device.offline), String(status)).to.deep.equal(['Salt']);
    }
  });

  it('stores nothing of a user in whose place another tab has logged in somebody else', async () => {
    await post({ title: 'Salt' });
    const store = { ...memoryStore(), name: 'tabs' };
    const [tab, other] = [server.device({ jwt: ann, store }), server.device({ jwt: ann, store })];
    await server.meet(tab, other);
    await other.client.login('bob', 'Passw0rd!');
    await server.meet(other);
    const failure = await tab.offline.pull().catch((error: unknown) => error);
    expect(String(failure)).to.include('another user');
    const titles = (await store.rows('')).filter(([key]) => key.includes('/e/posts/')).map(([key]) => key.split('/')[0]);
    expect(new Set(titles)).to.have.length(1);
    expect(await titlesOf(other.offline)).to.deep.equal(['Salt']);
  });

  it('uploads no file of a user in whose place another tab has logged in somebody else', async () => {
    const store = { ...memoryStore(), name: 'files' };
    const [tab, other] = [server.device({ jwt: ann, store }), server.device({ jwt: ann, store })];
    await tab.offline.create('posts', { title: 'Photo', cover: new File(['sand'], 'sand.txt', { type: 'text/plain' }) });
    await other.client.login('bob', 'Passw0rd!');
    await other.offline.list('posts');
    const failure = await tab.offline.push().catch((error: unknown) => error);
    expect(String(failure)).to.include('another user');
    expect(tab.network.sent).not.to.include('/api/upload');
    expect(await tab.offline.pending()).to.have.length(1);
  });

  it('goes on when the browser has removed all rows of the store', async () => {
    const id = await post({ title: 'Salt' });
    const memory = { ...memoryStore(), name: 'evicted' };
    const device = server.device({ jwt: ann, store: memory });
    await server.meet(device);
    memory.write((await memory.rows('')).map(([key]) => [key, undefined]));
    await device.offline.pull(); // finds that the copy is gone
    await device.offline.pull();
    expect(await titlesOf(device.offline)).to.deep.equal(['Salt']);
    await device.offline.update('posts', id, { title: 'Sea' });
    await server.meet(device);
    expect(await stored(id)).to.include({ title: 'Sea' });
    expect(await memory.read('owner')).to.be.a('string');
  });

  it('ignores rows of kinds that only newer engines know', async () => {
    await post({ title: 'Salt' });
    const { store } = await annsDevice();
    await store.write([[`${String(await store.read('owner'))}/n/posts`, { since: 1 }]]);
    expect(await titlesOf(server.device({ jwt: ann, store }).offline)).to.deep.equal(['Salt']);
  });

  it('keeps the copies of other types when one is no longer synced', async () => {
    await post({ title: 'Salt' });
    await server.logged();
    const { offline } = server.device({ jwt: ann, types: ['posts', 'removed'] });
    expect(await offline.pull().catch((error: unknown) => error)).to.include({ status: 404 });
    expect(await titlesOf(offline)).to.deep.equal(['Salt']);
  });

  it('learns how a type is merged that only a later version of the app copies', async () => {
    await post({ title: 'Salt', cover: null });
    const first = server.device({ jwt: ann, types: ['tags'] });
    await server.meet(first);
    const { offline } = server.device({ jwt: ann, types: ['tags', 'posts'], store: first.store });
    await offline.pull();
    const [entry] = await offline.list('posts', { filters: { tags: { $null: true } } });
    expect(entry).to.deep.include({ title: 'Salt', tags: [] });
    expect(await offline.create('posts', { title: 'Sea' })).to.deep.include({ tags: [], author: null });
  });

  it('removes the copy of one type also if the store has failed before', async () => {
    await post({ title: 'Salt' });
    const memory = memoryStore();
    let failures = -1;
    const write: OfflineStore['write'] = (rows) => {
      if (failures < 0) return memory.write(rows);
      failures += 1;
      throw new Error('the disk is full');
    };
    const device = server.device({ jwt: ann, store: { ...memory, write }, automatic: true });
    while ((await titlesOf(device.offline)).length === 0) await delay(20);
    failures = 0;
    await server.admin('PUT', '/roles/1', { actions: allActions.filter((action) => !action.includes('post')) });
    while (failures < 1) await delay(20);
    failures = -1;
    while ((await titlesOf(device.offline)).length > 0) await delay(20);
    await device.offline.close();
    await server.admin('PUT', '/roles/1', { actions: allActions });
    await server.settled();
  });

  it('shows nothing of a former user, and pushes none of their writes', async () => {
    const id = await post({ title: 'Salt' });
    const device = await annsDevice();
    await device.offline.create('posts', { title: "Ann's" });
    const seen: unknown[] = [];
    const stop = device.offline.watch('posts', {}, (entries) => seen.push(entries.map(({ title }) => title)));
    await device.client.login('bob', 'Passw0rd!');
    expect(await device.offline.list('posts')).to.deep.equal([]);
    expect(await device.offline.pending()).to.deep.equal([]);
    await device.offline.create('posts', { title: "Bob's" });
    await server.meet(device);
    expect(await titlesOf(device.offline)).to.deep.equal(["Bob's", 'Salt']);
    expect(await device.store.rows('')).not.to.be.empty;
    await device.client.login('ann', 'Passw0rd!');
    expect(await titlesOf(device.offline)).to.deep.equal(["Ann's"]);
    await server.meet(device);
    expect(await titlesOf(device.offline)).to.deep.equal(["Ann's", "Bob's", 'Salt']);
    stop();
    expect(seen[0]).to.deep.equal(['Salt', "Ann's"]);
    expect(seen).to.deep.include([]);
    expect(await device.offline.get('posts', id)).to.include({ title: 'Salt' });
  });

  it('uploads files before the write, each once', async () => {
    const device = await annsDevice();
    const file = new File(['low tide'], 'tide.txt', { type: 'text/plain' });
    const made = await device.offline.create('posts', { title: 'Photo', cover: file });
    const name = (await device.offline.get('posts', made.id))?.['cover' as never] as string;
    expect(await device.offline.file(name)).to.equal(file);
    device.network.loses = (path) => (path.endsWith('/upload') ? 'after' : null);
    await device.offline.push().catch(() => undefined);
    device.network.loses = () => null;
    await server.meet(device);
    const cover = (await device.offline.get('posts', made.id))?.['cover' as never];
    expect(cover).to.be.a('number');
    expect(await server.database.db.collection('files').countDocuments({ name: 'tide.txt' })).to.equal(1);
    expect(await device.offline.file(name)).to.equal(null);
  });

  it('takes nothing in a component or in JSON for a file', async () => {
    const { offline } = await annsDevice();
    const made = await offline.create('posts', { title: 'Salt', seo: { uri: 'https://example.org' } });
    await offline.update('posts', made.id, { body: [{ uri: 'https://example.org' }] });
    const [write] = await offline.pending();
    expect(write?.set).to.deep.include({ seo: { to: { uri: 'https://example.org' } } });
    expect(write?.set).to.deep.include({ body: { to: [{ uri: 'https://example.org' }] } });
  });

  it('pulls and pushes by itself, and tells of changes', async () => {
    const device = server.device({ jwt: ann, automatic: true });
    const until = (isDone: (titles: readonly unknown[]) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const stop = device.offline.watch('posts', { sort: 'title' }, (entries) => {
          if (!isDone(entries.map(({ title }) => title))) return;
          resolve();
          setTimeout(() => stop());
        });
      });
    const id = await post({ title: 'Salt' });
    await until((titles) => titles.join() === 'Salt');
    await device.offline.update('posts', id, { title: 'Sea' });
    while ((await stored(id))['title'] !== 'Sea') await new Promise((resolve) => setTimeout(resolve, 20));
    await server.as(server.editor, 'PUT', `/api/posts/${String(id)}`, { data: { title: 'Z' } });
    await until((titles) => titles.join() === 'Z');
    expect(await device.offline.status()).to.deep.include({ isOnline: true, isCurrent: true, pending: 0, failure: null });
    await device.offline.close();
  });
});
