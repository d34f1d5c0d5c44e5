import { expect } from 'chai';
import { features } from '#features.js';
import type { Feature } from '#http/feature.js';
import type { Database } from '#store/send/database.js';
import { collectionType } from '../../support/collection-type.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { Receiver } from '../../support/receiver.js';
import { serveModels, type Answer, type Serving } from '../../support/serve.js';

const localized = { i18n: { localized: true } };
const options = { draftAndPublish: true, drafts: 'beside' };
const models = [
  collectionType(
    'page',
    { title: { type: 'string', pluginOptions: localized }, size: { type: 'integer' } },
    { options, pluginOptions: localized },
  ),
  collectionType(
    'post',
    { title: { type: 'string', required: true }, kind: { type: 'string' } },
    {
      options,
      pluginOptions: { sync: { enabled: true } },
    },
  ),
  { ...collectionType('home', { title: { type: 'string' } }, { options }), kind: 'singleType' },
];
const adminToken = 'an-admin-token-of-more-than-32-characters';
const preview = 'publicationState=preview';
const published = () => ({ publishedAt: new Date().toISOString() });

describe('other writes and drafts beside published entries', () => {
  let database: FreshDatabase;
  let serving: Serving;
  let call: Serving['call'];

  before(async () => {
    database = await freshDatabase();
    const locales = database.db.collection<{ _id: number }>('i18n_locales');
    await locales.insertMany([
      { _id: 1, ...{ code: 'en', name: 'English' } },
      { _id: 2, ...{ code: 'fr', name: 'French' } },
    ]);
    const config = { admin: { token: adminToken }, webhooks: { allowPrivate: true } };
    serving = await serveModels({ models, database, config });
    ({ call } = serving);
  });
  after(async () => {
    await serving.stop();
    await database.drop();
  });

  const send = async (method: string, path: string, data: object): Promise<Answer> => {
    const answer = await call(method, path, { data });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer;
  };
  const make = async (data: object, path = 'posts'): Promise<number> =>
    (await send('POST', `/api/${path}`, data)).body.data.id as number;
  const saveDraft = (id: number, data: object, path = 'posts') => send('PUT', `/api/${path}/${String(id)}?status=draft`, data);
  const shown = async (path: string) => (await call('GET', path)).body.data.attributes as Record<string, unknown>;
  const both = async (path: string): Promise<readonly unknown[]> => [
    (await shown(path))['title'],
    (await shown(`${path}?${preview}`))['title'],
  ];

  it('of a batch are refused unless they say which one they mean', async () => {
    const id = await make({ title: 'live' });
    await saveDraft(id, { title: 'draft' });
    const batch = (path: string, data: object) =>
      call('POST', '/api/batch', { transaction: true, requests: [{ method: 'PUT', path, body: { data } }] });
    expect((await batch(`/posts/${String(id)}`, { title: 'other' })).status).to.equal(409);
    expect((await batch(`/posts/${String(id)}?status=draft`, { title: 'newer draft' })).status).to.equal(200);
    expect(await both(`/api/posts/${String(id)}`)).to.eql(['live', 'newer draft']);
    expect((await batch(`/posts/${String(id)}`, published())).status).to.equal(200);
    expect(await both(`/api/posts/${String(id)}`)).to.eql(['newer draft', 'newer draft']);
  });

  it('of a push are conflicts', async () => {
    const id = await make({ title: 'live' });
    await saveDraft(id, { title: 'draft' });
    const write = {
      key: '0123456789abcdef0123456789abcdef',
      type: 'posts',
      method: 'update',
      id,
      data: { title: 'pushed' },
      base: {},
    };
    const { status, body } = await call('POST', '/api/sync/push', { writes: [write] });
    expect(status, JSON.stringify(body)).to.be.oneOf([200, 400]);
    expect(JSON.stringify(body)).to.not.contain('"applied"');
    expect(await both(`/api/posts/${String(id)}`)).to.eql(['live', 'draft']);
  });

  it('reach other locales with shared values when the draft is published', async () => {
    const id = await make({ title: 'live', size: 1 }, 'pages');
    const french = (await call('POST', `/api/pages/${String(id)}/localizations`, { locale: 'fr', title: 'fr' })).body
      .id as number;
    await saveDraft(id, { title: 'draft', size: 2 }, 'pages');
    const sizes = async () => [
      (await shown(`/api/pages/${String(id)}`))['size'],
      (await shown(`/api/pages/${String(french)}`))['size'],
    ];
    expect(await sizes()).to.eql([1, 1]);
    await send('PUT', `/api/pages/${String(id)}`, published());
    expect(await sizes()).to.eql([2, 2]);
  });

  it('are seen by facets of previews, and not by the live ones', async () => {
    const id = await make({ title: 'facet', kind: 'old' });
    await saveDraft(id, { kind: 'new' });
    const facets = async (query: string): Promise<unknown> =>
      (await call('GET', `/api/posts?filters[title]=facet&facets=kind&${query}`)).body.meta.facets.kind;
    expect(await facets('')).to.eql([{ value: 'old', count: 1 }]);
    expect(await facets(preview)).to.eql([{ value: 'new', count: 1 }]);
  });

  it('of a single type keep a draft beside its entry', async () => {
    await send('PUT', '/api/home', { title: 'live' });
    await send('PUT', '/api/home?status=draft', { title: 'draft' });
    expect(await both('/api/home')).to.eql(['live', 'draft']);
    expect((await call('PUT', '/api/home', { data: { title: 'other' } })).status).to.equal(409);
    await send('PUT', '/api/home', published());
    expect(await both('/api/home')).to.eql(['draft', 'draft']);
    await send('PUT', '/api/home?status=draft', { title: 'last' });
    expect((await call('DELETE', '/api/home')).status).to.equal(200);
    expect((await call('GET', `/api/home?${preview}`)).status).to.equal(404);
  });

  it('are told to webhooks as entry.draft, and to sync only when published', async () => {
    const receiver = new Receiver();
    await receiver.listen();
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'hook', url: receiver.url(), events: ['entry.draft', 'entry.publish'] });
    const hooks = `${serving.server.url}/admin/api/webhooks`;
    const { data: hook } = (await (await fetch(hooks, { method: 'POST', headers, body })).json()) as { data: { id: number } };
    const id = await make({ title: 'told' });
    const copied = (await call('GET', '/api/sync/posts')).body.meta.sync.token as string;
    await saveDraft(id, { title: 'told draft' });
    const changes = async (): Promise<string> =>
      JSON.stringify(
        (await call('GET', `/api/sync/posts?since=${encodeURIComponent(copied)}&token=${encodeURIComponent(copied)}`)).body,
      );
    await serving.settled();
    expect(await changes()).to.not.contain('told draft');
    await send('PUT', `/api/posts/${String(id)}`, published());
    const received = await receiver.until(2);
    expect(received.map(({ body: sent }) => [sent.type, sent.data.entry.title])).to.eql([
      ['entry.draft', 'told draft'],
      ['entry.publish', 'told draft'],
    ]);
    await fetch(`${hooks}/${String(hook.id)}`, { method: 'DELETE', headers });
    await receiver.close();
  });

  it('that publish and save a draft at once lose neither', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await make({ title: 'live', kind: 'live' });
      await saveDraft(id, { title: 'first' });
      const path = `/api/posts/${String(id)}`;
      const [publish, save] = await Promise.all([
        call('PUT', path, { data: published() }),
        call('PUT', `${path}?status=draft`, { data: { kind: 'second' } }),
      ]);
      expect([publish.status, save.status]).to.eql([200, 200]);
      const [live, draft] = [await shown(path), await shown(`${path}?${preview}`)];
      expect([live['title'], draft['title'], draft['kind']]).to.eql(['first', 'first', 'second']);
    }
  });
});

describe('drafts beside published entries of a standalone server', () => {
  it('are saved, published and refused as with transactions', async () => {
    const standalone: Feature = {
      name: 'standalone',
      start: ({ source }) =>
        void Object.assign(source.store.database as { -readonly [Name in keyof Database]: Database[Name] }, {
          isReplicated: false,
        }),
    };
    const serving = await serveModels({ models, features: [standalone, ...features] });
    const put = async (query: string, data: object): Promise<number> =>
      (await serving.call('PUT', `/api/posts/1${query}`, { data })).status;
    const titles = async (): Promise<unknown> =>
      Promise.all(
        ['', `?${preview}`].map(async (query) => (await serving.call('GET', `/api/posts/1${query}`)).body.data.attributes.title),
      );
    expect((await serving.call('POST', '/api/posts', { data: { title: 'live' } })).status).to.equal(200);
    expect(await put('?status=draft', { title: null })).to.equal(200);
    expect(await put('', published())).to.equal(400);
    expect(await titles()).to.eql(['live', null]);
    expect(await put('', { title: 'other' })).to.equal(409);
    expect(await put('?status=draft', { title: 'draft' })).to.equal(200);
    expect(await put('', published())).to.equal(200);
    expect(await titles()).to.eql(['draft', 'draft']);
    await serving.stop();
  });
});
