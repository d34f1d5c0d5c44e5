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
