import { expect } from 'chai';
import type { ServingAccounts } from '../../../content/rights/serve-accounts.js';
import { collectionType } from '../../../support/collection-type.js';
import { listen, type Stream } from '../listening.js';
import { endGrants, registerClient, serveOAuth, tokensOf } from './flow.js';

const models = [collectionType('article', { title: { type: 'string' } }, { pluginOptions: { sync: { enabled: true } } })];
const entry = 'mangrove://article/1';
const types = ['mangrove://types', 'mangrove://types/article'];

describe('a stream of a client of OAuth', () => {
  let server: ServingAccounts;
  let client: string;
  let ann: { readonly id: number; readonly jwt: string };
  const streams: Stream[] = [];

  before(async () => {
    server = await serveOAuth({ models });
    ann = await server.addUser('ann');
    client = await registerClient(server);
    await write('POST', 'articles');
  });
  afterEach(async () => {
    for (const { close } of streams.splice(0)) await close();
  });
  after(() => server.stop());

  const write = async (method: string, path: string) => {
    const { status } = await server.as(ann.jwt, method, `/api/${path}`, { data: { title: String(Math.random()) } });
    expect(status).to.be.oneOf([200, 201]);
  };
  const follow = async (token: string, resources: readonly string[]) => {
    const stream = await listen(server.server.url, token, resources);
    streams.push(stream);
    return stream;
  };
  const tokenFor = async (username: string, scopes = ['content:read']): Promise<string> =>
    (await tokensOf(server, { client, username, scopes })).access_token;

  it('tells of entries and types within its scopes', async () => {
    const { heard, subscription } = await follow(await tokenFor('ann'), [entry, ...types]);
    expect(subscription.honoredFilter).to.deep.equal({ resourceSubscriptions: [...types, entry] });
    await write('PUT', 'articles/1');
    await heard(entry);
    const writing = await follow(await tokenFor('ann', ['content:write']), [entry, ...types]);
    expect(writing.subscription.honoredFilter).to.deep.equal({ resourceSubscriptions: types });
  });

  it('ends when its user ends the grant, and tells of nothing after that', async () => {
    const { uris, subscription } = await follow(await tokenFor('ann'), [entry]);
    await endGrants(server, ann.jwt);
    await write('PUT', 'articles/1');
    expect(await subscription.closed).to.equal('graceful');
    expect(uris).to.deep.equal([]);
  });

  it('ends when its user is blocked', async () => {
    const { id } = await server.addUser('eve');
    const { uris, subscription } = await follow(await tokenFor('eve'), [entry]);
    await server.admin('PUT', `/users/${String(id)}`, { blocked: true });
    expect(await subscription.closed).to.equal('graceful');
    expect(uris).to.deep.equal([]);
  });
});
