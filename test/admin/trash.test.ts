import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const attributes = {
  title: { type: 'string' },
  secret: { type: 'string' },
  code: { type: 'password' },
  seo: { type: 'component', component: 'shared.seo' },
};

const models: readonly TestModel[] = [
  { uid: 'shared.seo', info: { displayName: 'seo' }, attributes: { title: { type: 'string' }, note: { type: 'string' } } },
  collectionType('memo', attributes, { options: { trash: {} } }),
  collectionType('page', { title: { type: 'string' } }, { options: { draftAndPublish: true, trash: {} } }),
  collectionType(
    'leaf',
    { title: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
    { options: { trash: {} }, pluginOptions: { i18n: { localized: true } } },
  ),
];

const memo = 'api::memo.memo';
const page = 'api::page.page';
const leaf = 'api::leaf.leaf';
const fields = ['title', 'seo.title'];
const mine = { conditions: ['admin::is-creator'] };
const all = (subject: string, names: readonly string[], more = {}) =>
  ['create', 'read', 'update', 'delete'].map((action) => ({
    ...{ action: action as 'read', subject, ...more },
    ...(action !== 'delete' && { fields: names }),
  }));

const administrators = {
  editor: [all(memo, fields)],
  reader: [[{ action: 'read', subject: memo, fields }]],
  creator: [[{ action: 'create', subject: memo, fields }]],
  deleter: [
    [
      { action: 'read', subject: memo, fields },
      { action: 'delete', subject: memo },
    ],
  ],
  blind: [[{ action: 'delete', subject: memo }]],
  owner: [all(memo, fields, mine)],
  hider: [
    [
      { action: 'read', subject: memo, fields, ...mine },
      { action: 'delete', subject: memo },
    ],
  ],
  drafter: [all(page, ['title'])],
  publisher: [[...all(page, ['title']), { action: 'publish', subject: page }]],
  french: [all(leaf, ['title'], { locales: ['fr'] })],
  nobody: [[]],
} as const;

const times = { createdAt: new Date(0), updatedAt: new Date(0) };
const locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, ...times }));

describe('the trash in the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  const entries = (uid: string) => `/content-manager/collection-types/${uid}`;
  const trash = (as: string, uid = memo) => send(as, 'GET', `/admin/api/trash/${uid}`);
  const restore = (as: string, id: number, uid = memo) => send(as, 'POST', `/admin/api/trash/${uid}/${String(id)}/restore`);
  const end = (as: string, id: number, uid = memo) => send(as, 'DELETE', `/admin/api/trash/${uid}/${String(id)}`);
  const idsFor = async (as: string, uid = memo) =>
    (await trash(as, uid)).body.data.map(({ id }: { id: number }) => id) as number[];
  const remove = (as: string, id: number, uid = memo) => send(as, 'DELETE', `${entries(uid)}/${String(id)}`);
  /** Creates an entry and deletes it, and returns its id. */
  const discard = async (as: string, data: object, uid = memo): Promise<number> => {
    const { status, body } = await send(as, 'POST', entries(uid), data);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect((await remove(as, body.id, uid)).status).to.equal(200);
    return body.id as number;
  };
  before(async () => {
    serving = await serveModels({
      models,
      documents: { i18n_locales: locales },
      config: { admin: { rateLimit: { enabled: false } } },
    });
    send = await openAdministrators(serving, administrators);
  });
  after(() => serving.stop());

  it('is asked by requests without unknown keys', async () => {
    const id = await discard('super', { title: 'x' });
    const path = `/admin/api/trash/${memo}/${String(id)}/restore`;
    const { status, body } = await send('super', 'POST', path, { asDraft: true });
    expect([status, body.error.message]).to.eql([400, 'unknown key asDraft']);
    expect((await send('super', 'POST', path, {})).status).to.equal(200);
  });

  it('is listed with who has deleted, and the fields that an editor may see', async () => {
    const id = await discard('super', { title: 'a', secret: 's', code: 'Password1', seo: { title: 't', note: 'n' } });
    const [whole] = (await trash('super')).body.data;
    expect(whole).to.deep.include({ id, deletedBy: { kind: 'administrator', id: 1, name: 'super' } });
    expect(whole.entry).to.include({ title: 'a', secret: 's' }).and.not.have.any.keys('code');
    const [shown] = (await trash('editor')).body.data;
    expect(shown.entry).to.include({ id, title: 'a' }).and.not.have.any.keys('secret', 'code');
    expect(shown.entry.seo).to.deep.equal({ id: whole.entry.seo.id, title: 't' });
  });

  it('has what a bulk delete has deleted', async () => {
    const ids: number[] = [];
    for (const title of ['x', 'y']) ids.push((await send('super', 'POST', entries(memo), { title })).body.id as number);
    const { status } = await send('editor', 'POST', `${entries(memo)}/actions/bulkDelete`, { ids });
    expect([status, (await idsFor('editor')).slice(0, 2).sort()]).to.deep.equal([200, ids]);
  });

  for (const [as, list, back, ended] of [
    ['editor', 200, 200, 200],
    ['reader', 403, 403, 403],
    ['creator', 403, 200, 403],
    ['deleter', 200, 403, 200],
    ['blind', 403, 403, 403],
    ['owner', 200, 403, 403],
    ['hider', 200, 403, 403],
    ['nobody', 403, 403, 403],
    ['', 401, 401, 401],
  ] as const)
    it(`${as || 'without a token'}: listed ${String(list)}, restored ${String(back)}, ended ${String(ended)}`, async () => {
      const [id, other] = [await discard('super', { title: 'b' }), await discard('super', { title: 'c' })];
      expect((await trash(as)).status).to.equal(list);
      if (list === 200) expect((await idsFor(as)).includes(id)).to.equal(ended === 200);
      expect([(await restore(as, id)).status, (await end(as, other)).status]).to.deep.equal([back, ended]);
      const kept = await idsFor('super');
      expect([kept.includes(id), kept.includes(other)]).to.deep.equal([back !== 200, ended !== 200]);
    });

  it('gives their own entries to those who may create no others', async () => {
    const id = await discard('owner', { title: 'own' });
    expect(await idsFor('owner')).to.deep.equal([id]);
    expect((await restore('owner', id)).status).to.equal(200);
    const { body } = await send('super', 'GET', `${entries(memo)}/${String(id)}`);
    expect(body).to.include({ title: 'own' });
    expect(body.createdBy.firstname).to.equal('owner');
  });

  it('gives a published entry back as a draft to those who may not publish', async () => {
    for (const [as, isPublished] of [
      ['drafter', false],
      ['publisher', true],
    ] as const) {
      const { id } = (await send('super', 'POST', entries(page), { title: as })).body;
      await send('super', 'POST', `${entries(page)}/${String(id)}/actions/publish`);
      await remove('super', id, page);
      expect((await restore(as, id, page)).status).to.equal(200);
      const { body } = await send('super', 'GET', `${entries(page)}/${String(id)}`);
      expect(body.publishedAt !== null, as).to.equal(isPublished);
    }
  });

  it('has the entries of the locales that an editor may delete', async () => {
    const english = await discard('super', { title: 'leaf' }, leaf);
    const made = await send('super', 'POST', `${entries(leaf)}?locale=fr`, { title: 'feuille' });
    const french = Number(made.body.id);
    await remove('super', french, leaf);
    expect(await idsFor('french', leaf)).to.deep.equal([french]);
    expect((await restore('french', english, leaf)).status).to.equal(403);
    expect((await end('french', english, leaf)).status).to.equal(403);
    expect((await restore('french', french, leaf)).status).to.equal(200);
  });

  it('is in the log of what administrators change', async () => {
    const id = await discard('super', { title: 'log' });
    await restore('editor', id);
    const records = await serving.database.db
      .collection('_audit')
      .find({ what: `POST /trash/${memo}/${String(id)}/restore` })
      .toArray();
    expect(records.map(({ who, status }) => [who, status] as unknown)).to.deep.equal([['editor@test.test', 200]]);
  });
});
