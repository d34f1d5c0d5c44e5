import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { type Agent, connectNew } from '../mcp/agents.js';

const title = { title: { type: 'string' } };
const models = [
  collectionType('page', title, { options: { draftAndPublish: true, drafts: 'beside' } }),
  { ...collectionType('home', title, { options: { draftAndPublish: true, drafts: 'beside' } }), kind: 'singleType' },
  collectionType('note', title, { options: { draftAndPublish: true } }),
];

describe('a draft beside the published entry, for agents', () => {
  let serving: Serving;
  let agent: Agent;
  const serve = async (publish: boolean): Promise<void> => {
    serving = await serveModels({ models, config: { api: { mcp: { enabled: true, public: true, publish } } } });
    agent = await connectNew(`${serving.server.url}/mcp`);
  };
  afterEach(async () => {
    await agent.close();
    await serving.stop();
  });

  const call = async (name: string, input: object) => {
    const { content, isError, text } = await agent.call(name, input);
    expect(isError, text).to.equal(false);
    return content;
  };
  const live = async (path: string): Promise<unknown> => (await serving.call('GET', path)).body.data?.attributes.title ?? null;
  const make = async (): Promise<number> =>
    (await serving.call('POST', '/api/pages', { data: { title: 'live' } })).body.data.id as number;

  it('is what their updates change, and what they read', async () => {
    await serve(false);
    const id = await make();
    const read = async () => (await call('get', { type: 'page', id })).entry;
    const first = await read();
    const update = (version: unknown, data: object, more: object = {}) =>
      agent.call('update', { type: 'page', id, version, data, ...more });
    expect((await update(first._version, { title: 'draft' })).content.entry.title).to.equal('draft');
    expect([await live(`/api/pages/${String(id)}`), (await read()).title]).to.eql(['live', 'draft']);
    expect((await call('find', { type: 'page', status: 'all' })).entries[0].title).to.equal('draft');
    expect((await call('find', { type: 'page' })).entries[0].title).to.equal('live');
    const stale = await update(first._version, { title: 'late' });
    expect([stale.isError, stale.content.entry?.title ?? stale.content.current?.title]).to.eql([true, 'draft']);
    const { _version } = await read();
    const tried = await update(_version, { title: 'tried' }, { dryRun: true });
    expect([tried.content.entry.title, (await read()).title]).to.eql(['tried', 'draft']);
    const refused = await update(_version, { title: 'public' }, { status: 'published' });
    expect([refused.isError, refused.text.includes('Agents change drafts here')]).to.eql([true, true]);
    await call('delete', { type: 'page', id, version: _version });
    expect(await live(`/api/pages/${String(id)}`)).to.equal(null);
  });

  it('is published by them, or left alone, where they may publish', async () => {
    await serve(true);
    const id = await make();
    const read = async (more: object = {}) => (await call('get', { type: 'page', id, ...more })).entry;
    const key = async (more: object = {}) => ({ type: 'page', id, version: (await read(more))._version });
    await call('update', { ...(await key()), data: { title: 'draft' } });
    const published = { status: 'published' };
    await call('update', { ...(await key(published)), data: { title: 'changed' }, ...published });
    expect([await live(`/api/pages/${String(id)}`), (await read()).title]).to.eql(['changed', 'draft']);
    expect((await call('publish', await key())).entry.title).to.equal('draft');
    expect(await live(`/api/pages/${String(id)}`)).to.equal('draft');
  });

  it('is that of a single type too, and of no other types', async () => {
    await serve(true);
    await call('create', { type: 'home', data: { title: 'live' }, status: 'published' });
    const version = (await call('get', { type: 'home' })).entry._version as string;
    await call('update', { type: 'home', version, data: { title: 'draft' } });
    expect(await live('/api/home')).to.equal('live');
    expect((await call('get', { type: 'home', status: 'all' })).entry.title).to.equal('draft');
    const { entry } = await call('create', { type: 'note', data: { title: 'note' }, status: 'published' });
    const note = { type: 'note', id: entry.id as number, version: entry._version as string, data: { title: 'newer' } };
    const refused = await agent.call('update', { ...note, status: 'draft' });
    expect([refused.isError, refused.text.includes('note has no drafts beside published entries')]).to.eql([true, true]);
    await call('update', note);
    expect(await live(`/api/notes/${String(entry.id)}`)).to.equal('newer');
  });
});
