import { expect } from 'chai';
import { type Answer, serveModels, type Serving, type TestModel } from '../support/serve.js';

const models: readonly TestModel[] = [
  {
    uid: 'api::memo.memo',
    kind: 'collectionType',
    collectionName: 'memos',
    info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
    attributes: { title: { type: 'string' }, note: { type: 'string' } },
  },
];

const password = 'Password1';
const read = 'plugin::content-manager.explorer.read';
const memo = (fields: readonly string[], conditions: readonly string[] = []) => ({
  action: read,
  subject: 'api::memo.memo',
  properties: { fields },
  conditions,
});

/** Those who manage others, and may read titles of memos themselves. */
const manager = [
  ...['users.read', 'users.create', 'users.update', 'users.delete', 'roles.read', 'roles.create', 'roles.update'].map((name) => ({
    action: `admin::${name}`,
  })),
  memo(['title']),
];

describe('administrators who manage others', () => {
  let serving: Serving;
  const tokens = new Map<string, string>();
  const roles = new Map<string, number>();
  const send = async (as: string, method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${serving.server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.get(as) ?? as}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  const data = async (as: string, method: string, path: string, body?: unknown) => {
    const answer = await send(as, method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201]);
    return answer.body.data;
  };
  const role = async (name: string, permissions: readonly object[]): Promise<void> => {
    const { id } = await data('super', 'POST', '/admin/roles', { name });
    await data('super', 'PUT', `/admin/roles/${String(id)}/permissions`, { permissions });
    roles.set(name, id);
  };
  const invite = async (as: string, name: string, given: string): Promise<Answer> =>
    send(as, 'POST', '/admin/users', { email: `${name}@test.test`, firstname: name, roles: [roles.get(given)] });
  const register = (registrationToken: string, firstname: string): Promise<Answer> =>
    send('', 'POST', '/admin/register', { registrationToken, userInfo: { firstname, password } });

  before(async () => {
    serving = await serveModels({ models });
    const first = await data('', 'POST', '/admin/register-admin', { email: 'super@test.test', firstname: 'super', password });
    tokens.set('super', first.token);
    roles.set('super', first.user.roles[0].id);
    await role('manager', manager);
    await role('reader', [memo(['title'])]);
    await role('own reader', [memo(['title'], ['admin::is-creator'])]);
    await role('note reader', [memo(['title', 'note'])]);
    await role('token maker', [{ action: 'admin::api-tokens.create' }]);
    const invited = await invite('super', 'manager', 'manager');
    tokens.set('manager', (await register(invited.body.data.registrationToken, 'manager')).body.data.token);
  });
  after(() => serving.stop());

  for (const given of ['reader', 'own reader', 'manager'])
    it(`give the role "${given}", whose rights they have`, async () => {
      expect((await invite('manager', `with.${given.replace(' ', '.')}`, given)).status).to.equal(201);
    });
  for (const given of ['super', 'note reader', 'token maker'])
    it(`do not give the role "${given}", whose rights they do not have`, async () => {
      expect((await invite('manager', 'accomplice', given)).status).to.equal(403);
      const { id } = (await invite('super', `in.${given.replace(' ', '.')}`, 'reader')).body.data;
      const path = `/admin/users/${String(id)}`;
      expect((await send('manager', 'PUT', path, { roles: [roles.get(given)] })).status).to.equal(403);
      await data('super', 'PUT', path, { roles: [roles.get(given)] });
      expect((await send('manager', 'PUT', path, { password })).status).to.equal(403);
      expect((await send('manager', 'DELETE', path)).status).to.equal(403);
    });
  for (const [title, permissions, status] of [
    ['what they may do', [memo(['title'])], 200],
    ['another attribute', [memo(['title', 'note'])], 403],
    ['another action', [{ action: 'admin::webhooks.create' }], 403],
  ] as const)
    it(`answer ${String(status)} for giving a role ${title}`, async () => {
      const { id } = await data('manager', 'POST', '/admin/roles', { name: title });
      expect((await send('manager', 'PUT', `/admin/roles/${String(id)}/permissions`, { permissions })).status).to.equal(status);
    });

  it('find nothing by the address of a creator', async () => {
    const path = '/content-manager/collection-types/api::memo.memo';
    expect((await send('super', 'POST', path, { title: 'first' })).status).to.be.oneOf([200, 201]);
    const totalOf = async (filter: string): Promise<number> =>
      (await send('manager', 'GET', `${path}?${filter}`)).body.pagination.total;
    const all = await totalOf('');
    expect(all).to.equal(1);
    for (const start of ['s', 'z']) expect(await totalOf(`filters[createdBy][email][$startsWith]=${start}`)).to.equal(all);
  });

  it('keep one super admin, whatever is asked at once', async () => {
    const second = await invite('super', 'second', 'super');
    tokens.set('second', (await register(second.body.data.registrationToken, 'second')).body.data.token);
    const ids = (await data('super', 'GET', '/admin/users?pageSize=100')).results
      .filter(
        (one: { roles: { code: string }[]; isActive: boolean }) =>
          one.isActive && one.roles.some(({ code }) => code === 'strapi-super-admin'),
      )
      .map(({ id }: { id: number }) => id);
    expect(ids).to.have.length(2);
    const answers = await Promise.all(
      ids.map((id: number) => send('super', 'PUT', `/admin/users/${String(id)}`, { isActive: false })),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    const active = await serving.database.db.collection('admin_users').countDocuments({ _id: { $in: ids }, isActive: true });
    expect(active).to.equal(1);
  });
});

describe('codes of administrators', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models });
  });
  after(() => serving.stop());

  it('of an invitation end with the first password', async () => {
    const post = async (path: string, body: object, token = ''): Promise<Answer> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const method = path.startsWith('PUT ') ? 'PUT' : 'POST';
      const url = `${serving.server.url}${path.replace('PUT ', '')}`;
      const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    const first = await post('/admin/register-admin', { email: 'super@test.test', firstname: 'super', password });
    const { token, user } = first.body.data;
    const roles = user.roles.map(({ id }: { id: number }) => id);
    const invited = (await post('/admin/users', { email: 'new@test.test', firstname: 'new', roles }, token)).body.data;
    await post(`PUT /admin/users/${String(invited.id)}`, { password, isActive: false }, token);
    const { registrationToken } = invited;
    const refused = await post('/admin/register', { registrationToken, userInfo: { firstname: 'new', password } });
    expect(refused.status).to.equal(400);
  });
});
