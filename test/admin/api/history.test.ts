import { expect } from 'chai';
import { isRecord } from '#base/values.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const link = (relation: string, target: string, more = {}) => ({ type: 'relation', relation, target, ...more });
const type = (name: string, attributes: object, options = {}) => ({
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options,
  attributes,
});

const models: Readonly<Record<string, object>> = {
  'api::note.note': type(
    'note',
    {
      title: { type: 'string', required: true },
      text: { type: 'text' },
      day: { type: 'date' },
      at: { type: 'datetime' },
      big: { type: 'biginteger' },
      data: { type: 'json' },
      secret: { type: 'password' },
      hidden: { type: 'string', private: true },
      part: { type: 'component', component: 'base.part' },
      parts: { type: 'component', component: 'base.part', repeatable: true },
      zone: { type: 'dynamiczone', components: ['base.part', 'base.other'] },
      mate: link('oneToOne', 'api::mark.mark'),
      marks: link('manyToMany', 'api::mark.mark', { inversedBy: 'notes' }),
      owned: link('oneToMany', 'api::mark.mark', { mappedBy: 'owner' }),
      any: { type: 'relation', relation: 'morphToMany' },
    },
    { draftAndPublish: true, history: { versions: 6, days: 10 } },
  ),
  'api::mark.mark': type('mark', {
    name: { type: 'string' },
    notes: link('manyToMany', 'api::note.note', { mappedBy: 'marks' }),
    owner: link('manyToOne', 'api::note.note', { inversedBy: 'owned' }),
  }),
  'base.part': {
    info: { displayName: 'Part' },
    attributes: { label: { type: 'string' }, mark: link('oneToOne', 'api::mark.mark') },
  },
  'base.other': {
    info: { displayName: 'Other' },
    attributes: { inner: { type: 'component', component: 'base.part', repeatable: true } },
  },
};

const rich = {
  ...{ title: 'First', text: 'a', day: '2026-01-02', at: '2026-01-02T03:04:05.000Z', big: '9007199254740993' },
  ...{ data: { a: [1, null] }, secret: 'Secret123', hidden: 'h' },
  part: { label: 'one', mark: 1 },
  parts: [{ label: 'x' }, { label: 'y', mark: 2 }],
  zone: [
    { __component: 'base.other', inner: [{ label: 'in', mark: 3 }] },
    { __component: 'base.part', label: 'z' },
  ],
  ...{ mate: 3, marks: [2, 1], owned: [3, 1], any: [{ __type: 'api::mark.mark', id: 2 }] },
};

const everything = [
  ...['mate', 'marks', 'owned', 'any'].map((name) => `populate[${name}]=*`),
  ...['[part]', '[parts]', '[zone][on][base.part]', '[zone][on][base.other][populate][inner]'].map(
    (place) => `populate${place}[populate]=*`,
  ),
].join('&');

const poor = {
  title: 'Second',
  text: null,
  day: null,
  at: null,
  big: null,
  data: null,
  hidden: null,
  part: null,
  parts: [],
  zone: [],
};
const unlinked = { mate: null, marks: [], owned: [], any: [] };

describe('versions of entries', () => {
  let server: ServingAccounts;
  const admin = (method: string, path: string, body?: object) => server.admin(method, path, body);
  const api = async (method: string, path: string, body?: object) => {
    const answer = await server.as(token, method, `/api${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body.data;
  };
  let token = '';
  const versions = async (id: number) => (await admin('GET', `/history/api::note.note/${String(id)}`)).body.data;

  before(async () => {
    server = await serveAccounts({ config: { admin: { audit: { days: 30 } } } });
    for (const uid of ['base.part', 'base.other', 'api::mark.mark', 'api::note.note'])
      await admin('PUT', `/models/${uid}`, models[uid]);
    token = (await admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
    for (const name of ['one', 'two', 'three']) await api('POST', '/marks', { data: { name } });
  });
  after(() => server.stop());

  it('are kept for each write, with its author, and are restored over all kinds of attributes', async () => {
    const { id } = await api('POST', '/notes', { data: rich });
    const shown = async () => comparable(await api('GET', `/notes/${String(id)}?${everything}`));
    const before = await shown();
    expect(JSON.stringify(before)).to.contain('"in"').and.contain('"three"');
    await api('PUT', `/notes/${String(id)}`, { data: { ...poor, ...unlinked, publishedAt: null } });
    const list = await versions(id);
    expect(list.map(({ version, action }: { version: number; action: string }) => [version, action])).to.deep.equal([
      [2, 'unpublish'],
      [1, 'create'],
    ]);
    expect(list[0].by.kind).to.equal('token');
    const { data: first } = (await admin('GET', `/history/api::note.note/${String(id)}/1`)).body;
    expect(first.entry).to.include({ title: 'First', big: '9007199254740993', hidden: 'h' }).and.not.have.property('secret');
    expect(first.entry.owned).to.deep.equal([{ id: 3 }, { id: 1 }]);
    const restored = await admin('POST', `/history/api::note.note/${String(id)}/1/restore`);
    expect([restored.status, restored.body.data.version, restored.body.data.action]).to.deep.equal([200, 3, 'publish']);
    expect(await shown()).to.deep.equal({ ...before, publishedAt: first.entry.publishedAt });
  });

  it('are restored without links to entries that are deleted', async () => {
    const gone = await api('POST', '/marks', { data: { name: 'gone' } });
    const { id } = await api('POST', '/notes', { data: { title: 'Links', marks: [gone.id, 1], mate: gone.id } });
    await api('DELETE', `/marks/${String(gone.id)}`);
    await admin('POST', `/history/api::note.note/${String(id)}/1/restore`);
    const { attributes } = await api('GET', `/notes/${String(id)}?populate=marks,mate`);
    expect([attributes.marks.data.map((one: { id: number }) => one.id), attributes.mate.data]).to.deep.equal([[1], null]);
  });

  it('are limited in number, and the last one is that before a delete', async () => {
    const { id } = await api('POST', '/notes', { data: { title: '0' } });
    for (let turn = 1; turn < 8; turn++) await api('PUT', `/notes/${String(id)}`, { data: { title: String(turn) } });
    await api('DELETE', `/notes/${String(id)}`);
    const list = await versions(id);
    expect(list.map(({ version }: { version: number }) => version)).to.deep.equal([9, 8, 7, 6, 5, 4]);
    expect(list[0].action).to.equal('delete');
    expect((await admin('GET', `/history/api::note.note/${String(id)}/9`)).body.data.entry.title).to.equal('7');
    const page = await admin('GET', `/history/api::note.note/${String(id)}?page=2&pageSize=2`);
    expect(page.body.data).to.deep.equal(list.slice(2, 4));
    expect((await admin('POST', `/history/api::note.note/${String(id)}/8/restore`)).status).to.equal(404);
  });

  it('of concurrent writes are all kept, each with a number of its own', async () => {
    const { id } = await api('POST', '/notes', { data: { title: 'many' } });
    await Promise.all([1, 2, 3, 4, 5].map((turn) => api('PUT', `/notes/${String(id)}`, { data: { title: String(turn) } })));
    const list = await versions(id);
    expect(list.map(({ version }: { version: number }) => version)).to.deep.equal([6, 5, 4, 3, 2, 1]);
  });

  it('of several writes of an entry in one transaction are one, of what they have done together', async () => {
    const made = await api('POST', '/batch', {
      transaction: true,
      requests: [
        { method: 'POST', path: '/notes', body: { data: { title: 'first', publishedAt: null } } },
        { method: 'PUT', path: '/notes/$0', body: { data: { title: 'second' } } },
      ],
    });
    const { id } = made[0].body.data;
    expect((await versions(id)).map(({ action }: { action: string }) => action)).to.deep.equal(['create']);
    const change = (data: object) => ({ method: 'PUT', path: `/notes/${String(id)}`, body: { data } });
    const requests = [change({ title: 'third' }), change({ publishedAt: '2026-01-01T00:00:00.000Z' })];
    await api('POST', '/batch', { transaction: true, requests });
    expect((await versions(id)).map(({ action }: { action: string }) => action)).to.deep.equal(['publish', 'create']);
    expect((await admin('GET', `/history/api::note.note/${String(id)}/1`)).body.data.entry.title).to.equal('second');
  });

  it('are not kept for writes that are refused', async () => {
    const { id } = await api('POST', '/notes', { data: { title: 'once' } });
    const refused = await server.as(token, 'PUT', `/api/notes/${String(id)}`, { data: { title: 'twice', marks: [9999] } });
    expect([refused.status, (await versions(id)).length]).to.deep.equal([400, 1]);
  });

  it('say who has changed which entry, of all types', async () => {
    const { id } = await api('POST', '/marks', { data: { name: 'audited' } });
    await api('DELETE', `/marks/${String(id)}`);
    const { body } = await admin('GET', `/audit/content?uid=api::mark.mark&id=${String(id)}`);
    expect(body.data.map(({ action, by }: { action: string; by: { kind: string } }) => [action, by.kind])).to.deep.equal([
      ['delete', 'token'],
      ['create', 'token'],
    ]);
    expect((await admin('GET', '/audit/content?limit=1')).body.data).to.have.length(1);
  });

  for (const [path, status] of [
    ['/audit/content?id=1', 400],
    ['/audit/content?limit=1001', 400],
    ['/audit/content?uid=a&uid=b', 400],
    ['/audit/content?uid[$gt]=a', 400],
    ['/audit/content?limit[]=1', 400],
    ['/audit?limit[0]=1', 400],
    ['/history/api::mark.mark/1', 404],
    ['/history/api::none.none/1', 404],
    ['/history/api::note.note/x', 400],
    ['/history/api::note.note/1?pageSize=101', 400],
    ['/history/api::note.note/1?page=0', 400],
    ['/history/api::note.note/1/99', 404],
    ['/history/api::note.note/1/0', 400],
  ] as const)
    it(`${path}: ${String(status)}`, async () => {
      expect((await admin('GET', path)).status).to.equal(status);
    });
});

/** Returns an answer without the ids of components and the times of the entry. */
const comparable = ({ attributes }: { readonly attributes: object }): object =>
  JSON.parse(
    JSON.stringify(attributes, (key, value: unknown) => {
      if (['updatedAt', 'createdAt'].includes(key)) return undefined;
      return isRecord(value) && !('attributes' in value) ? { ...value, id: undefined } : value;
    }),
  ) as object;
