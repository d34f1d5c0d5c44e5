import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
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
  let log: Log;
  before(async () => {
    log = await createLog();
    const router = `module.exports = { prefix: '/router', routes: [${routes.join(', ')}] };`;
    const allow = 'module.exports = () => true;';
    const files = { 'src/api/page/routes/page.js': router, 'src/policies/allow.js': allow, 'src/middlewares/pass.js': allow };
    serving = await serveProject(files, { models: [], logger: log.logger });
  });
  after(() => serving.stop());

  for (const [config, path] of prefixes)
    it(`a route with ${config} is at ${path}`, async () => {
      expect(await serving.call('GET', path)).to.deep.equal({ status: 200, body: { own: true } });
    });

  it('policies and middlewares are listed by their names', () => {
    expect(Object.keys(serving.strapi.policies)).to.deep.equal(['global::allow']);
    expect(Object.keys(serving.strapi.middlewares)).to.deep.equal(['global::pass']);
    expect(serving.strapi.policies['global::allow']).to.equal(serving.strapi.policy('global::allow'));
  });

  for (const [given, level] of [
    [['error', 'logged'], 50],
    [['http', 'logged'], 30],
    [[{ level: 'warn', message: 'logged', part: 1 }], 40],
    [['unknown', 'logged'], 30],
  ] as const)
    it(`strapi.log.log(${JSON.stringify(given)}) has the level ${String(level)}`, () => {
      serving.strapi.log.log(...given);
      expect(log.lines.at(-1)).to.include({ msg: 'logged', level });
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
