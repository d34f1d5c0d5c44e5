import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const type = (name: string, options: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: false, ...options },
  attributes: {
    title: { type: 'string' },
    secret: { type: 'string' },
    code: { type: 'password' },
    seo: { type: 'component', component: 'shared.seo' },
  },
});

const models: readonly TestModel[] = [
  { uid: 'shared.seo', info: { displayName: 'seo' }, attributes: { title: { type: 'string' }, note: { type: 'string' } } },
  type('memo', { history: {} }),
  type('page', { history: {}, draftAndPublish: true }),
  type('plain', {}),
];

const memo = 'api::memo.memo';
const page = 'api::page.page';
const fields = ['title', 'seo.title'];
const mine = { conditions: ['admin::is-creator'] };

const administrators = {
  editor: [[{ action: 'read', subject: memo, fields }]],
  author: [
    [
      { action: 'create', subject: memo, fields },
      { action: 'read', subject: memo, fields, ...mine },
    ],
  ],
  writer: [
    [
      { action: 'read', subject: memo, fields: [...fields, 'seo.note', 'secret'] },
      { action: 'update', subject: memo, fields },
    ],
  ],
  owner: [
    [
      { action: 'read', subject: memo, fields },
      { action: 'update', subject: memo, fields, ...mine },
    ],
  ],
  publisher: [
    [
      { action: 'read', subject: page, fields: ['title'] },
      { action: 'update', subject: page, fields: ['title'] },
      { action: 'publish', subject: page },
    ],
  ],
  drafter: [
    [
      { action: 'read', subject: page, fields: ['title'] },
      { action: 'update', subject: page, fields: ['title'] },
    ],
  ],
  nobody: [[]],
} as const;

describe('versions of entries in the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  const memos = `/content-manager/collection-types/${memo}`;
  const history = `/admin/api/history/${memo}`;
  before(async () => {
    serving = await serveModels({ models, config: { admin: { rateLimit: { enabled: false } } } });
    send = await openAdministrators(serving, administrators);
    const { body } = await send('super', 'POST', memos, {
      title: 'first',
      secret: 's',
      code: 'Password1',
      seo: { title: 't', note: 'n' },
    });
    expect(body.id).to.equal(1);
    await send('super', 'PUT', `${memos}/1`, { title: 'second', updatedAt: body.updatedAt });
    await send('super', 'POST', '/content-manager/collection-types/api::plain.plain', { title: 'p' });
  });
  after(() => serving.stop());

  it('are listed for whoever may read the entry', async () => {
    const { status, body } = await send('editor', 'GET', `${history}/1`);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.data.map(({ version, action, by }: Record<string, unknown>) => [version, action, by])).to.deep.equal([
      [2, 'update', { kind: 'administrator', id: 1, name: 'super' }],
      [1, 'create', { kind: 'administrator', id: 1, name: 'super' }],
    ]);
  });

  it('show the fields that the rights allow, and no passwords', async () => {
    const entryFor = async (as: string) => (await send(as, 'GET', `${history}/1/1`)).body.data.entry;
    const whole = await entryFor('super');
    expect(whole).to.include({ title: 'first', secret: 's' }).and.not.have.any.keys('code');
    const shown = await entryFor('editor');
    expect(shown).to.include({ id: 1, title: 'first' }).and.not.have.any.keys('secret', 'code');
    expect(shown.seo).to.deep.equal({ id: whole.seo.id, title: 't' });
  });

  const refused: readonly (readonly [as: string, path: string, status: number])[] = [
    ['nobody', '/1', 403],
    ['nobody', '/1/1', 403],
    ['author', '/1', 403],
    ['author', '/1/1', 403],
    ['editor', '/9', 404],
    ['editor', '/1/9', 404],
    ['editor', '/1/x', 400],
    ['', '/1', 401],
  ];
  for (const [as, path, status] of refused)
    it(`${as === '' ? 'without a token' : as}: ${path} is answered with ${String(status)}`, async () => {
      expect((await send(as, 'GET', history + path)).status).to.equal(status);
    });

  it('are none of a type without the option', async () => {
    expect((await send('super', 'GET', '/admin/api/history/api::plain.plain/1')).status).to.equal(404);
  });

  describe('are restored', () => {
    const restore = (as: string, path: string, body?: object) => send(as, 'POST', `/admin/api/history/${path}/restore`, body);
    const memoNow = async () => (await send('super', 'GET', `${memos}/1`)).body;

    it('by whoever may read but not update the entry: never', async () => {
      for (const as of ['editor', 'author', 'owner', 'nobody'])
        expect((await restore(as, `${memo}/1/1`)).status, as).to.equal(403);
      expect((await restore('', `${memo}/1/1`)).status).to.equal(401);
      expect(await memoNow()).to.include({ title: 'second' });
    });

    it('as far as the fields may be written, and the others are named', async () => {
      const { seo, updatedAt } = await memoNow();
      const changed = { secret: 'new', seo: { ...seo, note: 'new' }, updatedAt };
      expect((await send('super', 'PUT', `${memos}/1`, changed)).status).to.equal(200);
      const { status, body } = await restore('writer', `${memo}/1/1`);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.data.leftOut).to.have.members(['secret', 'seo']);
      expect(body.data).to.deep.include({ action: 'update' });
      const now = await memoNow();
      expect(now).to.include({ title: 'first', secret: 'new' });
      expect(now.seo).to.include({ title: 't', note: 'new' });
      expect((await restore('writer', `${memo}/1/1`)).body.data.leftOut).to.have.members(['secret', 'seo']);
    });

    it('under the name of the administrator, in the log too', async () => {
      const { body } = await send('super', 'GET', `${history}/1`);
      expect(body.data[0].by).to.include({ kind: 'administrator', name: 'writer' });
      const [record] = await serving.database.db.collection('_audit').find().sort({ _id: -1 }).limit(1).toArray();
      expect(record).to.include({ who: 'writer@test.test', what: `POST /history/${memo}/1/1/restore`, status: 200 });
    });

    it('unless the entry has changed since it was opened', async () => {
      const { updatedAt } = await memoNow();
      const stale = await restore('super', `${memo}/1/2`, { updatedAt: '2020-01-01T00:00:00.000Z' });
      expect([stale.status, stale.body.error.message]).to.satisfy(
        ([status, text]: [number, string]) => status === 400 && /was changed at .* by writer/.test(text),
      );
      expect((await restore('super', `${memo}/1/2`, { updatedAt: 'soon' })).status).to.equal(400);
      expect((await restore('super', `${memo}/1/2`, { updatedat: updatedAt })).status).to.equal(400);
      expect((await restore('super', `${memo}/1/2`, { updatedAt })).status).to.equal(200);
    });

    it('with the publication state by those alone who may publish', async () => {
      const pages = `/content-manager/collection-types/${page}`;
      await send('super', 'POST', pages, { title: 'draft' });
      await send('super', 'POST', `${pages}/1/actions/publish`);
      const publishedAt = async () => (await send('super', 'GET', `${pages}/1`)).body.publishedAt;
      const { body } = await restore('drafter', `${page}/1/1`);
      expect([body.data.leftOut, (await publishedAt()) !== null]).to.deep.equal([['publishedAt'], true]);
      expect((await restore('publisher', `${page}/1/1`)).body.data.leftOut).to.deep.equal([]);
      expect(await publishedAt()).to.equal(null);
    });

    it('without emptying a component of which only a part may be written', async () => {
      await send('super', 'POST', memos, { title: 'bare' });
      const { updatedAt } = (await send('super', 'GET', `${memos}/2`)).body;
      await send('super', 'PUT', `${memos}/2`, { title: 'full', seo: { title: 't', note: 'n' }, updatedAt });
      const { body } = await restore('writer', `${memo}/2/1`);
      expect(body.data.leftOut).to.deep.equal(['seo']);
      const now = (await send('super', 'GET', `${memos}/2`)).body;
      expect([now.title, now.seo.note]).to.deep.equal(['bare', 'n']);
    });
  });

  describe('after a change of the model', () => {
    it('hide what was hidden before its attribute was removed', async () => {
      const stored = serving.database.db.collection<{ _id: string }>('_models');
      await stored.updateOne({ _id: memo }, { $unset: { 'attributes.secret': '' } });
      await stored.updateOne({ _id: 'shared.seo' }, { $unset: { 'attributes.note': '' } });
      await serving.settled();
      expect((await send('super', 'GET', `${history}/1/1`)).body.data.entry).to.include({ secret: 's' });
      const { entry } = (await send('editor', 'GET', `${history}/1/1`)).body.data;
      expect(entry).not.to.have.any.keys('secret');
      expect(Object.keys(entry.seo)).to.have.members(['id', 'title']);
    });
  });
});
