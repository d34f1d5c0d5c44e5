import { request } from 'node:http';
import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { type Agent, connectNew } from './agents.js';

const localized = { pluginOptions: { i18n: { localized: true } } };
const at = new Date(0);
const locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at }));
const models = [
  collectionType('page', { text: { type: 'text', ...localized } }, localized),
  collectionType('role', { text: { type: 'text' } }),
  { ...collectionType('home', { title: { type: 'string' } }), kind: 'singleType' },
];

describe('refusals of agents', () => {
  let server: Serving;
  let agent: Agent;
  let page: { readonly id: number; readonly version: string };

  before(async () => {
    server = await serveModels({
      models,
      documents: { i18n_locales: locales },
      config: { api: { mcp: { enabled: true, public: true } } },
    });
    agent = await connectNew(`${server.server.url}/mcp`);
    const { entry } = (await agent.call('create', { type: 'page', data: { text: 'tea' } })).content;
    page = { id: entry.id, version: entry._version };
  });
  after(async () => {
    await agent.close();
    await server.stop();
  });

  const long = 'a'.repeat(500_000);
  for (const [title, input] of [
    ['a type', { type: long }],
    ['an argument', { type: 'page', [long]: 1 }],
  ] as const)
    it(`take no time for a name of ${title} of any length, and repeat its beginning`, async () => {
      const { isError, text } = await agent.call('find', input);
      expect(isError).to.equal(true);
      expect(text.length).to.be.lessThan(1_000);
      expect(text).to.contain(`${'a'.repeat(59)}…`);
    }).timeout(2_000);

  it('name at most ten of many unknown arguments', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`unknown${String(index)}`, 1]));
    const { content } = await agent.call('find', { type: 'page', ...many });
    expect(content.error.details.errors).to.have.length(10);
  });

  it('refuse a key __proto__ in arguments', async () => {
    const input = JSON.parse('{"type":"page","filters":{"__proto__":{"text":"x"}}}') as object;
    expect(await agent.call('find', input).catch(String)).to.contain('a key that is not allowed');
  });

  const stored = () => ({ type: 'page', ...page });
  const wrong: readonly (readonly [name: string, input: () => object, text: string])[] = [
    ['update', () => ({ ...stored(), locale: 'fr', data: { text: 'x' } }), 'Argument locale is only for single types here'],
    ['delete', () => ({ ...stored(), locale: 'fr' }), 'Argument locale is only for single types here'],
    ['find', () => ({ type: 'page', locale: 'xx' }), 'Argument locale must be one of en, fr'],
    ['get', () => ({ type: 'page', id: 1, locale: 'all' }), 'Argument locale must be one of en, fr'],
    ['create', () => ({ type: 'page', data: {}, locale: 'xx' }), 'Argument locale must be one of en, fr'],
    ['find', () => ({ type: 'role', locale: 'en' }), 'Argument locale is not for role: it has no translations'],
    ['get', () => ({ type: 'home', id: 1 }), 'Argument id is not for home: it is a single type'],
    ['update', () => ({ type: 'home', id: 1, version: '1.1', data: {} }), 'Argument id is not for home: it is a single type'],
    ['describe', () => ({ type: 'page', cursor: 'role' }), 'Argument cursor is not for one type'],
    ['create', () => ({ type: 'page', data: {}, key: 'x' }), 'key must have at least'],
  ];
  for (const [name, input, text] of wrong)
    it(`name the wrong argument: ${name} ${text}`, async () => {
      const answer = await agent.call(name, input());
      expect(answer.isError).to.equal(true);
      expect(answer.text).to.contain(text);
      const { entry } = (await agent.call('get', { type: 'page', id: page.id })).content;
      expect(entry).to.include({ _version: page.version, text: 'tea' });
    });

  it('read the entries of all locales', async () => {
    const { content, text } = await agent.call('find', { type: 'page', locale: 'all' });
    expect(content?.total, text).to.equal(1);
  });

  it('have the current entry in their text', async () => {
    const refused = await agent.call('update', { ...stored(), version: 'old.1', data: { text: 'x' } });
    expect(JSON.parse(refused.text.split('\n').at(-1) ?? '')).to.deep.equal({ entry: refused.content.entry });
    expect(refused.content.entry._version).to.equal(page.version);
  });

  it('do not take a type of the project for one of a plugin with the same name', async () => {
    expect((await agent.call('count', { type: 'role' })).content).to.deep.equal({ count: 0 });
    expect((await agent.call('count', { type: 'roles' })).content).to.deep.equal({ count: 0 });
  });

  it('do not come from a header Host that is no address', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const headers = {
      ...{ host: 'x:99999', 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    };
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${server.server.url}/mcp`, { method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    });
    expect(status).to.equal(200);
  });
});

it('an agent of a service with api.mcp.readOnly is not offered the tools that write', async () => {
  const config = { api: { mcp: { enabled: true, public: true, publish: true, readOnly: true } } };
  const server = await serveModels({ models, config });
  const agent = await connectNew(`${server.server.url}/mcp`);
  const names = (await agent.tools()).map(({ name }) => name);
  expect(names).to.deep.equal(['describe', 'find', 'get', 'count', 'aggregate']);
  const refused = await agent.call('create', { type: 'role', data: {} }).catch(String);
  expect(refused).to.contain('Unknown tool: create');
  await agent.close();
  await server.stop();
});
