import { expect } from 'chai';
import { adminToken } from '../content/rights/serve-accounts.js';
import { collectionType } from '../support/collection-type.js';
import { sendRequest } from '../support/send-request.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

/** A lifecycle that hides entries from lists and their totals. */
const hiding = `const hide = ({ params }) => { params.where = { $and: [params.where ?? {}, { open: true }] }; };
  module.exports = { beforeFindMany: hide, beforeCount: hide };`;
const models = ['note', 'page'].map((name) => collectionType(name, { text: { type: 'string' }, open: { type: 'boolean' } }));
const at = new Date(0);
const rows = [true, false].map((open, index) => ({
  _id: index + 1,
  text: open ? 'shown' : 'hidden',
  open,
  createdAt: at,
  updatedAt: at,
}));

describe('facets of a type with lifecycles around reads', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject(
      { 'src/api/note/content-types/note/lifecycles.js': hiding },
      { models, documents: { notes: rows, pages: rows }, config: { api: { open: false }, admin: { token: adminToken } } },
    );
  });
  after(() => serving.stop());

  const grant = async (...actions: readonly string[]): Promise<void> => {
    const headers = { authorization: `Bearer ${adminToken}` };
    const url = `${serving.server.url}/admin/api/roles/2`;
    expect((await sendRequest({ url, method: 'PUT', headers, body: { actions } })).status).to.equal(200);
  };
  const ask = (name: string) => serving.call('GET', `/api/${name}?facets=text&fields=text`);

  it('need the right to group, because the lifecycles do not hear of them', async () => {
    await grant('api::note.note.find', 'api::page.page.find');
    const { status, body } = await ask('notes');
    expect([status, body.error?.message]).to.deep.equal([
      400,
      'Invalid parameter facets: lifecycles around reads of api::note.note do not hear of them, so that they need the right api::note.note.aggregate',
    ]);
    expect((await serving.call('GET', '/api/notes?fields=text')).body.meta.pagination.total).to.equal(1);
    expect((await ask('pages')).body.meta.facets.text).to.have.length(2);
  });

  it('are answered to a caller who may group', async () => {
    await grant('api::note.note.find', 'api::note.note.aggregate');
    expect((await ask('notes')).body.meta.facets.text).to.have.length(2);
  });
});
