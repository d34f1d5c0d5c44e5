import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const extension = `module.exports = (plugin) => {
  const given = plugin.services.user;
  plugin.services.user = (input) => ({ ...given(input), async fetchAuthenticatedUser(id) {
    const user = await strapi.entityService.findOne('plugin::users-permissions.user', id);
    globalThis.fetched += user.username;
    const role = user.username === 'raised' ? { id: 2 } : undefined;
    return user.username === 'gone' ? null : { ...user, blocked: user.username === 'locked', role, tenant: 7 };
  } });
  return plugin;
};`;

const route = `module.exports = { routes: [{ method: 'GET', path: '/mine', handler: (ctx) => ({ name: ctx.state.user.username, tenant: ctx.state.user.tenant }) }] };`;

describe('fetchAuthenticatedUser of an extension', () => {
  let serving: ServedProject;
  before(async () => {
    const files = {
      'src/extensions/users-permissions/strapi-server.js': extension,
      'src/api/mine/routes/mine.js': route,
      'src/index.js': `module.exports = { register({ strapi }) {
        globalThis.projectStrapi = strapi;
        strapi.plugin('graphql').service('extension').use({
          typeDefs: 'type Query { tenant: Int }',
          resolvers: { Query: { tenant: (_, args, { state }) => state.user.tenant } },
          resolversConfig: { 'Query.tenant': { auth: false } },
        }); } };`,
    };
    const config = { api: { open: false }, plugins: { graphql: { enabled: true } } } as const;
    serving = await serveProject(files, { models: [], config });
    for (const action of [
      'plugin::users-permissions.user.me',
      'plugin::users-permissions.user.find',
      'plugin::upload.content-api.find',
    ])
      await serving.strapi.query('plugin::users-permissions.permission').create({ data: { action, role: 1 } });
    await serving.strapi
      .query('plugin::users-permissions.permission')
      .create({ data: { action: 'plugin::users-permissions.role.find', role: 2 } });
  });
  after(() => serving.stop());

  const answered: readonly (readonly [username: string, request: string, status: number, body: unknown])[] = [
    ['ann', '/api/mine', 200, { name: 'ann', tenant: 7 }],
    ['ann', '/api/users/me', 200, null],
    ['ann', '/api/upload/files', 200, []],
    ['ann', '/api/users-permissions/roles', 403, null],
    ['raised', '/api/users-permissions/roles', 200, null],
    ['raised', '/api/upload/files', 403, null],
    ['ann', '{ tenant }', 200, { data: { tenant: 7 } }],
    ['gone', '/api/mine', 401, null],
    ['gone', '/api/users/me', 401, null],
    ['gone', '/api/upload/files', 401, null],
    ['gone', '{ tenant }', 401, null],
    ['locked', '/api/users/me', 401, null],
    ['locked', '{ tenant }', 401, null],
  ];
  for (const [username, request, status, body] of answered)
    it(`is called once for ${username} and ${request}, and answered with ${String(status)}`, async () => {
      const users = serving.strapi.query('plugin::users-permissions.user');
      const data = { username, email: `${username}@mail.test`, provider: 'local', confirmed: true, role: 1 };
      const { id } = (await users.findOne({ where: { username } })) ?? (await users.create({ data }));
      const token = serving.strapi.plugin('users-permissions').service('jwt').issue({ id });
      Object.assign(globalThis, { fetched: '' });
      const headers = { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' };
      const answer = request.startsWith('/')
        ? await fetch(`${serving.server.url}${request}`, { headers })
        : await fetch(`${serving.server.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: request }) });
      expect([answer.status, Reflect.get(globalThis, 'fetched')]).to.deep.equal([status, username]);
      if (body !== null) expect(await answer.json()).to.deep.equal(body);
    });
});
