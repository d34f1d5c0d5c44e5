import { expect } from 'chai';
import { freshDatabase } from '../../support/mongo.js';
import { serveModels, type TestModel } from '../../support/serve.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const scalarTypes = ['string', 'text', 'richtext', 'email', 'uid', 'json'];
const note = (attributes: object) => ({
  ...{ kind: 'collectionType', collectionName: 'notes', options: {} },
  info: { singularName: 'note', pluralName: 'notes', displayName: 'note' },
  attributes: { title: { type: 'string' }, ...attributes },
});
const part = (attributes: object) => ({
  info: { displayName: 'part' },
  attributes: { label: { type: 'string' }, ...attributes },
});
const parts = {
  one: { type: 'component', component: 'base.part' },
  many: { type: 'component', component: 'base.part', repeatable: true },
  zone: { type: 'dynamiczone', components: ['base.part'] },
};
const password = { type: 'password' };
const hash = /\$2[aby]\$/;

describe('an attribute that was a password, or becomes one', () => {
  let server: ServingAccounts;
  let token = '';
  const put = async (uid: string, model: object): Promise<void> => {
    const answer = await server.admin('PUT', `/models/${uid}`, model);
    expect(answer.status, JSON.stringify(answer.body)).to.be.below(300);
  };
  const api = (method: string, path: string, body?: object) => server.as(token, method, `/api${path}`, body);
  const stored = () => server.database.db.collection('notes').find().toArray();
  before(async () => {
    server = await serveAccounts({ models: [] });
    token = (await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
  });
  after(() => server.stop());
  beforeEach(async () => {
    await put('api::note.note', note({ secret: password }));
    await server.database.db.collection('notes').deleteMany({});
    await api('POST', '/notes', { data: { title: 'a', secret: 'Passw0rd' } });
    expect(JSON.stringify(await stored())).to.match(hash);
  });

  /** Expects that no hash is stored, answered or found. */
  const expectWiped = async (name: string): Promise<void> => {
    expect(JSON.stringify(await stored())).to.not.match(hash);
    expect(JSON.stringify((await api('GET', '/notes')).body)).to.not.match(hash);
    const found = await api('GET', `/notes?filters[${name}][$notNull]=true`);
    expect(found.body.data, JSON.stringify(found.body)).to.deep.equal([]);
  };

  for (const type of scalarTypes)
    it(`loses its hashes as ${type}`, async () => {
      await put('api::note.note', note({ secret: { type } }));
      await expectWiped('secret');
    });

  it('loses its hashes as an enumeration', async () => {
    await put('api::note.note', note({ secret: { type: 'enumeration', enum: ['a', 'b'] } }));
    await expectWiped('secret');
  });

  it('loses its hashes if it is removed and added again as another attribute', async () => {
    await put('api::note.note', note({}));
    await put('api::note.note', note({ secret: { type: 'string' } }));
    await expectWiped('secret');
  });

  it('keeps its hashes if it is removed and added again as a password', async () => {
    await put('api::note.note', note({}));
    await put('api::note.note', note({ secret: password }));
    expect(JSON.stringify(await stored())).to.match(hash);
  });

  it('loses its hashes in components, lists and dynamic zones', async () => {
    await put('base.part', part({ pin: password }));
    await put('api::note.note', note(parts));
    const item = { label: 'x', pin: 'Passw0rd' };
    const zone = [{ __component: 'base.part', ...item }];
    const created = await api('POST', '/notes', { data: { title: 'b', one: item, many: [item, item], zone } });
    expect(created.status, JSON.stringify(created.body)).to.equal(200);
    await server.database.db.collection('notes').deleteMany({ title: 'a' });
    await put('base.part', part({ pin: { type: 'string' } }));
    expect(JSON.stringify(await stored())).to.not.match(hash);
    const [{ attributes }] = (await api('GET', '/notes?populate=*')).body.data;
    expect([attributes.one.pin, attributes.one.label, attributes.many.length]).to.deep.equal([null, 'x', 2]);
  });

  it('loses its plain texts as a password, and keeps other values', async () => {
    await put('api::note.note', note({ plain: { type: 'string' } }));
    await api('POST', '/notes', { data: { title: 'c', plain: 'in the clear' } });
    await put('api::note.note', note({ plain: password }));
    const rows = await stored();
    expect(JSON.stringify(rows)).to.include('"title":"c"').and.not.include('in the clear');
  });

  it('loses its hashes under another name', async () => {
    await put('api::note.note', note({ code: { type: 'string', renamedFrom: 'secret' } }));
    await expectWiped('code');
  });
});

describe('an attribute that becomes a password while no service runs', () => {
  const uid = 'api::note.note';
  const kept = (attributes: object) => ({ ...note(attributes), uid, options: { history: { versions: 20 } } });
  const plain = { plain: { type: 'string' } };
  const item = { label: 'x', pin: 'a secret' };
  const before: readonly TestModel[] = [{ uid: 'base.part', ...part({ pin: { type: 'string' } }) }, kept({ ...plain, ...parts })];
  const changed = { ...parts, one: { ...parts.one, repeatable: true }, many: { ...parts.many, repeatable: false } };
  const after: readonly TestModel[] = [
    { uid: 'base.part', ...part({ pin: password }) },
    kept({ code: { ...password, renamedFrom: 'plain' }, ...changed }),
  ];

  it('loses its texts in entries and versions, in components of any form', async () => {
    const database = await freshDatabase();
    try {
      const first = await serveModels({ models: before, database });
      const data = { title: 'a', plain: 'a secret', one: item, many: [item], zone: [{ __component: 'base.part', ...item }] };
      expect((await first.call('POST', '/api/notes', { data })).status).to.equal(200);
      await first.stop();
      const read = async () =>
        JSON.stringify([
          await database.db.collection('notes').find().toArray(),
          await database.db.collection('_history').find().toArray(),
        ]);
      expect((await read()).split('a secret')).to.have.length(9);
      const second = await serveModels({ models: after, database });
      await second.stop();
      const rows = await read();
      expect(rows).to.not.include('a secret');
      expect(rows.split('"label":"x"')).to.have.length(7);
    } finally {
      await database.drop();
    }
  });
});
