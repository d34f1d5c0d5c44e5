import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

const link = (relation: string, target: string, more = {}) => ({ type: 'relation', relation, target, ...more });
const page = 'api::page.page';
const tag = 'api::tag.tag';
const models: readonly TestModel[] = [
  { uid: 'base.part', info: { displayName: 'part' }, attributes: { label: { type: 'string' }, tag: link('oneToOne', tag) } },
  collectionType('tag', { name: { type: 'string' } }, { options: { trash: {} } }),
  collectionType(
    'page',
    {
      title: { type: 'string' },
      tags: link('manyToMany', tag),
      lead: link('manyToOne', tag),
      parts: { type: 'component', component: 'base.part', repeatable: true },
    },
    { options: { draftAndPublish: true, drafts: 'beside', trash: {} } },
  ),
];
const fields = ['title', 'tags', 'lead', 'parts'];
const drafter = ['create', 'read', 'update', 'delete'].map((action) => ({
  ...{ action: action as 'read', subject: page },
  ...(action !== 'delete' && { fields }),
}));

describe('the trash of entries with a draft beside them', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    serving = await serveModels({ models, config: { admin: { rateLimit: { enabled: false } } } });
    send = await openAdministrators(serving, { drafter: [drafter] });
  });
  after(() => serving.stop());

  const api = async (method: string, path: string, body?: object) => {
    const answer = await serving.call(method, `/api${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body.data;
  };
  const stored = async (id: number) => ({
    ...(await serving.database.db.collection<{ _id: number }>('pages').findOne({ _id: id })),
    __version: 0,
  });
  const restore = async (uid: string, id: number, as = 'super'): Promise<void> => {
    const { status, body } = await send(as, 'POST', `/admin/api/trash/${uid}/${String(id)}/restore`);
    expect(status, JSON.stringify(body)).to.equal(200);
  };
  /** Creates two tags, and a page with a draft that links to both; the live one links to the first. */
  const createPage = async () => {
    const [a, b] = [
      Number((await api('POST', '/tags', { data: { name: 'a' } })).id),
      Number((await api('POST', '/tags', { data: { name: 'b' } })).id),
    ];
    const live = { title: 'live', tags: [a], lead: a, parts: [{ label: 'l', tag: a }] };
    const id = Number((await api('POST', '/pages', { data: live })).id);
    const draft = { title: 'draft', tags: [b, a], lead: a, parts: [{ label: 'd', tag: a }] };
    await api('PUT', `/pages/${String(id)}?status=draft`, { data: draft });
    return { id, a, b };
  };

  it('has both, and gives both back', async () => {
    const { id } = await createPage();
    const before = await stored(id);
    expect(before).to.have.property('_draft');
    await api('DELETE', `/pages/${String(id)}`);
    await restore(page, id);
    expect(await stored(id)).to.deep.equal(before);
    const preview = await api('GET', `/pages/${String(id)}?publicationState=preview`);
    expect(preview.attributes.title).to.equal('draft');
  });

  it('gives links of drafts back, and makes no draft', async () => {
    const { id, a } = await createPage();
    const before = await stored(id);
    await api('DELETE', `/tags/${String(a)}`);
    expect(JSON.stringify((await stored(id)) as object)).to.not.contain(`"lead":${String(a)}`);
    await restore(tag, a);
    expect(await stored(id)).to.deep.equal(before);
    await api('DELETE', `/tags/${String(a)}`);
    expect((await send('super', 'POST', `/admin/api/drafts/${page}/${String(id)}/discard`)).status).to.equal(200);
    await restore(tag, a);
    expect(await stored(id))
      .to.deep.include({ lead: a, tags: [a] })
      .and.not.have.property('_draft');
  });

  it('gives a page back as its draft to those who may not publish it', async () => {
    const { id, a, b } = await createPage();
    await api('DELETE', `/pages/${String(id)}`);
    await api('DELETE', `/tags/${String(b)}`);
    await restore(page, id, 'drafter');
    expect(await stored(id))
      .to.deep.include({ title: 'draft', publishedAt: null, tags: [a] })
      .and.not.have.any.keys('_draft', '_links');
  });
});
