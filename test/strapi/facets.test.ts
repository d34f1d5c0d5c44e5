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

const core = (name: string, kind: string, rest = ''): string =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::${name}.${name}'${rest});`;

describe('facets of a list whose filters code has changed', () => {
  let serving: ServedProject;
  before(async () => {
    const filtered = `, () => ({ async find(ctx) {
      if (ctx.query.all) return super.find(ctx);
      ctx.query.filters = { $and: [ctx.query.filters ?? {}, { open: true }] };
      return super.find(ctx);
    } })`;
    const files = {
      'src/api/note/routes/note.js': core('note', 'Router'),
      'src/api/note/controllers/note.js': core('note', 'Controller', filtered),
      'src/api/note/services/note.js': core('note', 'Service'),
    };
    serving = await serveProject(files, { models, documents: { notes: rows, pages: rows } });
  });
  after(() => serving.stop());

  const ask = (path: string) => serving.call('GET', `/api/${path}`);

  it('leave out no filter of the code', async () => {
    const { status, body } = await ask('notes?facets[open][self]=true');
    expect([status, body.error?.message]).to.deep.equal([
      400,
      'Invalid parameter facets: code of the project has changed the filters, so that self cannot leave any out',
    ]);
    expect((await ask('notes?facets=open')).body.meta.facets.open).to.deep.equal([{ value: true, count: 1 }]);
  });

  it('leave out the own filter of the client', async () => {
    for (const path of ['notes?all=1&', 'pages?']) {
      const { body } = await ask(`${path}facets[open][self]=true&filters[open]=true&filters[text][$ne]=x`);
      expect(body.meta.facets?.open, JSON.stringify(body)).to.have.length(2);
    }
  });
});

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
