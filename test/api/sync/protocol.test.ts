import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { userTokens } from '#content/rights/user-tokens.js';
import { jwtSecret } from '../../content/rights/serve-accounts.js';
import { serveSync, type ServingSync } from './serve-sync.js';
import { readEvents } from './read-events.js';
import { syncModels } from './sync-models.js';

const post = 'api::post.post';
const reading = [`${post}.find`, 'api::author.author.find', 'api::tag.tag.find'];

describe('requests for copies', () => {
  let server: ServingSync;
  let ann: string;

  before(async () => {
    server = await serveSync();
    await server.admin('PUT', '/roles/1', { actions: reading });
    ann = (await server.addUser('ann')).jwt;
    for (let rating = 1; rating <= 12; rating += 1)
      await server.as(server.editor, 'POST', '/api/posts', { data: { title: `p${String(rating)}`, rating, owner: 1 } });
    await server.logged();
  });
  after(() => server.stop());

  const get = (path: string, token: string | null = server.editor) => server.as(token, 'GET', `/api/sync/${path}`);
  const put = (id: number, data: object) => server.as(server.editor, 'PUT', `/api/posts/${String(id)}`, { data });
  const change = async (values: object): Promise<void> => void (await server.admin('PUT', '/roles/1/rules', values));
  const tokenOf = ({ body }: Awaited<ReturnType<typeof get>>): string => body.meta.sync.token;
  const waiting = (path: string, token: string) => get(`${path}${path.includes('?') ? '&' : '?'}token=${token}&wait=50`, ann);

  const refused: readonly (readonly [path: string, status: number, message: RegExp])[] = [
    ['nothing', 404, /Not Found/],
    ['plains', 400, /plains are not synced: set pluginOptions.sync.enabled/],
    ['posts?sort=title', 400, /Invalid parameter sort/],
    ['posts?populate=*', 400, /Invalid parameter populate/],
    ['posts?pagination[page]=2', 400, /Invalid parameter pagination/],
    ['posts?_q=a', 400, /Invalid parameter _q/],
    ['posts?fields=nothing', 400, /Invalid parameter nothing/],
    ['posts?filters[nothing]=1', 400, /Invalid parameter nothing/],
    ['posts?filters[createdAt][$lt]=$now', 400, /current time/],
    ['posts?wait=0', 400, /Invalid parameter wait/],
    ['posts?wait=56', 400, /Invalid parameter wait/],
    ['posts?wait=a', 400, /Invalid parameter wait/],
    ['posts?token=a&token=b', 400, /Invalid parameter token/],
    ['posts?token=nonsense', 410, /token/],
  ];
  for (const [path, status, message] of refused)
    it(`are refused: ${path}`, async () => {
      const { body, ...answer } = await get(path);
      expect([answer.status, body.error.message]).to.satisfy(
        ([actual, text]: [number, string]) => actual === status && message.test(text),
        JSON.stringify(body),
      );
    });

  it('need the right to read the list', async () => {
    expect((await get('posts', null)).status).to.equal(403);
    expect((await get('plains', ann)).status).to.equal(403);
  });

  it('are answered with headers that forbid caches to keep them', async () => {
    const { headers } = await get('posts');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('vary')).to.include('Authorization');
    expect(headers.get('content-encoding')).to.equal(null);
  });

  it('answer nothing new with the same token', async () => {
    const first = await get('posts');
    const second = await get(`posts?token=${tokenOf(first)}`);
    const { position } = second.body.meta.sync;
    expect(position).to.match(/^\d+$/);
    expect(second.body).to.deep.equal({ data: [], meta: { sync: { token: tokenOf(second), more: false, position } } });
  });

  it('do not tell of entries that the caller has never seen', async () => {
    await change({ rows: { [post]: { owner: { $eq: '$user.id' } } } });
    const token = tokenOf(await get('posts', ann));
    await server.as(server.editor, 'POST', '/api/posts', { data: { title: 'of others', owner: 99 } });
    await put(13, { title: 'again' });
    await server.logged();
    expect((await get(`posts?token=${token}`, ann)).body.data).to.deep.equal([]);
    await put(13, { owner: 98 });
    await server.logged();
    await server.as(server.editor, 'DELETE', '/api/posts/13');
    await server.logged();
    expect((await get(`posts?token=${token}`, ann)).body.data).to.deep.equal([]);
    await change({ rows: null, fields: null });
  });

  /** What makes a token invalid. */
  const changes: readonly (readonly [what: string, change: () => Promise<unknown>])[] = [
    ['a rule of rows', () => change({ rows: { [post]: { rating: { $gt: 3 } } } })],
    ['a rule of fields', () => change({ fields: { [post]: { deny: ['secret'] } } })],
    ['a right on a related type', () => server.admin('PUT', '/roles/1', { actions: reading.slice(0, 2) })],
    [
      'the model',
      () =>
        server.database.db
          .collection<{ _id: string }>('_models')
          .updateOne({ _id: post }, { $set: { 'attributes.extra': { type: 'string' } } }),
    ],
    ['a related collection that is dropped', () => server.database.db.collection('authors').drop()],
    [
      'the loss of the log',
      async () => {
        await server.database.db.collection<{ _id: string }>('_changes').deleteOne({ _id: 'log' });
        await put(1, { title: 'lost' });
      },
    ],
    [
      'the end of the retention',
      async () => {
        await put(1, { title: 'later' });
        await server.logged();
        const { client, db } = server.database;
        await db.collection('_changes').updateMany({ token: { $gt: '' } }, { $set: { at: new Date(0) } });
        await client.db('admin').command({ setParameter: 1, ttlMonitorSleepSecs: 1 });
        while ((await db.collection('_changes').findOne({ token: { $gt: '' } })) !== null);
      },
    ],
  ];
  for (const [what, make] of changes)
    it(`are answered with 410 after a change of ${what}`, async () => {
      const token = tokenOf(await get('posts', ann));
      await make();
      let answer = await get(`posts?token=${token}`, ann);
      while (answer.status === 200 || answer.status === 503) answer = await get(`posts?token=${token}`, ann); // until this instance has heard of it
      expect([answer.status, answer.body.error.name]).to.deep.equal([410, 'SyncResetError']);
      expect((await get('posts', ann)).status).to.equal(200);
    });

  it('of a query that the caller may no longer ask are answered with 410, so that the copy is deleted', async () => {
    await change({ rows: null, fields: null });
    const path = 'posts?filters[rating][$gt]=3';
    let first = await get(path, ann);
    while (first.status !== 200) first = await get(path, ann);
    const poll = waiting(path, tokenOf(first));
    await change({ fields: { [post]: { deny: ['rating'] } } });
    expect((await poll).status).to.equal(410);
    expect((await get(`${path}&token=${tokenOf(first)}`, ann)).status).to.equal(410);
    expect((await get(path, ann)).status).to.equal(400);
    await change({ fields: null });
  });

  it('follow a rule that leads through a relation of the entry', async () => {
    await server.as(server.editor, 'POST', '/api/authors', { data: { name: 'Eve', active: true } });
    const { body } = await server.as(server.editor, 'GET', '/api/authors?sort=id:desc');
    const author = body.data[0].id as number;
    const activate = (active: boolean) => server.as(server.editor, 'PUT', `/api/authors/${String(author)}`, { data: { active } });
    await put(2, { author });
    await change({ rows: { [post]: { author: { active: { $eq: true } } } } });
    let first = await get('posts', ann);
    while (first.body.data?.length !== 1) first = await get('posts', ann); // until this instance has heard of the rule
    const poll = waiting('posts', tokenOf(first));
    await activate(false);
    const hidden = await poll;
    expect(hidden.body.data).to.deep.equal([{ op: 'delete', id: 2 }]);
    const next = waiting('posts', tokenOf(hidden));
    await activate(true);
    expect((await next).body.data.map(({ op, id }: { op: string; id: number }) => `${op} ${String(id)}`)).to.deep.equal([
      'upsert 2',
    ]);
    await change({ rows: null });
  });

  it('are answered with 410 if it is not known which entries a rule shows now, because it leads through the other side', async () => {
    await change({ rows: { [post]: { notes: { approved: { $eq: true } } } } });
    let first = await get('posts', ann);
    while (first.body.data?.length !== 0) first = await get('posts', ann); // until this instance has heard of the rule
    const poll = waiting('posts', tokenOf(first));
    await server.as(server.editor, 'POST', '/api/notes', { data: { approved: true, post: 1 } });
    expect((await poll).status).to.equal(410);
    expect((await get('posts', ann)).body.data.map(({ id }: { id: number }) => id)).to.deep.equal([1]);
    await change({ rows: null });
  });

  it('of another query are answered with 410', async () => {
    const token = tokenOf(await get('posts?fields=title'));
    for (const path of ['posts', 'posts?fields=rating', 'posts?fields=title&locale=all', 'authors'])
      expect((await get(`${path}${path.includes('?') ? '&' : '?'}token=${token}`)).status, path).to.equal(410);
  });

  describe('that wait', () => {
    before(async () => {
      await server.admin('PUT', '/roles/1', { actions: reading });
      await change({ rows: null, fields: null });
      expect((await server.admin('POST', '/locales', { code: 'fr', name: 'French' })).status).to.equal(200);
    });
    after(() => server.admin('PUT', '/locales/en', { isDefault: true }));

    it('are answered when something changes', async () => {
      const first = await get('posts?filters[rating][$gt]=3', ann);
      const poll = waiting('posts?filters[rating][$gt]=3', tokenOf(first));
      await put(1, { title: 'out of the filter' });
      await put(5, { title: 'in the filter' });
      const { body } = await poll;
      expect(body.data.map(({ id }: { id: number }) => id)).to.deep.equal([5]);
    });

    it('are reported with the status 499 if the client leaves', async () => {
      const first = await get('posts', ann);
      const reported = new Promise((resolve) => server.server.observer.add({ 'request ended': resolve }));
      const leaving = new AbortController();
      const url = `${server.server.url}/api/sync/posts?token=${tokenOf(first)}&wait=50`;
      const poll = fetch(url, { headers: { authorization: `Bearer ${ann}` }, signal: leaving.signal }).catch(() => null);
      setTimeout(() => leaving.abort(), 100);
      await poll;
      expect(await reported).to.include({ route: '/api/sync/:plural', status: 499, isAborted: true });
    });

    const ends: readonly (readonly [what: string, end: () => Promise<unknown>, status: number])[] = [
      ['the right is revoked', () => server.admin('PUT', '/roles/1', { actions: reading.slice(1) }), 403],
      ['a rule changes', () => change({ rows: { [post]: { rating: { $gt: 3 } } } }), 410],
      ['another locale becomes the default one', () => server.admin('PUT', '/locales/fr', { isDefault: true }), 410],
      [
        'the user is blocked',
        () => server.database.db.collection('up_users').updateOne({ username: 'ann' }, { $set: { blocked: true } }),
        401,
      ],
    ];
    for (const [what, end, status] of ends)
      it(`are answered when ${what}`, async () => {
        await server.admin('PUT', '/roles/1', { actions: reading });
        let first = await get('posts', ann);
        while (first.status !== 200) first = await get('posts', ann);
        const poll = waiting('posts', tokenOf(first));
        await delay(200); // so that it waits
        await end();
        expect((await poll).status).to.equal(status);
      });
  });

  describe('for events', () => {
    let bob: string;
    before(async () => {
      await server.admin('PUT', '/roles/1', { actions: reading });
      await change({ rows: null, fields: null });
      bob = (await server.addUser('bob')).jwt;
    });
    const events = (path: string, headers: Record<string, string> = {}) =>
      readEvents(`${server.server.url}/api/sync/${path}`, { authorization: `Bearer ${bob}`, ...headers });

    it('get all entries, then changes, and go on after the last event', async () => {
      const stream = await events('posts?fields=rating');
      const first = await stream.until('uptodate');
      expect(first.map(({ event }) => event)).to.deep.equal([...Array.from({ length: 12 }, () => 'upsert'), 'uptodate']);
      expect(JSON.parse(first[0]?.data ?? '')).to.deep.equal({ id: 1, attributes: { rating: 1 } });
      await put(2, { rating: 50 });
      const [changed, uptodate] = await stream.until('uptodate');
      expect([changed?.event, changed?.data]).to.deep.equal(['upsert', '{"id":2,"attributes":{"rating":50}}']);
      stream.close();
      await server.as(server.editor, 'DELETE', '/api/posts/2');
      await server.logged();
      const next = await events('posts?fields=rating', { 'last-event-id': uptodate?.id ?? '' });
      const [gone, end] = await next.until('uptodate');
      expect([gone?.event, gone?.data, end?.event]).to.deep.equal(['delete', '{"id":2}', 'uptodate']);
      expect(end?.data).to.match(/^{"position":"\d+"}$/);
      next.close();
    });

    it('are reported with their route when they end', async () => {
      const reported = new Promise((resolve) => server.server.observer.add({ 'request ended': resolve }));
      const stream = await events('posts?fields=rating');
      await stream.until('uptodate');
      stream.close();
      expect(await reported).to.include({ route: '/api/sync/:plural', status: 200, isAborted: true });
    });

    it('begin a step again if the connection was lost in the middle', async () => {
      const stream = await events('posts?fields=rating');
      const [first] = await stream.until('uptodate');
      stream.close();
      const again = await events('posts?fields=rating', { 'last-event-id': first?.id ?? '' });
      expect(await again.until('uptodate')).to.have.length(12);
      again.close();
    });

    it('get a reset for an event that cannot be followed', async () => {
      const stream = await events('posts', { 'last-event-id': 'nonsense' });
      expect(await stream.until('reset')).to.deep.equal([{ event: 'reset', id: '', data: '{}' }]);
      await stream.ended;
    });

    it('get a reset when the right is revoked', async () => {
      const stream = await events('posts');
      await stream.until('uptodate');
      await server.admin('PUT', '/roles/1', { actions: reading.slice(1) });
      expect((await stream.until('reset')).at(-1)?.event).to.equal('reset');
      await stream.ended;
      expect((await events('posts')).status).to.equal(403);
      await server.admin('PUT', '/roles/1', { actions: reading });
    });

    it('get a reset when the right is revoked while a change wakes all of them', async () => {
      const streams = await Promise.all(Array.from({ length: 10 }, () => events('posts?fields=rating')));
      await Promise.all(streams.map(({ until }) => until('uptodate')));
      const woken = streams[0]?.until('upsert');
      await put(4, { rating: 70 });
      await woken;
      await server.admin('PUT', '/roles/1', { actions: reading.slice(1) });
      await Promise.all(streams.map(({ ended }) => ended));
      for (const { received } of streams) expect(received.at(-1)?.event).to.equal('reset');
      await server.admin('PUT', '/roles/1', { actions: reading });
    });

    it('end without a reset when the token of the user expires, and go on with another one', async () => {
      const { id } = await server.addUser('cid');
      const tokens = userTokens(jwtSecret, '1h');
      const path = 'posts?fields=rating';
      const open = (jwt: string, headers = {}) => events(path, { authorization: `Bearer ${jwt}`, ...headers });
      const stream = await open(tokens.sign({ id, tokenVersion: 0 }, 1));
      await stream.until('uptodate');
      let isOver = false;
      void stream.ended.then(() => (isOver = true));
      for (let rating = 1; !isOver; rating += 1) await put(3, { rating });
      expect(stream.received.map(({ event }) => event)).to.not.include('reset');
      const last = stream.received.at(-1)?.id ?? '';
      const again = await open(tokens.sign({ id, tokenVersion: 0 }), { 'last-event-id': last });
      expect((await again.until('uptodate')).map(({ event }) => event)).to.not.include('reset');
      again.close();
    });

    it('end without a reset when the token of the user is revoked', async () => {
      const stream = await events('posts');
      await stream.until('uptodate');
      await server.database.db.collection('up_users').updateOne({ username: 'bob' }, { $set: { _tokenVersion: 5 } });
      await stream.ended;
      expect(stream.received.map(({ event }) => event)).to.not.include('reset');
      expect((await events('posts')).status).to.equal(401);
    });
  });
});

describe('pages of a first load', () => {
  let server: ServingSync;
  before(async () => {
    const documents = Array.from({ length: 50 }, (_, index) => ({
      _id: index + 1,
      title: `p${String(index)}`,
      locale: 'en',
      publishedAt: new Date(0),
    }));
    server = await serveSync({
      models: syncModels,
      documents: { posts: documents },
      config: { api: { sync: { pageSize: 7 } } as object },
    });
  });
  after(() => server.stop());

  it('go on in the middle while entries change', async () => {
    const rows = server.database.db.collection<{ _id: number }>('posts');
    const copy = server.copyOf(server.editor, 'posts');
    for (let page = 0; page < 4; page += 1) expect(await copy.step()).to.deep.equal({ status: 200, more: true });
    await rows.deleteOne({ _id: 3 });
    await rows.updateOne({ _id: 5 }, { $set: { title: 'behind' } } as object);
    await rows.updateOne({ _id: 45 }, { $set: { title: 'ahead' } } as object);
    await rows.insertMany(
      [{ _id: -4 }, { _id: 100 }].map((one) => ({ ...one, title: 'new', locale: 'en', publishedAt: new Date(0) })),
    );
    await server.expectEqual([copy, server.editor, 'posts']);
    expect(copy.resets).to.equal(0);
  });
});
