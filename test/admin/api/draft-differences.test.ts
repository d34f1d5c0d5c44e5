import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';

const page = 'api::page.page';
const attributes = {
  title: { type: 'string' },
  secret: { type: 'string' },
  tags: { type: 'relation', relation: 'oneToMany', target: 'api::tag.tag', mappedBy: 'page' },
};
const models = [
  collectionType('page', attributes, { options: { draftAndPublish: true, drafts: 'beside' } }),
  collectionType('tag', { page: { type: 'relation', relation: 'manyToOne', target: page, inversedBy: 'tags' } }),
];
const read = { action: 'read', subject: page } as const;

describe('what the draft beside a published entry changes', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    serving = await serveModels({ models, documents: { tags: [{ _id: 1 }, { _id: 2 }] } });
    send = await openAdministrators(serving, { reader: [[{ ...read, fields: ['title'] }]], nobody: [[]] });
    await serving.call('POST', '/api/pages', { data: { title: 'live', secret: 'a', tags: [1] } });
    await serving.call('POST', '/api/pages', { data: { title: 'other' } });
    await serving.call('PUT', '/api/pages/1?status=draft', { data: { title: 'draft', secret: 'b', tags: [2] } });
  });
  after(() => serving.stop());

  const show = (as: string, id: number | string, uid = page) => send(as, 'GET', `/admin/api/drafts/${uid}/${String(id)}`);

  it('is read with both, and the links that the draft will have', async () => {
    const { status, body } = await show('super', 1);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.data.entry).to.deep.include({ title: 'live', secret: 'a', tags: [{ id: 1 }] });
    expect(body.data.draft).to.deep.include({ title: 'draft', secret: 'b', tags: [{ id: 2 }] });
    expect(body.data.savedAt).to.match(/^\d{4}-/);
  });

  it('leaves a list that is too long on one side out of both', async () => {
    const most = 1_000;
    const { database } = serving;
    await database.db
      .collection<{ _id: number }>('tags')
      .insertMany(Array.from({ length: most + 1 }, (_, index) => ({ _id: 10 + index, page: 3 })));
    await serving.call('POST', '/api/pages', { data: { title: 'long' } });
    for (const [title, tags] of [
      ['fewer', [1]],
      ['as many', Array.from({ length: most + 1 }, (_, index) => 10 + index)],
    ] as const) {
      const put = await serving.call('PUT', '/api/pages/3?status=draft', { data: { title, tags } });
      expect(put.status, JSON.stringify(put.body)).to.equal(200);
      const { entry, draft } = (await show('super', 3)).body.data;
      expect(entry).to.include({ title: 'long' }).and.not.have.any.keys('tags');
      expect(draft).to.include({ title }).and.not.have.any.keys('tags');
    }
  });

  it('has the fields that somebody may see', async () => {
    const { data } = (await show('reader', 1)).body;
    expect(data.draft).to.include({ title: 'draft' }).and.not.have.any.keys('secret', 'tags');
    expect(data.entry).to.include({ title: 'live' }).and.not.have.any.keys('secret', 'tags');
    expect((await show('nobody', 1)).status).to.equal(403);
  });

  it('is null without a draft, and a 404 or 400 for what is not there', async () => {
    expect((await show('super', 2)).body.data).to.equal(null);
    expect((await show('super', 9)).status).to.equal(404);
    expect((await show('super', 1, 'api::tag.tag')).status).to.equal(404);
    expect((await show('super', 'x')).status).to.equal(400);
  });
});
