import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving } from '../support/serve.js';

const uid = 'api::memo.memo';
const at = `/content-type-builder/content-types/${uid}`;
const entries = `/content-manager/collection-types/${uid}`;
const memo = (attributes: object) => ({
  contentType: {
    ...{ displayName: 'Memo', singularName: 'memo', pluralName: 'memos', kind: 'collectionType', draftAndPublish: false },
    attributes,
  },
});
const title = { title: { type: 'string', required: true } };
const start = { ...title, note: { type: 'text', maxLength: 50 }, size: { type: 'integer' } };

const reserved = ['createdAt', 'published_At', 'createdById', 'ID', 'contentType', 'updated_by', 'UpdatedBy'];

describe('changes of models in the content-type builder', () => {
  let serving: Serving;
  let send: PanelSender;
  const asSuper = (method: string, path: string, body?: unknown) => send('super', method, path, body);
  const put = async (attributes: object): Promise<void> => {
    const { status, body } = await asSuper('PUT', at, memo(attributes));
    expect(status, JSON.stringify(body)).to.equal(201);
    await serving.server.backend?.models.renames.moved(uid, 20_000);
  };
  before(async () => {
    serving = await serveModels({ models: [] });
    send = await openAdministrators(serving, { other: [[]] });
    expect((await asSuper('POST', '/content-type-builder/content-types', memo(start))).status).to.equal(201);
    expect((await asSuper('POST', entries, { title: 'a', note: 'kept', size: 3 })).status).to.equal(200);
  });
  after(() => serving.stop());

  for (const name of reserved)
    it(`refuse an attribute called ${name}, also in components`, async () => {
      const attributes = { ...title, [name]: { type: 'string' } };
      const other = { contentType: { ...memo(attributes).contentType, singularName: 'other', pluralName: 'others' } };
      expect((await asSuper('POST', '/content-type-builder/content-types', other)).status).to.equal(400);
      const component = { category: 'shared', displayName: 'part', attributes };
      expect((await asSuper('POST', '/content-type-builder/components', { component })).status).to.equal(400);
    });

  it('rename an attribute if one is gone and one of the same definition is new', async () => {
    const { note, ...others } = start;
    await put({ ...others, remark: note });
    expect((await asSuper('GET', `${entries}/1`)).body).to.include({ remark: 'kept', size: 3 });
    await put({ ...others, remark: note, count: { type: 'integer', min: 1 } });
    expect((await asSuper('GET', `${entries}/1`)).body).to.include({ remark: 'kept', size: 3, count: null });
  });

  it('refuse a new attribute that would begin with the values of a removed one', async () => {
    await put({ ...title, remark: start.note });
    const { status, body } = await asSuper('PUT', at, memo({ ...title, remark: start.note, size: { type: 'integer', min: 0 } }));
    expect(status).to.equal(400);
    expect(body.error.message).to.include(`npx mangrove models purge ${uid} size --yes`);
  });

  it('take the permissions of administrators on a type away with it, and refuse one of its name while its entries are stored', async () => {
    const role = Number((await asSuper('POST', '/admin/roles', { name: 'readers' })).body.data.id);
    const permissions = [
      { action: 'plugin::content-manager.explorer.read', subject: uid, properties: { fields: ['title'] }, conditions: [] },
    ];
    const path = `/admin/roles/${String(role)}/permissions`;
    expect((await asSuper('PUT', path, { permissions })).status).to.equal(200);
    expect((await asSuper('DELETE', at)).status).to.equal(200);
    expect((await asSuper('GET', path)).body.data).to.deep.equal([]);
    const removed = await serving.database.db
      .collection<{ _id: string; rights?: { administrators: readonly object[] } }>('_removed')
      .findOne({ _id: uid });
    expect(removed?.rights?.administrators).to.have.lengthOf(1);
    const again = await asSuper('POST', '/content-type-builder/content-types', memo(title));
    expect(again.status).to.equal(400);
    expect(again.body.error.message).to.include(`npx mangrove models restore-removed ${uid}`);
  });

  it('refuse a type whose collection holds the entries of a removed one, and take one of its name with another collection', async () => {
    const { contentType } = memo(title);
    const paper = { ...contentType, displayName: 'Paper', singularName: 'paper', pluralName: 'papers', collectionName: 'memos' };
    const refused = await asSuper('POST', '/content-type-builder/content-types', { contentType: paper });
    expect(refused.status).to.equal(400);
    expect(refused.body.error.message).to.include(`npx mangrove models purge ${uid} --yes`);
    const other = { contentType: { ...contentType, collectionName: 'newer_memos' } };
    expect((await asSuper('POST', '/content-type-builder/content-types', other)).status).to.equal(201);
    expect((await asSuper('GET', entries)).body.results).to.deep.equal([]);
  });

  it('let a role be saved as it is listed, with permissions on a type that there is no more', async () => {
    const role = Number((await asSuper('POST', '/admin/roles', { name: 'left' })).body.data.id);
    const path = `/admin/roles/${String(role)}/permissions`;
    const row = { action: 'plugin::content-manager.explorer.read', subject: 'api::gone.gone', properties: {}, conditions: [] };
    await serving.database.db
      .collection<{ _id: number; role: number }>('admin_permissions')
      .insertOne({ _id: 90_000, ...row, role });
    const listed = (await asSuper('GET', path)).body.data as { action: string; subject: string }[];
    expect(listed.map(({ subject }) => subject)).to.deep.equal(['api::gone.gone']);
    const permissions = listed.map(({ action, subject }) => ({ action, subject, properties: {}, conditions: [] }));
    expect((await asSuper('PUT', path, { permissions })).status).to.equal(200);
  });
});
