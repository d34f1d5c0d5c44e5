import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { changingModels } from './changing-models.js';

const type = (name: string, attributes: object) => ({
  ...{ kind: 'collectionType', collectionName: `${name}s`, options: { history: { versions: 20 } } },
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
});
const part = (attributes: object) => ({ info: { displayName: 'part' }, attributes });
const link = (target: string) => ({ type: 'relation', relation: 'oneToOne', target });
const former = {
  title: { type: 'string' },
  size: { type: 'integer' },
  ratio: { type: 'float' },
  status: { type: 'enumeration', enum: ['a', 'b'] },
  text: { type: 'string' },
  gone: { type: 'string' },
  one: { type: 'component', component: 'base.part' },
  list: { type: 'component', component: 'base.part', repeatable: true },
  mate: link('api::mark.mark'),
};
const present = {
  title: { type: 'string' },
  size: { type: 'string' },
  ratio: { type: 'integer' },
  status: { type: 'enumeration', enum: ['a'] },
  text: { type: 'string', maxLength: 3 },
  one: { type: 'component', component: 'base.part', repeatable: true },
  list: { type: 'component', component: 'base.part' },
  mate: link('api::other.other'),
};

describe('a version that is restored after the model has changed', () => {
  let server: ServingAccounts;
  let token = '';
  const { put, api } = changingModels(
    () => server,
    () => token,
  );
  before(async () => {
    server = await serveAccounts({ models: [] });
    token = (await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
    await put('base.part', part({ label: { type: 'string' }, kind: { type: 'string' }, lost: { type: 'string' } }));
    await put('api::mark.mark', type('mark', { name: { type: 'string' } }));
    await put('api::other.other', type('other', { name: { type: 'string' } }));
  });
  after(() => server.stop());

  it('converts what fits, leaves the rest as it is, and names it', async () => {
    await put('api::note.note', type('note', former));
    await api('POST', '/marks', { data: { name: 'm' } });
    await api('POST', '/others', { data: { name: 'o' } });
    const values = {
      ...{ title: 'First', size: 5, ratio: 1.5, status: 'b', text: 'longer', gone: 'x', mate: 1 },
      one: { label: 'one', kind: 'red', lost: 'y' },
      list: [{ label: 'l1' }, { label: 'l2' }],
    };
    const { id } = await api('POST', '/notes', { data: values });
    await put('base.part', part({ label: { type: 'string' }, kind: { type: 'enumeration', enum: ['blue'] } }));
    await put('api::note.note', type('note', present));
    const now = { title: 'Now', size: 's', ratio: 2, status: 'a', text: 'abc', one: [], list: null, mate: null };
    await api('PUT', `/notes/${String(id)}`, { data: now });
    const versions = await server.database.db.collection('_history').find({ 'entry.title': 'First' }).toArray();
    expect(versions.map(({ targets }) => targets as unknown)).to.deep.equal([{ 'api::note.note': { mate: 'api::mark.mark' } }]);
    const others = await server.database.db.collection('_history').find({ 'entry.title': 'Now' }).toArray();
    expect(others.map(({ targets }) => targets as unknown)).to.deep.equal([{}]);
    const restored = await server.admin('POST', `/history/api::note.note/${String(id)}/1/restore`);
    expect(restored.status, JSON.stringify(restored.body)).to.equal(200);
    expect(restored.body.data.leftOut).to.have.members([
      'ratio',
      'status',
      'text',
      'gone',
      'list',
      'mate',
      'one.kind',
      'one.lost',
    ]);
    const { attributes } = await api('GET', `/notes/${String(id)}?populate=*`);
    expect(attributes).to.include({ title: 'First', size: '5', ratio: 2, status: 'a', text: 'abc', list: null });
    expect(attributes.one.map(({ label }: { label: string }) => label)).to.deep.equal(['one']);
    expect(attributes.mate.data).to.equal(null);
  });

  it('leaves out unique values that other entries have now', async () => {
    const unique = { type: 'string', unique: true };
    await put('api::page.page', type('page', { title: { type: 'string' }, slug: unique, code: unique }));
    const { id } = await api('POST', '/pages', { data: { title: 'First', slug: 'a', code: 'x' } });
    await api('PUT', `/pages/${String(id)}`, { data: { title: 'Now', slug: 'b', code: 'y' } });
    await api('POST', '/pages', { data: { title: 'Other', slug: 'a' } });
    await api('POST', '/pages', { data: { title: 'Third', code: 'x' } });
    const restored = await server.admin('POST', `/history/api::page.page/${String(id)}/1/restore`);
    expect(restored.status, JSON.stringify(restored.body)).to.equal(200);
    expect(restored.body.data.leftOut).to.have.members(['slug', 'code']);
    const { attributes } = await api('GET', `/pages/${String(id)}`);
    expect(attributes).to.include({ title: 'First', slug: 'b', code: 'y' });
  });
});
