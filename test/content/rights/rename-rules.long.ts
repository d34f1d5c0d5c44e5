import { expect } from 'chai';
import { accountModels, serveAccounts, type ServingAccounts } from './serve-accounts.js';

const page = (attributes: object) => ({
  uid: 'api::page.page',
  kind: 'collectionType',
  collectionName: 'pages',
  info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
  attributes,
});
const user = { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' };
const string = { type: 'string' };
const actions = ['find', 'findOne', 'create', 'update'].map((action) => `api::page.page.${action}`);

const rules = {
  rows: { 'api::page.page': { owner: { id: { $eq: '$user.id' } } } },
  fields: { 'api::page.page': { deny: ['secret'] } },
};

describe('rules of a role that name an attribute which is renamed', function () {
  this.timeout(30_000);
  let server: ServingAccounts;
  let ann: { readonly id: number; readonly jwt: string };

  before(async () => {
    const before = page({ text: string, secret: string, owner: user });
    server = await serveAccounts({ models: [...accountModels, before] });
    await server.admin('PUT', '/roles/1', { actions: [...actions, 'plugin::users-permissions.user.find'] });
    ann = await server.addUser('ann');
    const { body } = await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' });
    for (const [text, owner] of [
      ['hers', ann.id],
      ['another', null],
    ] as const)
      await server.as(body.data.accessKey, 'POST', '/api/pages', { data: { text, secret: 's', owner } });
    expect((await server.admin('PUT', '/roles/1/rules', rules)).status).to.equal(200);
  });
  after(() => server.stop());

  const check = async (): Promise<void> => {
    const { status, body } = await server.as(ann.jwt, 'GET', '/api/pages?populate=*');
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.data.map(({ id }: { id: number }) => id)).to.deep.equal([1]);
    for (const name of ['secret', 'hidden']) expect(body.data[0].attributes).to.not.have.property(name);
    for (const name of ['secret', 'hidden'])
      expect((await server.as(ann.jwt, 'GET', `/api/pages?filters[${name}]=s`)).status).to.equal(400);
  };

  it('hold before, while and after the values are moved', async () => {
    await check();
    const after = page({
      words: { ...string, renamedFrom: 'text' },
      hidden: { ...string, renamedFrom: 'secret' },
      keeper: { ...user, renamedFrom: 'owner' },
    });
    const stored = server.admin('PUT', '/models/api::page.page', after);
    let isStored = false;
    void stored.finally(() => (isStored = true));
    while (!isStored) await check();
    expect((await stored).status, JSON.stringify((await stored).body)).to.equal(200);
    await check();
    const { body } = await server.as(ann.jwt, 'GET', '/api/pages');
    expect(body.data[0].attributes.words).to.equal('hers');
    const made = await server.as(ann.jwt, 'POST', '/api/pages', { data: { words: 'new', hidden: 'x', secret: 'x' } });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    const [row] = await server.database.db.collection('pages').find({ words: 'new' }).toArray();
    expect(row).to.include({ keeper: ann.id, hidden: null });
    expect((await server.admin('PUT', '/roles/1/rules', rules)).status).to.equal(200);
  });

  it('cannot be dropped from the model while they are moved', async () => {
    const next = page({ label: { ...string, renamedFrom: 'words' } });
    const { status, body } = await server.admin('PUT', '/models/api::page.page', next);
    expect(status).to.equal(400);
    expect(body.error.message).to.include('is being renamed from');
  });

  it('hold when the model names the former names no more', async () => {
    const settings = server.database.db.collection<{ _id: string; phase?: string }>('_settings');
    await server.database.db.collection('pages').deleteMany({ words: 'new' });
    const isMoving = () => settings.findOne({ _id: /^rename-/, phase: { $ne: 'done' } });
    while ((await isMoving()) !== null) await check();
    expect((await server.admin('PUT', '/roles/1/rules', rules)).status).to.equal(200); // by the former names once more
    await check();
    const plain = page({ words: string, hidden: string, keeper: user });
    expect((await server.admin('PUT', '/models/api::page.page', plain)).status).to.equal(200);
    await check();
    const [role] = await server.database.db
      .collection('up_roles')
      .find({ _rules: { $ne: null } })
      .toArray();
    expect(role?.['_rules']).to.deep.equal({
      rows: { 'api::page.page': { keeper: { id: { $eq: '$user.id' } } } },
      fields: { 'api::page.page': { deny: ['hidden'] } },
    });
  });
});
