import { expect } from 'chai';
import { password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const user = (username: string) => ({ username, email: `${username}@mail.test`, password, role: 1 });
const model = {
  kind: 'collectionType',
  collectionName: 'things',
  info: { singularName: 'thing', pluralName: 'things', displayName: 'Thing' },
  attributes: { name: { type: 'string' } },
};

/** Every kind of change, as it is asked for. */
const changes: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/users', user('new')],
  ['PUT', '/users/1', { username: 'renamed', password: 'Changed12', blocked: true }],
  ['DELETE', '/users/1'],
  ['POST', '/roles', { name: 'New', actions: ['api::article.article.find'] }],
  ['PUT', '/roles/1', { name: 'Renamed', actions: ['api::article.article.find'] }],
  ['PUT', '/roles/1/rules', { rows: { 'api::note.note': { text: 'x' } } }],
  ['DELETE', '/roles/3'],
  ['POST', '/tokens', { name: 'new', type: 'read-only' }],
  ['DELETE', '/tokens/1'],
  ['PUT', '/settings', { advanced: { allow_register: false } }],
  ['POST', '/locales', { code: 'fr', isDefault: true }],
  ['PUT', '/locales/en', { name: 'Renamed', isDefault: true }],
  ['PUT', '/models/api::thing.thing', model],
  ['DELETE', '/models/api::loose.loose'],
];

const changed = ['up_users', 'up_roles', 'up_permissions', '_tokens', '_settings', 'i18n_locales', '_models'];

describe('the log of changes', () => {
  let server: ServingAccounts;
  before(async () => {
    server = await serveAccounts();
    await server.admin('POST', '/users', user('ann'));
    await server.admin('POST', '/tokens', { name: 'old', type: 'read-only' });
    await server.admin('POST', '/roles', { name: 'Old' });
    await server.admin('PUT', '/settings', { advanced: { allow_register: true } });
    await server.admin('PUT', '/locales/en', { isDefault: true });
    const info = { singularName: 'loose', pluralName: 'looses', displayName: 'Loose' };
    await server.admin('PUT', '/models/api::loose.loose', { ...model, collectionName: 'looses', info });
  });
  after(() => server.stop());

  const stored = async (): Promise<unknown> => {
    const { db } = server.database;
    return Promise.all(changed.map((name) => db.collection(name).find().sort({ _id: 1 }).toArray()));
  };
  const lastRecord = async () => (await server.admin('GET', '/audit?limit=1')).body.data[0];

  describe('where it cannot be written', () => {
    before(() => allowStatus({ $ne: 200 }));
    after(() => allowStatus({ $exists: true }));

    const allowStatus = (status: object): Promise<unknown> =>
      server.database.db.command({ collMod: '_audit', validator: { status } });

    for (const [method, path, body] of changes)
      it(`keeps ${method} ${path} from changing anything`, async () => {
        const before = await stored();
        expect((await server.admin(method, path, body)).status).to.equal(500);
        expect(await stored()).to.deep.equal(before);
        expect(await lastRecord()).to.include({ what: `${method} ${path}`, status: 500, changed: false });
      });
  });

  describe('where it can be written', () => {
    for (const [method, path] of [
      ['POST', '/users'],
      ['PUT', '/users/99'],
      ['DELETE', '/roles/99'],
      ['POST', '/tokens'],
      ['PUT', '/models/api::thing.thing'],
      ['DELETE', '/locales/xx'],
    ] as const)
      it(`has ${method} ${path} that failed, with its status`, async () => {
        const { status } = await server.admin(method, path, {});
        expect(status).to.be.oneOf([400, 404]);
        expect(await lastRecord()).to.include({ what: `${method} ${path}`, status, changed: false });
      });

    it('has every change that was made, and no secret', async () => {
      for (const [method, path, body] of changes.filter(([verb]) => verb !== 'DELETE')) {
        const { status } = await server.admin(method, path, body);
        expect(status, path).to.equal(200);
        expect(await lastRecord()).to.include({ what: `${method} ${path}`, status: 200, changed: true });
      }
      await server.admin('POST', '/users', { username: 'x', password: 12345678 });
      const text = JSON.stringify(await server.database.db.collection('_audit').find().toArray());
      expect(text).to.not.match(/Passw0rd!|Changed12|12345678/);
    });

    it('knows a dry run from a change', async () => {
      await server.admin('PUT', '/models/api::other.other?dryRun=true', { ...model, collectionName: 'others' });
      expect(await lastRecord()).to.include({ what: 'PUT /models/api::other.other', changed: false });
      await server.admin('PUT', '/locales/en', { name: 'English' });
      expect(await lastRecord()).to.include({ what: 'PUT /locales/en', status: 200, changed: true });
      expect((await server.admin('PUT', '/locales/en?dryRun=true', { name: 'Other' })).status).to.equal(400);
    });

    it('has each of several changes at once', async () => {
      const answers = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) => server.admin('POST', '/locales', { code: 'es', name })),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400, 400, 400]);
      const { body } = await server.admin('GET', '/audit?limit=4');
      expect(body.data.map(({ status }: { status: number }) => status).sort()).to.deep.equal([200, 400, 400, 400]);
    });
  });
});
