import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import { createLog, type Log } from '../../support/create-log.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { type Agent, connectNew } from './agents.js';

const localized = { pluginOptions: { i18n: { localized: true } } };
const models = [
  collectionType('page', { title: { type: 'string' } }, { options: { draftAndPublish: true } }),
  collectionType('code', {
    value: { type: 'string', unique: true },
    pages: { type: 'relation', relation: 'oneToMany', target: 'api::page.page' },
  }),
  { ...collectionType('home', { title: { type: 'string' } }), kind: 'singleType' },
];
const named = (name: string, ...ends: readonly string[]) => ends.map((end) => `api::${name}.${name}.${end}`);
const all = ['find', 'findOne', 'create', 'update', 'delete'];
const actions = [...named('page', ...all), ...named('code', ...all), ...named('home', 'find', 'update', 'delete')];

describe('writes of agents of users', () => {
  let server: ServingAccounts;
  const users: { readonly jwt: string; readonly agent: Agent }[] = [];

  before(async () => {
    server = await serveAccounts({ models, config: { api: { mcp: { enabled: true } } } });
    await server.admin('PUT', '/roles/2', { actions: ['plugin::users-permissions.auth.callback'] });
    expect((await server.admin('PUT', '/roles/1', { actions })).status).to.equal(200);
    for (const name of ['ann', 'bob']) {
      const { jwt } = await server.addUser(name);
      users.push({ jwt, agent: await connectNew(`${server.server.url}/mcp`, jwt) });
    }
  });
  after(async () => {
    for (const { agent } of users) await agent.close();
    await server.stop();
  });

  it('with the same key are those of each user', async () => {
    const input = { type: 'page', data: { title: 'keyed' }, key: '0123456789abcdef' };
    const ids = [];
    for (const { agent } of [...users, ...users]) ids.push((await agent.call('create', input)).content.entry.id);
    expect(ids[0]).to.not.equal(ids[1]);
    expect(ids.slice(2)).to.deep.equal(ids.slice(0, 2));
  });

  it('publish nothing unless the configuration allows it', async () => {
    const agent = users[0]?.agent as Agent; // made before
    const made = (await agent.call('create', { type: 'page', data: { title: 'draft' } })).content.entry;
    expect(made.publishedAt).to.equal(null);
    const stored = { type: 'page', id: made.id, version: made._version };
    const refused = await agent.call('update', { ...stored, data: { publishedAt: new Date().toISOString() } });
    expect(refused.text).to.contain('publishedAt is not part of data');
    expect((await agent.tools()).map(({ name }) => name)).to.not.include.members(['publish']);
    for (const name of ['publish', 'unpublish']) expect(await agent.call(name, stored).catch(String)).to.contain('Unknown tool');
    expect((await agent.call('get', { type: 'page', id: made.id })).content.entry).to.deep.equal(made);
  });

  it('answer to the entry of a single type that a rule hides as REST does', async () => {
    const [, { jwt, agent } = { jwt: '', agent: null }] = users;
    const loader = (await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' })).body.data.accessKey;
    await server.as(loader, 'PUT', '/api/home', { data: { title: 'hidden' } });
    const rows = { 'api::home.home': { title: { $eq: 'shown' } } };
    expect((await server.admin('PUT', '/roles/1/rules', { rows })).status).to.equal(200);
    const rest = await server.as(jwt, 'PUT', '/api/home', { data: { title: 'shown' } });
    const tool = await agent?.call('create', { type: 'home', data: { title: 'shown' } });
    expect(tool?.content.error).to.include({ status: rest.status, message: rest.body.error.message });
    expect(rest.status).to.equal(404);
    await server.admin('PUT', '/roles/1/rules', { rows: null });
    const shown = await agent?.call('create', { type: 'home', data: { title: 'other' } });
    expect(shown?.content.error.status).to.equal(412);
  });
});

describe('an agent', () => {
  let server: Serving;
  let agent: Agent;
  let log: Log;

  before(async () => {
    server = await serveModels({
      models,
      logger: (log = await createLog()).logger,
      config: {
        api: { mcp: { enabled: true, public: true }, limits: { entriesRead: 50 } },
        middlewares: { body: { jsonLimit: 100_000 } },
      },
    });
    agent = await connectNew(`${server.server.url}/mcp`);
  });
  after(async () => {
    await agent.close();
    await server.stop();
  });

  const post = (body: object) =>
    fetch(`${server.server.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(body),
    });

  it('waits with a dry run until unique indexes are built, as with a write', async () => {
    let built = (): void => undefined;
    server.server.backend?.store.database.uniques.begin('codes', new Promise((resolve) => (built = resolve)));
    let isAnswered = false;
    const tried = agent.call('create', { type: 'code', data: { value: 'x' }, dryRun: true }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(isAnswered).to.equal(false);
    built();
    expect((await tried).content).to.deep.include({ dryRun: true });
  });

  it('is refused what costs more than a request may, and what is too large', async () => {
    for (let index = 0; index < 60; index++) await server.call('POST', '/api/pages', { data: { title: String(index) } });
    const { isError, content } = await agent.call('find', { type: 'page', limit: 100, status: 'all' });
    expect(isError).to.equal(true);
    expect(content.error.message).to.contain('entriesRead');
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(200_000) })).status).to.equal(413);
  });

  it('reads the entry of a single type as a resource', async () => {
    const { entry } = (await agent.call('create', { type: 'home', data: { title: 'home' } })).content;
    const read = async (id: number) => {
      const params = { uri: `mangrove://home/${String(id)}` };
      return (await (await post({ jsonrpc: '2.0', id: 1, method: 'resources/read', params })).text()).replaceAll('\\"', '"');
    };
    expect(await read(entry.id)).to.contain('"title":"home"');
    expect(await read(entry.id + 1)).to.contain('There is no such home');
  });

  it('is told the quantifiers and functions of a type, and locales only if it has translations', async () => {
    const { content } = await agent.call('describe', { type: 'code' });
    expect(content.quantifiers).to.deep.equal(['$some', '$none', '$every']);
    expect(content.functions).to.deep.include({ string: ['countDistinct', 'min', 'max'] });
    expect((await agent.call('describe', { type: 'page' })).content).to.not.have.property('quantifiers');
    expect((await agent.call('describe')).content).to.not.have.property('locales');
    const other = await serveModels({
      models: [collectionType('text', { title: { type: 'string', ...localized } }, localized)],
      config: { api: { mcp: { enabled: true, public: true } } },
    });
    const reader = await connectNew(`${other.server.url}/mcp`);
    expect((await reader.call('describe')).content.locales).to.deep.equal(['en']);
    await reader.close();
    await other.stop();
  });

  it('leaves errors of the protocol in the log: few, and short ones', async () => {
    for (let index = 0; index < 30; index++) await post({ jsonrpc: '2.0', id: 'x'.repeat(20_000), result: { index } });
    const lines = log.lines.filter((line) => JSON.stringify(line).includes('a message of an agent has failed'));
    expect(lines.length).to.be.greaterThan(0).and.at.most(10);
    for (const line of lines) expect(JSON.stringify(line).length).to.be.below(10_000);
  });
});
