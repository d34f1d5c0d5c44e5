import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

/** Prefixes of a route whose router has the prefix `/router`, and the paths that it then has. */
const prefixes: readonly (readonly [config: string, path: string])[] = [
  ['{ prefix: false }', '/api/a'],
  ['{ prefix: null }', '/api/b'],
  ["{ prefix: '' }", '/api/c'],
  ["{ prefix: '/own' }", '/api/own/d'],
  ['{}', '/api/router/e'],
];

const routes = prefixes.map(
  ([config, path]) =>
    `{ method: 'GET', path: '/${path.at(-1) ?? ''}', handler: () => ({ own: true }), config: { auth: false, ...${config} } }`,
);

describe('members of plugins and routes', () => {
  let serving: ServedProject;
  before(async () => {
    const router = `module.exports = { prefix: '/router', routes: [${routes.join(', ')}] };`;
    serving = await serveProject({ 'src/api/page/routes/page.js': router }, { models: [] });
  });
  after(() => serving.stop());

  for (const [config, path] of prefixes)
    it(`a route with ${config} is at ${path}`, async () => {
      expect(await serving.call('GET', path)).to.deep.equal({ status: 200, body: { own: true } });
    });

  it('the provider of e-mails sends', () => {
    expect(serving.strapi.plugin('email').provider.send).to.be.a('function');
    expect(serving.strapi.plugins.email.provider.send).to.equal(serving.strapi.plugins.email.services.email.send);
  });

  for (const [plugin, member] of [
    ['email', 'routes'],
    ['i18n', 'routes'],
    ['upload', 'policies'],
    ['users-permissions', 'middlewares'],
  ] as const)
    it(`strapi.plugin('${plugin}').${member} is named as missing`, () => {
      expect(() => serving.strapi.plugin(plugin)[member] as unknown).to.throw(
        `strapi.plugin('${plugin}').${member} is not offered`,
      );
    });
});
