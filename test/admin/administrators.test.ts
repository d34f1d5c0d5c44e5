import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
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
const memo = 'api::memo.memo';

/** Administrators with one role each. The manager manages others, and may read titles of memos. */
const administrators = {
  manager: [
    [
      { action: 'admin::users.read' },
      { action: 'admin::users.create' },
      { action: 'admin::users.update' },
      { action: 'admin::users.delete' },
      { action: 'admin::roles.read' },
      { action: 'admin::roles.create' },
      { action: 'admin::roles.update' },
      { action: 'read', subject: memo, fields: ['title'] },
    ],
  ],
  reader: [[{ action: 'read', subject: memo, fields: ['title'] }]],
  own: [[{ action: 'read', subject: memo, fields: ['title'], conditions: ['admin::is-creator'] }]],
  notes: [[{ action: 'read', subject: memo, fields: ['title', 'note'] }]],
  tokens: [[{ action: 'admin::api-tokens.create' }]],
} as const;

const permission = (fields: readonly string[]): object => ({
  action: 'plugin::content-manager.explorer.read',
  subject: memo,
  properties: { fields },
});

const unlimited = { admin: { rateLimit: { enabled: false } } };

describe('administrators who manage others', () => {
  let serving: Serving;
  let send: PanelSender;
  const roles = new Map<string, number>();
  const data = async (as: string, method: string, path: string, body?: unknown) => {
    const answer = await send(as, method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201]);
    return answer.body.data;
  };
  const invite = (as: string, name: string, role: string): Promise<Answer> =>
    send(as, 'POST', '/admin/users', { email: `${name}@test.test`, firstname: name, roles: [roles.get(role)] });

  before(async () => {
    serving = await serveModels({ models, config: unlimited });
    send = await openAdministrators(serving, administrators);
    for (const { id, name, code } of await data('super', 'GET', '/admin/roles'))
      roles.set(code === 'strapi-super-admin' ? 'super' : name.replace(/ 0$/, ''), id);
  });
  after(() => serving.stop());

  for (const given of ['reader', 'own', 'manager'])
    it(`give the role "${given}", whose rights they have`, async () => {
      expect((await invite('manager', `with.${given}`, given)).status).to.equal(201);
    });
  for (const given of ['super', 'notes', 'tokens'])
    it(`do not give the role "${given}", whose rights they do not have`, async () => {
      expect((await invite('manager', 'accomplice', given)).status).to.equal(403);
      const { id } = (await invite('super', `in.${given}`, 'reader')).body.data;
      const path = `/admin/users/${String(id)}`;
      expect((await send('manager', 'PUT', path, { roles: [roles.get(given)] })).status).to.equal(403);
      await data('super', 'PUT', path, { roles: [roles.get(given)] });
      expect((await send('manager', 'PUT', path, { password })).status).to.equal(403);
      expect((await send('manager', 'DELETE', path)).status).to.equal(403);
    });
  for (const [title, permissions, status] of [
    ['what they may do', [permission(['title'])], 200],
    ['another attribute', [permission(['title', 'note'])], 403],
    ['another action', [{ action: 'admin::webhooks.create' }], 403],
  ] as const)
    it(`answer ${String(status)} for giving a role ${title}`, async () => {
      const { id } = await data('manager', 'POST', '/admin/roles', { name: title });
      expect((await send('manager', 'PUT', `/admin/roles/${String(id)}/permissions`, { permissions })).status).to.equal(status);
    });

  it('find nothing by the address of a creator', async () => {
    const path = '/content-manager/collection-types/api::memo.memo';
    expect((await send('super', 'POST', path, { title: 'first' })).status).to.be.oneOf([200, 201]);
    for (const [filter, status] of [
      ['filters[createdBy][email][$startsWith]=s', 400],
      ['filters[createdBy][firstname][$startsWith]=s', 200],
      ['filters[$and][0][createdBy][id][$eq]=1', 200],
    ] as const)
      expect([filter, (await send('manager', 'GET', `${path}?${filter}`)).status]).to.deep.equal([filter, status]);
  });

  const lists: readonly (readonly [path: string, status: number])[] = [
    ['/admin/users?filters[email][$contains]=test&sort=isActive:desc&filters[roles][code]=none', 200],
    ['/admin/users?filters[roles][name][$contains]=a&_q=super', 200],
    ['/admin/users?filters[roles][permissions][action][$startsWith]=a', 400],
    ['/admin/users?filters[$or][0][roles][permissions][subject][$notNull]=true', 400],
    ['/admin/users?sort=roles.permissions.action', 400],
    ['/admin/users?filters[roles][users][password][$startsWith]=$2', 400],
    ['/admin/users?filters[password][$startsWith]=$2', 400],
    ['/admin/users?sort=resetPasswordToken', 400],
    ['/admin/users?filters[createdBy][registrationToken][$notNull]=true', 400],
    ['/admin/roles?filters[name][$contains]=e&sort=code', 200],
    ['/admin/roles?filters[permissions][action][$startsWith]=a', 400],
    ['/admin/roles?filters[users][email][$startsWith]=s', 400],
    ['/admin/roles?sort=users.password', 400],
    ['/upload/files?filters[createdBy][roles][permissions][action]=x', 400],
    ['/upload/files?filters[createdBy][email]=x', 400],
    ['/upload/folders?filters[createdBy][roles][code]=x', 400],
    ['/upload/folders?sort=files.createdBy.email', 400],
    ['/content-manager/collection-types/api::memo.memo?filters[createdBy][roles][code]=x', 400],
    ['/content-manager/collection-types/api::memo.memo?filters[nope]=x', 400],
    ['/content-manager/collection-types/plugin::users-permissions.user?filters[password][$startsWith]=$2', 400],
    ['/content-manager/collection-types/plugin::users-permissions.user?filters[resetPasswordToken][$notNull]=true', 400],
  ];
  for (const [path, status] of lists)
    it(`answer ${String(status)} to GET ${path}`, async () => {
      const { body, ...answer } = await send('super', 'GET', path);
      expect(answer.status, JSON.stringify(body)).to.equal(status);
    });

  it('keep one super admin, whatever is asked at once', async () => {
    const { registrationToken } = (await invite('super', 'second', 'super')).body.data;
    await data('', 'POST', '/admin/register', { registrationToken, userInfo: { firstname: 'second', password } });
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
    serving = await serveModels({ models, config: unlimited });
  });
  after(() => serving.stop());

  it('of an invitation end with the first password', async () => {
    const send = await openAdministrators(serving, {});
    const [role] = (await send('super', 'GET', '/admin/roles')).body.data;
    const invited = await send('super', 'POST', '/admin/users', { email: 'new@test.test', firstname: 'new', roles: [role.id] });
    const { id, registrationToken } = invited.body.data;
    await send('super', 'PUT', `/admin/users/${String(id)}`, { password, isActive: false });
    const refused = await send('', 'POST', '/admin/register', { registrationToken, userInfo: { firstname: 'new', password } });
    expect(refused.status).to.equal(400);
  });
});
