import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveProject } from '../../support/serve-project.js';
import type { ServingInput } from '../../support/serve.js';
import type { ProjectFiles } from '../../support/write-project.js';

const models = ['note', 'tag'].map((name) => collectionType(name, { title: { type: 'string', maxLength: 9 } }));
const router = (options = ''): string =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note'${options && `, ${options}`});`;
const core = (kind: string, methods: string): string =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::note.note', () => (${methods}));`;
const routes = 'src/api/note/routes/note.js';
const post = (path: string, title = 'x') => ({ method: 'POST', path, body: { data: { title } } });

const refusal = 'requests.0.path: POST /notes is answered or opened by code of the project, so it cannot be part of a batch';
const none = 'requests.0.path: /notes is not a path of a content type';

describe('a batch in a project', () => {
  /** Files of a project, and the answer to a write of a note in a batch. */
  const cases: readonly (readonly [title: string, files: ProjectFiles, answer: unknown])[] = [
    ['a generated router', { [routes]: router() }, 200],
    ['only reads', { [routes]: router("{ only: ['find'] }") }, 'Method Not Allowed'],
    ['a router without the type', { [routes]: 'module.exports = { routes: [] };' }, none],
    ['a policy', { [routes]: router('{ config: { create: { policies: [() => true] } } }') }, refusal],
    ['a policy of another action', { [routes]: router('{ config: { update: { policies: [() => true] } } }') }, 200],
    ['a middleware', { [routes]: router('{ config: { create: { middlewares: [(ctx, next) => next()] } } }') }, refusal],
    ['no authentication', { [routes]: router('{ config: { create: { auth: false } } }') }, refusal],
    ['a scope', { [routes]: router("{ config: { create: { auth: { scope: ['api::note.note.find'] } } } }") }, refusal],
    [
      'an own action',
      { [routes]: router(), 'src/api/note/controllers/note.js': core('Controller', '{ create: () => ({}) }') },
      refusal,
    ],
    [
      'an own service',
      { [routes]: router(), 'src/api/note/services/note.js': core('Service', '{ create: () => ({}) }') },
      refusal,
    ],
    [
      'an own route',
      {
        'src/api/note/routes/01-own.js':
          "module.exports = { routes: [{ method: 'POST', path: '/notes', handler: () => ({}), config: { auth: false } }] };",
        [routes]: router(),
      },
      refusal,
    ],
    [
      'an own route that takes the path of a batch',
      {
        'src/api/note/routes/01-own.js':
          "module.exports = { routes: [{ method: 'POST', path: '/batch', handler: () => ({ own: 1 }), config: { auth: false } }] };",
      },
      { own: 1 },
    ],
  ];
  const ask = async (files: ProjectFiles, input: Partial<ServingInput> = {}): Promise<unknown> => {
    const serving = await serveProject(files, { models, ...input });
    const { status, body } = await serving.call('POST', '/api/batch', { requests: [post('/notes')] });
    await serving.stop();
    if (status !== 200) return body.error.message;
    if (body.data === undefined) return body;
    return body.data[0].status === 200 ? 200 : body.data[0].body.error.message;
  };
  for (const [title, files, answer] of cases)
    it(title, async () => {
      expect(await ask(files)).to.deep.equal(answer);
    });

  const middleware = 'module.exports = () => (ctx, next) => next();';
  const unseen = (name: string): string =>
    `The project has middlewares that would not see the writes of a batch (${name}). Set api.rest.batchPastMiddlewares if they need not`;
  const around: readonly (readonly [title: string, files: ProjectFiles, answer: unknown])[] = [
    ['of the service', { 'config/middlewares.js': "module.exports = ['strapi::errors', 'strapi::body'];" }, 200],
    [
      'of config/middlewares',
      {
        'config/middlewares.js': "module.exports = ['strapi::errors', 'global::tenant'];",
        'src/middlewares/tenant.js': middleware,
      },
      unseen('global::tenant'),
    ],
    [
      'of a file',
      { 'config/middlewares.js': "module.exports = [{ resolve: './src/own.js' }];", 'src/own.js': middleware },
      unseen('./src/own.js'),
    ],
    [
      'of strapi.server.use',
      { 'src/index.js': 'module.exports = { register({ strapi }) { strapi.server.use((ctx, next) => next()); } };' },
      unseen('strapi.server.use'),
    ],
  ];
  for (const [title, files, answer] of around) {
    it(`with middlewares ${title}`, async () => {
      expect(await ask({ [routes]: router(), ...files })).to.equal(answer);
    });
    it(`with middlewares ${title} that need not see the writes`, async () => {
      const config = { api: { rest: { batchPastMiddlewares: true } } };
      expect(await ask({ [routes]: router(), ...files }, { config })).to.equal(200);
    });
  }

  it('runs the code around each write, and what follows it only after the commit', async () => {
    const lifecycles = `const seen = (globalThis.batchSeen = []);
      module.exports = {
        beforeCreate(event) { seen.push('before ' + event.params.data.title); if (event.params.data.title === 'bad') throw new Error('of code'); },
        async afterCreate(event) {
          const count = await strapi.db.query('api::note.note').count();
          seen.push('after ' + event.result.title + ' of ' + count);
        },
      };`;
    const serving = await serveProject(
      { [routes]: router(), 'src/api/note/content-types/note/lifecycles.js': lifecycles },
      { models },
    );
    const seen = Reflect.get(globalThis, 'batchSeen') as string[];
    const send = async (titles: readonly string[], transaction: boolean) => {
      seen.length = 0;
      const requests = titles.map((title) => post('/notes', title));
      const { status, body } = await serving.call('POST', '/api/batch', { transaction, requests });
      return [status, status === 200 ? body.data.map((one: { status: number }) => one.status) : body.error.details, [...seen]];
    };
    const answers = [
      await send(['a', 'b'], true),
      await send(['c', 'x'.repeat(10)], true),
      await send(['d', 'bad', 'e'], false),
      await send(['f', 'bad'], true),
    ];
    const left = (await serving.call('GET', '/api/notes?fields=title')).body.data.map(
      ({ attributes }: { attributes: { title: string } }) => attributes.title,
    );
    await serving.stop();
    expect(answers).to.deep.equal([
      [200, [200, 200], ['before a', 'before b', 'after a of 2', 'after b of 2']],
      [
        400,
        { errors: [{ path: ['title'], message: 'title must be at most 9 characters', name: 'ValidationError' }], index: 1 },
        ['before c'],
      ],
      [200, [200, 500, 200], ['before d', 'after d of 3', 'before bad', 'before e', 'after e of 4']],
      [500, undefined, ['before f', 'before bad']],
    ]);
    expect(left).to.deep.equal(['a', 'b', 'd', 'e']);
  });
});
