import { expect } from 'chai';
import { accountModels, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import { type Agent, connectNew } from './agents.js';

const types = ['api::article.article', 'api::note.note'];
const all = ['find', 'findOne', 'create', 'update', 'delete'];
const own = { owner: { id: { $eq: '$user.id' } } };
const secret = collectionType('secret', { title: { type: 'string' } });

describe('an agent of a user with rules', () => {
  let server: ServingAccounts;
  let ann: { readonly id: number; readonly jwt: string };
  let agent: Agent;

  before(async () => {
    server = await serveAccounts({ models: [...accountModels, secret], config: { api: { mcp: { enabled: true } } } });
    const actions = types.flatMap((uid) => all.map((action) => `${uid}.${action}`));
    await server.admin('PUT', '/roles/2', { actions: ['plugin::users-permissions.auth.callback'] });
    await server.admin('PUT', '/roles/1', { actions });
    ann = await server.addUser('ann');
    const bob = await server.addUser('bob');
    const key = (await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' })).body.data.accessKey;
    const load = (path: string, data: object) => server.as(key, 'POST', path, { data });
    await load('/api/articles', { title: 'of ann', price: 1, owner: ann.id });
    await load('/api/articles', { title: 'of bob', price: 2, owner: bob.id });
    await load('/api/notes', { text: 'a1', owner: ann.id, article: 1 });
    await load('/api/notes', { text: 'b1', owner: bob.id, article: 1 });
    await load('/api/secrets', { title: 'hidden' });
    const rules = {
      rows: { 'api::article.article': own, 'api::note.note': own },
      fields: { 'api::article.article': { deny: ['price'] } },
    };
    expect((await server.admin('PUT', '/roles/1/rules', rules)).status).to.equal(200);
    agent = await connectNew(`${server.server.url}/mcp`, ann.jwt);
  });
  after(async () => {
    await agent.close();
    await server.stop();
  });

  it('sees the types of its role alone', async () => {
    const { content } = await agent.call('describe');
    expect(content.types.map(({ type }: { type: string }) => type)).to.deep.equal(['article', 'note']);
    const hidden = await agent.call('find', { type: 'secret' });
    const absent = await agent.call('find', { type: 'scarab' });
    expect(hidden.text.replace('secret', 'scarab')).to.equal(absent.text);
  });

  it('finds, counts and gets its own entries alone', async () => {
    const { content } = await agent.call('find', { type: 'article', populate: ['notes'] });
    expect(content.total).to.equal(1);
    expect(content.entries[0].notes.map(({ text }: { text: string }) => text)).to.deep.equal(['a1']);
    expect((await agent.call('count', { type: 'note' })).content).to.deep.equal({ count: 1 });
    expect((await agent.call('get', { type: 'article', id: 2 })).content.error.status).to.equal(404);
  });

  it('changes its own entries alone, and is told no version of others', async () => {
    for (const [name, input] of [
      ['update', { data: { title: 'x' } }],
      ['delete', {}],
    ] as const) {
      const answer = await agent.call(name, { type: 'article', id: 2, version: 'a.1', ...input });
      expect(answer.content.error, answer.text).to.include({ status: 404 });
      expect(answer.content).to.not.have.property('entry');
    }
  });

  it('is told of hidden attributes as of unknown ones', async () => {
    const { content } = await agent.call('describe', { type: 'article' });
    expect(content.schema.properties).to.not.have.property('price');
    const same = async (name: string, input: (attribute: string) => object): Promise<void> => {
      const [hidden, absent] = [await agent.call(name, input('price')), await agent.call(name, input('prizz'))];
      expect(hidden.isError).to.equal(true);
      expect(hidden.text.replaceAll('price', 'prizz')).to.equal(absent.text);
    };
    await same('find', (name) => ({ type: 'article', filters: { [name]: 1 } }));
    await same('find', (name) => ({ type: 'article', sort: name }));
    await same('find', (name) => ({ type: 'article', fields: [name] }));
    await same('create', (name) => ({ type: 'article', data: { [name]: 1 } }));
    expect((await agent.call('find', { type: 'article', filters: { prise: 1 } })).text).to.not.contain('price');
    expect((await agent.call('get', { type: 'article', id: 1 })).content.entry).to.not.have.property('price');
  });

  it('owns what it creates', async () => {
    const { content, text } = await agent.call('create', { type: 'note', data: { text: 'new' } });
    expect(content.entry?.text, text).to.equal('new');
    expect((await agent.call('count', { type: 'note' })).content).to.deep.equal({ count: 2 });
  });
});
