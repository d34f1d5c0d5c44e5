import { expect } from 'chai';
import { password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const own = (...names: string[]) => names.map((name) => `plugin::users-permissions.user.${name}`);
const note = 'api::note.note';
const rules = {
  rows: {
    'plugin::users-permissions.user': { id: { $eq: '$user.id' } },
    'plugin::users-permissions.role': { id: { $eq: '$user.role' } },
    [note]: { text: { $eq: 'shown' } },
  },
  fields: { 'plugin::users-permissions.user': { deny: ['role', 'confirmed', 'provider'] } },
};

/** Users have all rights on the users that a rule shows them, and may find the notes that a rule shows. */
describe('users under the rules of a role', () => {
  let server: ServingAccounts;
  let ann: { readonly id: number; readonly jwt: string };
  let bob: { readonly id: number; readonly jwt: string };

  before(async () => {
    server = await serveAccounts();
    await server.admin('PUT', '/models/plugin::users-permissions.user', {
      kind: 'collectionType',
      collectionName: 'up_users',
      info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
      attributes: { notes: { type: 'relation', relation: 'oneToMany', target: note } },
    });
    await server.admin('PUT', '/roles/2', { actions: ['plugin::users-permissions.auth.callback'] });
    const actions = [
      ...own('me', 'find', 'findOne', 'count', 'create', 'update', 'destroy'),
      ...['find', 'findOne', 'create'].map((action) => `${note}.${action}`),
      ...['find', 'updateRole', 'deleteRole'].map((action) => `plugin::users-permissions.role.${action}`),
    ];
    await server.admin('PUT', '/roles/1', { actions });
    ann = await server.addUser('ann');
    bob = await server.addUser('bob');
    await server.admin('PUT', '/roles/1/rules', rules);
    const { body } = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    for (const text of ['shown', 'hidden'])
      await server.as(body.data.accessKey, 'POST', '/api/notes', { data: { text, owner: bob.id } });
    await server.as(body.data.accessKey, 'PUT', `/api/users/${String(ann.id)}`, { notes: [1, 2] });
  });
  after(() => server.stop());

  const stored = (id: number) => server.database.db.collection<{ _id: number }>('up_users').findOne({ _id: id });
  const put = (id: number, body: object) => server.as(ann.jwt, 'PUT', `/api/users/${String(id)}`, body);

  it('are changed only if the rule shows them', async () => {
    expect((await put(bob.id, { username: 'bobby' })).body.error.message).to.equal('User not found');
    expect((await put(ann.id, { username: 'annie' })).body.username).to.equal('annie');
    expect(await stored(bob.id)).to.include({ username: 'bob' });
  });

  it('are changed over GraphQL only if the rule shows them', async () => {
    const change = (id: number) =>
      `mutation { updateUsersPermissionsUser(id: ${String(id)}, data: { username: "eve" }) { data { id } } }`;
    const { body } = await server.as(ann.jwt, 'POST', '/graphql', { query: change(bob.id) });
    expect(body.errors[0].message).to.equal('User not found');
    expect(await stored(bob.id)).to.include({ username: 'bob' });
  });

  it('are deleted only if the rule shows them', async () => {
    await server.as(ann.jwt, 'DELETE', `/api/users/${String(bob.id)}`);
    expect(await stored(bob.id)).to.not.equal(null);
  });

  it('are not changed in attributes hidden from the caller', async () => {
    await put(ann.id, { role: 2, confirmed: false, provider: 'other' });
    expect(await stored(ann.id)).to.include({ role: 1, confirmed: true, provider: 'local' });
  });

  it('are created without values of attributes hidden from the caller', async () => {
    const body = { username: 'new', email: 'new@mail.test', password, role: 1, confirmed: true };
    expect((await server.as(ann.jwt, 'POST', '/api/users', body)).status, 'it would be another user').to.equal(403);
    await server.admin('PUT', '/roles/1/rules', { rows: null });
    expect((await server.as(ann.jwt, 'POST', '/api/users', body)).status).to.equal(201);
    const made = await server.database.db.collection('up_users').findOne({ username: 'new' });
    expect(made).to.include({ role: null, confirmed: false, provider: 'local' });
    await server.admin('PUT', '/roles/1/rules', rules);
  });

  it('are not linked to what a rule hides', async () => {
    expect((await put(ann.id, { notes: { connect: [2] } })).body.error.message).to.match(/do not exist$/);
    expect((await put(ann.id, { notes: { connect: [1] } })).status).to.equal(200);
  });

  it('do not see hidden entries through their own relations', async () => {
    const { body } = await server.as(ann.jwt, 'GET', '/api/users/me?populate[notes][populate]=owner');
    expect(body.notes.map(({ text }: { text: string }) => text)).to.deep.equal(['shown']);
    expect(JSON.stringify(body)).to.not.include('bob');
  });

  it('see nothing over GraphQL that is hidden from them', async () => {
    const query = '{ me { id username confirmed role { name } } }';
    const { body } = await server.as(ann.jwt, 'POST', '/graphql', { query });
    expect(body.data.me).to.deep.equal({ id: String(ann.id), username: 'annie', confirmed: null, role: null });
  });

  it('change and delete only roles that a rule shows', async () => {
    for (const method of ['PUT', 'DELETE'])
      expect((await server.as(ann.jwt, method, '/api/users-permissions/roles/2', { name: 'Mine' })).status).to.equal(404);
  });
});

describe('addresses of users', () => {
  let server: ServingAccounts;
  before(async () => {
    server = await serveAccounts();
    await server.admin('POST', '/users', { username: 'ann', email: 'ann@mail.test', password, role: 1 });
    await server.admin('POST', '/users', { username: 'bob', email: 'bob@mail.test', password, role: 1 });
  });
  after(() => server.stop());

  const withEmail = (email: string) => server.database.db.collection('up_users').countDocuments({ email });

  it('are taken by one of several concurrent requests, of whatever kind', async () => {
    const { body } = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    const token: string = body.data.accessKey;
    for (const round of ['a', 'b', 'c', 'd']) {
      const email = `race-${round}@mail.test`;
      const answers = await Promise.all([
        server.admin('PUT', '/users/1', { email }),
        server.as(token, 'PUT', '/api/users/2', { email }),
        server.as(token, 'POST', '/api/users', { username: `cat${round}`, email, password, role: 1 }),
        server.admin('POST', '/users', { username: `dan${round}`, email, password, role: 1 }),
        server.as(null, 'POST', '/api/auth/local/register', { username: `eve${round}`, email, password }),
      ]);
      expect(answers.filter(({ status }) => status < 300)).to.have.length(1);
      expect(await withEmail(email)).to.equal(1);
    }
  });

  it('cannot be the name of another user', async () => {
    await server.admin('POST', '/users', { username: 'zed', email: 'zed@mail.test', password, role: 1 });
    const { status, body } = await server.admin('PUT', '/users/1', { username: 'Zed@mail.test' });
    expect([status, body.error.message]).to.deep.equal([400, 'Username already taken']);
  });
});
