import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { connectOld } from './agents.js';
import { listen, type Stream } from './listening.js';

const synced = { pluginOptions: { sync: { enabled: true } } };
const user = { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' };
const models = [
  collectionType('post', { title: { type: 'string' }, owner: user }, synced),
  collectionType('page', { title: { type: 'string' } }, synced),
  collectionType('plain', { title: { type: 'string' } }),
  { ...collectionType('home', { title: { type: 'string' } }), kind: 'singleType' },
];
const named = (name: string, ...actions: readonly string[]) => actions.map((action) => `api::${name}.${name}.${action}`);
const reading = [
  ...named('post', 'find', 'findOne'),
  ...named('page', 'find', 'findOne'),
  ...named('plain', 'find', 'findOne'),
  ...named('home', 'find'),
];
const own = { 'api::post.post': { owner: { id: { $eq: '$user.id' } } } };

describe('an agent that follows resources', () => {
  let database: FreshDatabase;
  let server: ServingAccounts;
  let editor: string;
  let ann: { readonly id: number; readonly jwt: string };
  let bob: { readonly id: number; readonly jwt: string };
  let streams: Stream[] = [];

  const config = { api: { mcp: { enabled: true }, sync: { connectionsPerCaller: 4 } } };
  const serve = () => serveAccounts({ models, database, config: config as object });

  before(async () => {
    database = await freshDatabase();
    server = await serve();
    editor = (await server.admin('POST', '/tokens', { name: 'editor', type: 'full-access' })).body.data.accessKey;
    await server.admin('PUT', '/roles/2', { actions: ['plugin::users-permissions.auth.callback'] });
    await server.admin('PUT', '/roles/1', { actions: reading });
    [ann, bob] = [await server.addUser('ann'), await server.addUser('bob')];
    for (const owner of [ann, bob]) await write('POST', 'posts', { title: 'first', owner: owner.id });
    for (const title of ['one', 'two']) await write('POST', 'pages', { title });
    await write('PUT', 'home', { title: 'home' });
    await write('POST', 'plains', { title: 'plain' });
  });
  beforeEach(async () => {
    expect((await server.admin('PUT', '/roles/1', { actions: reading })).status).to.equal(200);
    expect((await server.admin('PUT', '/roles/1/rules', { rows: own })).status).to.equal(200);
  });
  afterEach(async () => {
    for (const { close } of streams) await close();
    streams = [];
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });

  const write = async (method: string, path: string, data?: object) => {
    const { status, body } = await server.as(editor, method, `/api/${path}`, data && { data });
    expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
  };
  const follow = async (resources: readonly string[], { url, token = ann.jwt }: { url?: string; token?: string } = {}) => {
    const stream = await listen(url ?? server.server.url, token, resources);
    streams.push(stream);
    return stream;
  };

  it('is told which of them it may follow', async () => {
    const known = ['mangrove://types', 'mangrove://types/page', 'mangrove://post/1', 'mangrove://page/2', 'mangrove://pages/2'];
    const others = [
      'mangrove://plain/1',
      'mangrove://home/1',
      'mangrove://secret/1',
      'mangrove://types/secret',
      'mangrove://page/x',
    ];
    const { subscription } = await follow([...others, ...known, ...known, 'file:///etc/passwd']);
    expect(subscription.honoredFilter).to.deep.equal({ resourceSubscriptions: known });
    const none = await follow(others);
    expect(none.subscription.honoredFilter).to.deep.equal({});
    expect(await none.subscription.closed).to.equal('graceful');
  });

  it('hears of changes of the entries that it follows alone', async () => {
    const { uris, heard, forget } = await follow(['mangrove://page/1', 'mangrove://pages/1', 'mangrove://page/9']);
    await write('PUT', 'pages/2', { title: 'other' });
    await write('PUT', 'pages/1', { title: 'new' });
    await heard('mangrove://page/1');
    await heard('mangrove://pages/1');
    expect(uris).to.deep.equal(['mangrove://page/1', 'mangrove://pages/1']);
    forget();
    await write('POST', 'pages', { title: 'third' });
    await write('PUT', 'pages/1', { title: 'newer' });
    await heard('mangrove://page/1');
    expect(uris).to.not.include('mangrove://page/9');
  });

  it('hears of an entry that is created later, and of its end', async () => {
    const { body } = await server.as(editor, 'POST', '/api/pages', { data: { title: 'last' } });
    const id = Number(body.data.id) + 1;
    const uri = `mangrove://page/${String(id)}`;
    const { heard, forget } = await follow([uri]);
    await write('POST', 'pages', { title: 'next' });
    await heard(uri);
    forget();
    await write('DELETE', `pages/${String(id)}`);
    await heard(uri);
  });

  it('hears nothing of entries that a row rule hides, neither of their changes nor of their end', async () => {
    const created = await server.as(editor, 'POST', '/api/posts', { data: { title: 'of bob', owner: bob.id } });
    const id = String(created.body.data.id);
    const { uris, heard } = await follow([
      'mangrove://post/1',
      'mangrove://post/2',
      `mangrove://post/${id}`,
      'mangrove://post/99',
    ]);
    await write('PUT', 'posts/2', { title: 'changed' });
    await write('DELETE', `posts/${id}`);
    await write('PUT', 'posts/1', { title: 'changed' });
    await heard('mangrove://post/1');
    expect(uris).to.deep.equal(['mangrove://post/1']);
  });

  it('hears once of an entry that it may see no more, and then nothing', async () => {
    const { uris, heard, forget } = await follow(['mangrove://post/1', 'mangrove://post/2', 'mangrove://page/1']);
    await server.admin('PUT', '/roles/1/rules', { rows: { 'api::post.post': { title: 'nothing' } } });
    await heard('mangrove://post/1');
    expect(uris).to.deep.equal(['mangrove://post/1']);
    forget();
    await write('PUT', 'posts/1', { title: 'unseen' });
    await write('PUT', 'posts/2', { title: 'unseen' });
    await write('PUT', 'pages/1', { title: 'seen' });
    await heard('mangrove://page/1');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(uris).to.deep.equal(['mangrove://page/1']);
  });

  it('hears of an entry that it may see from now on', async () => {
    const { heard } = await follow(['mangrove://post/2']);
    await server.admin('PUT', '/roles/1/rules', { rows: null });
    await heard('mangrove://post/2');
  });

  for (const [right, actions] of [
    ['to find', reading.filter((action) => action !== 'api::post.post.find')],
    ['to read one entry', reading.filter((action) => action !== 'api::post.post.findOne')],
  ] as const)
    it(`is ended when it loses the right ${right}`, async () => {
      const { uris, subscription } = await follow(['mangrove://post/1']);
      await server.admin('PUT', '/roles/1', { actions });
      await write('PUT', 'posts/1', { title: 'unseen' });
      expect(await subscription.closed).to.equal('graceful');
      expect(uris).to.deep.equal([]);
    });

  it('is ended when its user is blocked', async () => {
    const eve = await server.addUser('eve');
    const { subscription } = await follow(['mangrove://page/1'], { token: eve.jwt });
    await server.admin('PUT', `/users/${String(eve.id)}`, { blocked: true });
    expect(await subscription.closed).to.equal('graceful');
  });

  it('hears of changes by another instance', async () => {
    const other = await serve();
    const { heard } = await follow(['mangrove://page/1'], { url: other.server.url });
    await write('PUT', 'pages/1', { title: 'elsewhere' });
    await heard('mangrove://page/1');
    await other.stop();
  });

  it('hears of changes of types, and of its rights on them', async () => {
    const { uris, heard } = await follow(['mangrove://types', 'mangrove://types/page', 'mangrove://types/plain']);
    await server.admin('PUT', '/roles/1', { actions: [...reading, ...named('page', 'update')] });
    await heard('mangrove://types');
    await heard('mangrove://types/page');
    expect(uris).to.not.include('mangrove://types/plain');
  });

  it('is refused too many resources, and too many streams', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `mangrove://page/${String(index + 1)}`);
    expect(await follow(many).catch(String)).to.contain('at most 100 resources');
    await follow(['mangrove://page/1']); // the stream, and its type
    await follow(['mangrove://types']);
    expect(await follow(['mangrove://page/1']).catch(String)).to.contain('Too many requests wait for changes');
    await follow(['mangrove://types']);
    expect(await follow(['mangrove://types']).catch(String)).to.contain('Too many requests wait for changes');
    for (const { close } of streams.splice(0)) await close();
    let isFree = false;
    while (!isFree)
      isFree = await follow(['mangrove://page/1', 'mangrove://post/1']).then(
        () => true,
        () => false,
      );
  });

  it('is told of the end by a service that stops', async () => {
    const other = await serve();
    const { subscription } = await follow(['mangrove://page/1', 'mangrove://types'], { url: other.server.url });
    await other.stop();
    expect(await subscription.closed).to.equal('graceful');
  });

  it('of a revision with sessions is not told that it could', async () => {
    const agent = await connectOld(`${server.server.url}/mcp`, ann.jwt);
    expect(agent.capabilities).to.deep.include({ resources: {} });
    await agent.close();
  });
});
