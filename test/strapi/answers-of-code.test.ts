import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const memo = {
  kind: 'collectionType',
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
  attributes: { text: { type: 'string' } },
};

const routes = `const { errors } = require('@strapi/utils');
const raise = (error) => () => { throw error; };
class HttpError extends Error {} // that of http-errors has the same form
class UnavailableError extends HttpError {}
const httpError = (status) => Object.assign(new UnavailableError('own text'), { status, statusCode: status, expose: status < 500, details: {} });
const route = (path, handler, config = {}, method = 'GET') => ({ method, path, handler, config: { auth: false, ...config } });
module.exports = { routes: [
  route('/memos', 'memo.write', {}, 'POST'),
  route('/refused', raise(new errors.ForbiddenError('own text', { own: true }))),
  route('/unknown', raise(new errors.UnauthorizedError('own text'))),
  route('/policy', () => 'never', { policies: [() => { throw new errors.PolicyError('own text'); }] }),
  route('/closed', () => 'never', { policies: [() => false] }),
  route('/kettle', (ctx) => { ctx.status = 418; }),
  route('/gone', raise(new errors.NotFoundError('own text'))),
  route('/returned', () => new errors.ValidationError('own text', { own: true })),
  route('/set', (ctx) => { ctx.body = { error: new errors.NotFoundError('own text') }; }),
  route('/thrown', (ctx) => ctx.throw(503, 'own text')),
  route('/http-503', raise(httpError(503))),
  route('/http-409', raise(httpError(409))),
  route('/file', (ctx) => { ctx.body = require('node:fs').createReadStream(ctx.query.path); }),
  route('/thrown-error', (ctx) => ctx.throw(new Error('a secret'))),
  route('/thrown-error-500', (ctx) => ctx.throw(500, new Error('a secret'))),
  route('/thrown-error-409', (ctx) => ctx.throw(409, new Error('own text'))),
  route('/bad-error', (ctx) => ctx.badRequest(new TypeError('own text'))),
  route('/bad-status', (ctx) => ctx.badRequest(Object.assign(new Error('own text'), { status: 409 }))),
  route('/bad-validation', (ctx) => ctx.internalServerError(new errors.ValidationError('own text'))),
  route('/bad-object', (ctx) => ctx.notFound({ message: 'own text' })),
] };`;

const files = {
  'src/api/memo/content-types/memo/schema.json': JSON.stringify(memo),
  'src/api/memo/controllers/memo.js': `module.exports = require('@strapi/strapi').factories.createCoreController('api::memo.memo', {
    async write(ctx) {
      return this.transformResponse(await strapi.entityService.create('api::memo.memo', { data: ctx.request.body, fields: ['text'] }));
    } });`,
  'src/api/memo/routes/memo.js': routes,
  'src/middlewares/note.js': `module.exports = () => async (ctx, next) => {
    await next();
    ctx.set('x-seen', ctx.body?.error?.message ?? 'none'); };`,
  'config/middlewares.js': `const handlers = { 418: (ctx) => { ctx.body = { kettle: ctx.path }; } };
    module.exports = ['strapi::errors', 'global::note', { name: 'strapi::responses', config: { handlers } }];`,
};

/** Answers, and what a middleware of config/middlewares sees of them; null if the error passes it by. */
const refusals: readonly (readonly [path: string, status: number, name: string, message: string, seen: string | null])[] = [
  ['/api/refused', 403, 'ForbiddenError', 'Forbidden', 'Forbidden'],
  ['/api/unknown', 401, 'UnauthorizedError', 'Unauthorized', 'Unauthorized'],
  ['/api/policy', 403, 'ForbiddenError', 'Forbidden', 'Forbidden'],
  ['/api/closed', 403, 'ForbiddenError', 'Forbidden', 'Forbidden'],
  ['/api/users/me', 403, 'ForbiddenError', 'Forbidden', 'Forbidden'],
  ['/api/nothing', 404, 'NotFoundError', 'Not Found', 'none'],
  ['/nothing', 404, 'NotFoundError', 'Not Found', 'none'],
  ['/api/gone', 404, 'NotFoundError', 'own text', null],
  ['/api/thrown', 503, 'ServiceUnavailableError', 'own text', null],
  ['/api/http-503', 503, 'Error', 'own text', null],
  ['/api/http-409', 409, 'Error', 'own text', null],
  ['/api/bad-error', 400, 'TypeError', 'own text', 'own text'],
  ['/api/bad-status', 409, 'Error', 'own text', 'own text'],
  ['/api/bad-validation', 500, 'ValidationError', 'own text', 'own text'],
  ['/api/bad-object', 404, 'NotFoundError', 'Not Found', 'Not Found'],
];

describe('answers of code', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject(files, { models: [{ uid: 'api::memo.memo', ...memo }], config: { api: { open: false } } });
  });
  after(() => serving.stop());

  it('are 404 for a stream of a file that does not exist', async () => {
    const { status, body } = await serving.call('GET', '/api/file?path=/no/such/file');
    expect([status, body.error.message]).to.deep.equal([404, 'Not Found']);
    expect((await serving.call('GET', `/api/file?path=${encodeURIComponent(import.meta.filename)}`)).status).to.equal(200);
  });

  it('are changed by the handlers of strapi::responses, by their status', async () => {
    expect(await serving.call('GET', '/api/kettle')).to.deep.equal({ status: 418, body: { kettle: '/api/kettle' } });
  });

  it('hide an error that ctx.throw is given without a 4xx status', async () => {
    const hidden = { status: 500, name: 'InternalServerError', message: 'Internal Server Error' };
    for (const path of ['/api/thrown-error', '/api/thrown-error-500'])
      expect((await serving.call('GET', path)).body).to.deep.equal({ data: null, error: hidden });
    const shown = { status: 409, name: 'Error', message: 'own text' };
    expect((await serving.call('GET', '/api/thrown-error-409')).body).to.deep.equal({ data: null, error: shown });
  });

  it('have the name, the message and the details of an error that code answers', async () => {
    const returned = { name: 'ValidationError', message: 'own text', details: { own: true } };
    expect(await serving.call('GET', '/api/returned')).to.deep.equal({ status: 200, body: returned });
    const set = { name: 'NotFoundError', message: 'own text', details: {} };
    expect(await serving.call('GET', '/api/set')).to.deep.equal({ status: 200, body: { error: set } });
  });

  for (const [path, status, name, message, seen] of refusals)
    it(`${path} is a ${name} that ${seen === null ? 'passes middlewares by' : 'middlewares see'}`, async () => {
      const response = await fetch(`${serving.server.url}${path}`);
      const { error } = (await response.json()) as { readonly error: Readonly<Record<string, unknown>> };
      expect({ ...error, seen: response.headers.get('x-seen') }).to.deep.include({ status, name, message, seen });
      expect([error['details'], response.headers.get('content-type')]).to.deep.equal([
        name === 'ServiceUnavailableError' ? undefined : {},
        'application/json; charset=utf-8',
      ]);
    });

  for (const [query, status, body] of [
    ['', 200, { data: { id: 1, attributes: { text: 'one' } }, meta: {} }],
    ['?format=flat', 200, { data: { id: 2, text: 'one' }, meta: {} }],
    [
      '?a[b][c][d][e][f][g][h][i][j][k][l][m][n][o][p][q][r][s][t][u][v][w]=1',
      200,
      { data: { id: 3, attributes: { text: 'one' } }, meta: {} },
    ],
    ['?__proto__[format]=flat', 200, { data: { id: 4, attributes: { text: 'one' } }, meta: {} }],
  ] as const)
    it(`a write with the query ${query} is answered as what it did`, async () => {
      const answer = await serving.call('POST', `/api/memos${query}`, { text: 'one' });
      expect([answer.status, answer.body]).to.deep.equal([status, body]);
    });
});
