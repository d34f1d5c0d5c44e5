import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { collectionType as model } from '../support/collection-type.js';
import { serveModels, storeModels, type Serving, type TestModel } from '../support/serve.js';

const string = { type: 'string' } as const;
const page = 'api::page.page';
const seo = (attributes: object): TestModel => ({ uid: 'shared.seo', info: { displayName: 'seo' }, attributes });
const part = { type: 'component', component: 'shared.seo' } as const;
const entries = `/content-manager/collection-types/${page}`;
const fields = ['title', 'seo.note'];

describe('permissions of administrators on attributes that are renamed', function () {
  this.timeout(60_000);
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    serving = await serveModels({
      models: [seo({ note: string, other: string }), model('page', { title: string, secret: string, seo: part })],
      config: { admin: { rateLimit: { enabled: false } } },
    });
    const editor = (['read', 'update'] as const).map((action) => ({ action, subject: page, fields }));
    send = await openAdministrators(serving, { editor: [editor] });
    const data = { title: 'a', secret: 's', seo: { note: 'n', other: 'o' } };
    expect((await send('super', 'POST', entries, data)).status).to.equal(200);
    const renamed = { headline: { ...string, renamedFrom: 'title' }, secret: string, meta: { ...part, renamedFrom: 'seo' } };
    await storeModels(serving.database, [
      seo({ remark: { ...string, renamedFrom: 'note' }, other: string }),
      model('page', renamed),
    ]);
    const { models: loaded } = serving.server.backend ?? {};
    do await Promise.all([loaded?.load(), new Promise((resolve) => setTimeout(resolve, 25))]);
    while (loaded?.renames.moving().size !== 0);
  });
  after(() => serving.stop());

  it('allow what they have allowed, and nothing more', async () => {
    const { body } = await send('editor', 'PUT', `${entries}/1`, {
      headline: 'b',
      secret: 'x',
      meta: { remark: 'm', other: 'x' },
    });
    expect(body).to.include({ headline: 'b' }).and.not.have.property('secret');
    expect(body.meta).to.include({ remark: 'm' }).and.not.have.property('other');
    const row = await serving.database.db.collection<{ _id: number; meta?: object }>('pages').findOne({ _id: 1 });
    expect(row).to.deep.include({ headline: 'b', secret: 's' });
    expect(row?.meta).to.include({ remark: 'm' });
  });

  it('are stored under the new names when the values have moved', async () => {
    const rows = serving.database.db
      .collection('admin_permissions')
      .find({ subject: page, 'properties.fields.1': { $exists: true } });
    const named = (await rows.toArray()).filter(({ properties }) => properties.fields.length === 2);
    expect(named).to.have.length(2);
    for (const { properties } of named) expect(properties.fields).to.deep.equal(['headline', 'meta.remark']);
  });

  it('are shown under the new names, and stored under them when they are saved', async () => {
    const { body } = await send('super', 'GET', '/admin/roles');
    const role = (body.data as { id: number; name: string }[]).find(({ name }) => name.startsWith('editor'))?.id;
    const path = `/admin/roles/${String(role)}/permissions`;
    const shown = await send('super', 'GET', path);
    for (const { properties } of shown.body.data) expect(properties.fields).to.deep.equal(['headline', 'meta.remark']);
    const permissions = (shown.body.data as { action: string }[]).map(({ action }) => ({
      ...{ action, subject: page, conditions: [] },
      properties: { fields },
    }));
    expect((await send('super', 'PUT', path, { permissions })).status).to.equal(200);
    const stored = await serving.database.db.collection('admin_permissions').find({ role, subject: page }).toArray();
    expect(stored).to.have.length(2);
    for (const { properties } of stored) expect(properties.fields).to.deep.equal(['headline', 'meta.remark']);
    const own = await send('editor', 'GET', '/admin/users/me/permissions');
    for (const { properties } of own.body.data) expect(properties.fields).to.deep.equal(['headline', 'meta.remark']);
  });
});
