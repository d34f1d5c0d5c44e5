import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const memo = {
  kind: 'collectionType',
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
  attributes: { text: { type: 'string' } },
};

/** A middleware that writes in a header what it sees after `next`. */
const see = (name: string): string => `async (ctx, next) => {
  await next();
  ctx.append('x-seen', '${name} ' + ctx.status + ' ' + (ctx.body?.error?.message ?? (ctx.body === undefined ? 'nothing' : 'answer'))); }`;

const files = {
  'src/api/memo/content-types/memo/schema.json': JSON.stringify(memo),
  'src/api/memo/controllers/memo.js':
    "module.exports = require('@strapi/strapi').factories.createCoreController('api::memo.memo');",
  'src/api/memo/routes/memo.js': "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::memo.memo');",
  'src/api/memo/routes/own.js': `const { errors } = require('@strapi/utils');
    const route = (path, handler) => ({ method: 'GET', path, handler, config: { auth: false } });
    module.exports = { routes: [
      route('/fine', () => ({ fine: true })),
      route('/broken', () => { throw new Error('a secret'); }),
      route('/busy', (ctx) => ctx.throw(503, 'busy')),
      route('/refused', () => { throw new errors.ApplicationError('own text', { own: true }); }),
    ] };`,
  'src/middlewares/outer.js': `module.exports = () => async (ctx, next) => {
    await (${see('outer')})(ctx, next);
    if (ctx.query.format === 'own') ctx.body = { own: ctx.body.error.message };
    if (ctx.query.format === 'changed') ctx.body.error.message = 'changed'; };`,
  'src/middlewares/inner.js': `module.exports = (config, { strapi }) => async (ctx, next) => {
    await (${see('inner')})(ctx, next);
    if (ctx.query.page === 'own' && ctx.status === 404 && ctx.body == null) ctx.body = { page: strapi.config.get('own') }; };`,
  'src/index.js': `module.exports = {
    register({ strapi }) {
      globalThis.projectStrapi = strapi;
      strapi.config.set('own', 'a page');
      strapi.server.use(${see('registered')});
      strapi.server.app.use(${see('second')});
    },
    bootstrap({ strapi }) { strapi.server.use(${see('bootstrapped')}); } };`,
  'config/middlewares.js': "module.exports = ['strapi::logger', 'global::outer', 'strapi::errors', 'global::inner'];",
};

/** What the middlewares see, from the inside to the outside. */
const cases: readonly (readonly [path: string, status: number, inner: string, outer: string])[] = [
  ['/api/fine', 200, '200 answer', '200 answer'],
  ['/api/memos/7', 404, '404 nothing', '404 Not Found'],
  ['/nothing', 404, '404 nothing', '404 Not Found'],
  ['/api/users/me', 403, '403 Forbidden', '403 Forbidden'],
  ['/api/refused', 400, '', '400 own text'],
  ['/api/broken', 500, '', '500 Internal Server Error'],
];

describe('middlewares around all requests', () => {
  let serving: ServedProject;
  let log: Log;
  before(async () => {
    log = await createLog();
    const config = { api: { open: false } };
    serving = await serveProject(files, { models: [{ uid: 'api::memo.memo', ...memo }], config, logger: log.logger });
    const { id } = await serving.strapi.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
    const data = { action: 'api::memo.memo.findOne', role: id };
    await serving.strapi.query('plugin::users-permissions.permission').create({ data });
  });
  after(() => serving.stop());

  it('may change the answer of an error in place', async () => {
    const response = await fetch(`${serving.server.url}/api/refused?format=changed`);
    const { error } = (await response.json()) as { readonly error: { readonly message: string } };
    expect([response.status, error.message]).to.deep.equal([400, 'changed']);
  });

  it('keep what a 503 says of the next attempt', async () => {
    for (const path of ['/api/busy', '/api/busy?format=own']) {
      const { status, headers } = await fetch(`${serving.server.url}${path}`);
      expect([status, headers.get('retry-after')]).to.deep.equal([503, '1']);
    }
  });

  for (const [path, status, inner, outer] of cases)
    it(`see ${path} before and after strapi::errors`, async () => {
      const response = await fetch(`${serving.server.url}${path}`);
      const insides = inner === '' ? [] : [`bootstrapped ${inner}`, `inner ${inner}`];
      const seen = [...insides, `outer ${outer}`, `second ${outer}`, `registered ${outer}`];
      expect([response.status, response.headers.get('x-seen')]).to.deep.equal([status, seen.join(', ')]);
    });

  it('may give errors another form, which are reported nevertheless', async () => {
    const answer = await serving.call('GET', '/api/broken?format=own');
    expect([answer.status, answer.body]).to.deep.equal([500, { own: 'Internal Server Error' }]);
    expect(JSON.stringify(log.lines)).to.contain('a secret');
  });

  it('are no reason to reach other members of the application, which are refused', () => {
    const { server, EE } = serving.strapi;
    expect(() => server.app.callback as unknown).to.throw('strapi.server.app.callback is not offered');
    expect(() => Object.assign(server.app, { proxy: true })).to.throw(TypeError);
    expect([server.app.env, EE]).to.deep.equal(['development', false]);
  });

  it('may answer unknown paths', async () => {
    expect(await serving.call('GET', '/nothing?page=own')).to.deep.equal({ status: 200, body: { page: 'a page' } });
  });
});
