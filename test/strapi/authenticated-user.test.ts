import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const extension = `module.exports = (plugin) => {
  const given = plugin.services.user;
  plugin.services.user = (input) => ({ ...given(input), async fetchAuthenticatedUser(id) {
    const user = await strapi.entityService.findOne('plugin::users-permissions.user', id);
    return user.username === 'gone' ? null : { ...user, tenant: 7 };
  } });
  return plugin;
};`;

const route = `module.exports = { routes: [{ method: 'GET', path: '/mine', handler: (ctx) => ({ name: ctx.state.user.username, tenant: ctx.state.user.tenant }) }] };`;

describe('fetchAuthenticatedUser of an extension', () => {
  let serving: ServedProject;
  before(async () => {
    const files = { 'src/extensions/users-permissions/strapi-server.js': extension, 'src/api/mine/routes/mine.js': route };
    serving = await serveProject(files, { models: [] });
  });
  after(() => serving.stop());

  for (const [username, status, body] of [
    ['ann', 200, { name: 'ann', tenant: 7 }],
    ['gone', 401, null],
  ] as const)
    it(`is called for ${username}`, async () => {
      const data = { username, email: `${username}@mail.test`, provider: 'local', confirmed: true, role: 1 };
      const { id } = await serving.strapi.entityService.create('plugin::users-permissions.user', { data });
      const token = serving.strapi.plugin('users-permissions').service('jwt').issue({ id });
      const answer = await fetch(`${serving.server.url}/api/mine`, { headers: { authorization: `Bearer ${String(token)}` } });
      expect(answer.status).to.equal(status);
      if (body !== null) expect(await answer.json()).to.deep.equal(body);
    });
});
