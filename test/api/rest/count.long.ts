import { expect } from 'chai';
import { accountModels, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import { serveProject, type ServedProject } from '../../support/serve-project.js';
import { serveModels, type Serving } from '../../support/serve.js';

const localized = { pluginOptions: { i18n: { localized: true } }, options: { draftAndPublish: true } };
const models = [
  collectionType('note', {
    text: { type: 'string' },
    rating: { type: 'integer', index: true },
    secret: { type: 'string', private: true },
  }),
  collectionType(
    'page',
    { title: { type: 'string' }, note: { type: 'relation', relation: 'manyToOne', target: 'api::note.note' } },
    localized,
  ),
  { ...collectionType('home', { title: { type: 'string' } }), kind: 'singleType' },
];
const at = new Date(0);
const page = (id: number, locale: string, publishedAt: Date | null) => ({
  _id: id,
  title: `p${String(id)}`,
  locale,
  publishedAt,
  note: id,
  _group: id,
});
const documents = {
  notes: Array.from({ length: 40 }, (_, n) => ({
    _id: n + 1,
    text: `n${String(n)}`,
    rating: n % 4,
    secret: 'x',
    createdAt: at,
    updatedAt: at,
  })),
  pages: [page(1, 'en', at), page(2, 'en', null), page(3, 'fr', at), page(4, 'fr', at), page(5, 'fr', null)],
  i18n_locales: ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at })),
};

const counts: readonly (readonly [path: string, count: number])[] = [
  ['notes/count', 40],
  ['notes/count?filters[rating]=3', 10],
  ['notes/count?filters[rating][$gt]=0&filters[text][$contains]=n1', 9],
  ['notes/count?filters[id][$in]=', 0],
  ['notes/count?_q=n39', 1],
  ['notes/count?format=flat', 40],
  ['notes/count/', 40],
  ['pages/count', 1],
  ['pages/count?locale=fr', 2],
  ['pages/count?locale=all', 3],
  ['pages/count?locale[0]=en&locale[1]=fr&publicationState=preview', 5],
  ['pages/count?locale=xx', 0],
  ['pages/count?publicationState=preview', 2],
  ['pages/count?filters[note][rating]=0&locale=all&publicationState=preview', 2],
];

/** Requests and the errors that name what is wrong. */
const refused: readonly (readonly [path: string, status: number, message: string])[] = [
  ...['sort=text', 'populate=*', 'fields=text', 'pagination[pageSize]=1', 'x=1', '[filters][rating]=1'].map(
    (query): readonly [string, number, string] => {
      const name = /^(\w*)/.exec(query)?.[1] ?? '';
      return [
        `notes/count?${query}`,
        400,
        `Invalid parameter ${name}: expected one of filters, _q, locale, publicationState, format`,
      ];
    },
  ),
  ['notes/count?explain=true', 400, 'Invalid parameter explain: only lists and groups are explained'],
  ['notes/count?filters[secret]=x', 400, 'Invalid parameter secret'],
  ['pages/count?publicationState=x', 400, "Invalid parameter publicationState: expected 'live' or 'preview'"],
  ['home/count', 404, 'Not Found'],
  ['none/count', 404, 'Not Found'],
];

describe('the number of entries', () => {
  let server: Serving;
  before(async () => {
    server = await serveModels({ models, documents });
  });
  after(() => server.stop());

  for (const [path, count] of counts)
    it(`is ${String(count)} for ${path}, as the total of the list`, async () => {
      const { body } = await server.call('GET', `/api/${path}`);
      expect(body).to.deep.equal({ data: { count }, meta: {} });
      const list = await server.call('GET', `/api/${path.replace(/\/count\/?/, '')}`);
      expect(list.body.meta.pagination.total).to.equal(count);
    });

  for (const [path, status, message] of refused)
    it(`is refused for ${path}`, async () => {
      const { status: given, body } = await server.call('GET', `/api/${path}`);
      expect([given, body.error.message]).to.deep.equal([status, message]);
    });

  const commands: readonly (readonly [path: string, first: readonly string[], again: readonly string[]])[] = [
    ['/api/notes/count', ['count'], ['count']],
    ['/api/notes/count?filters[rating]=2', ['count'], []],
    ['/api/pages/count', ['count'], []],
    ['/api/pages/count?locale=xx', [], []],
  ];
  for (const [path, first, again] of commands)
    it(`is kept until a write: ${path}`, async () => {
      const { body } = await server.call('POST', '/api/notes', { data: { rating: 7 } });
      await server.call('DELETE', `/api/notes/${String(body.data.id)}`);
      await server.call('PUT', '/api/pages/1', { data: { title: 'p' } });
      await server.settled();
      const ask = () => server.countCommands(() => server.call('GET', path));
      expect((await ask()).commands.length, 'first').to.be.at.most(first.length);
      expect((await ask()).commands, 'again').to.deep.equal(
        again.filter((name) => name !== 'count' || path.endsWith('notes/count')),
      );
    });

  it('includes writes of this instance at once', async () => {
    const count = async (): Promise<number> => (await server.call('GET', '/api/notes/count?filters[rating]=9')).body.data.count;
    const before = await count();
    const { body } = await server.call('POST', '/api/notes', { data: { rating: 9 } });
    expect(await count()).to.equal(before + 1);
    await server.call('DELETE', `/api/notes/${String(body.data.id)}`);
    expect(await count()).to.equal(before);
  });
});

describe('the number of entries, for callers with rights', () => {
  let server: ServingAccounts;
  let ann: { readonly id: number; readonly jwt: string };
  before(async () => {
    server = await serveAccounts({ models: accountModels });
    ann = await server.addUser('ann');
    const { body } = await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' });
    for (const owner of [ann.id, ann.id, null])
      await server.as(body.data.accessKey, 'POST', '/api/articles', { data: { title: 'x', price: 1, owner } });
  });
  after(() => server.stop());

  const own = { owner: { id: { $eq: '$user.id' } } };
  const cases: readonly (readonly [title: string, actions: readonly string[], rules: object, answer: unknown])[] = [
    ['no right', [], {}, 403],
    ['only findOne', ['findOne'], {}, 403],
    ['find', ['find'], {}, 3],
    ['a rule', ['find'], { rows: { 'api::article.article': own } }, 2],
    ['a hidden field', ['find'], { fields: { 'api::article.article': { deny: ['price'] } } }, 400],
  ];
  for (const [title, actions, rules, answer] of cases)
    it(title, async () => {
      const granted = [...actions.map((name) => `api::article.article.${name}`), 'plugin::users-permissions.user.me'];
      expect((await server.admin('PUT', '/roles/1', { actions: granted })).status).to.equal(200);
      await server.admin('PUT', '/roles/1/rules', { rows: null, fields: null, ...rules });
      const query = title === 'a hidden field' ? '?filters[price]=1' : '';
      const { status, body } = await server.as(ann.jwt, 'GET', `/api/articles/count${query}`);
      expect(status === 200 ? body.data.count : status).to.equal(answer);
    });
});

/** Routers of a project, and what `/api/notes/count` and `/api/notes/by/slug/a` answer. */
describe('look-ups in a project', () => {
  const model = collectionType('note', { slug: { type: 'uid' } });
  const router = (options = ''): string =>
    `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note'${options && `, ${options}`});`;
  const own = (path: string): string =>
    `module.exports = { routes: [{ method: 'GET', path: '${path}', handler: (ctx) => ({ own: ctx.params }), config: { auth: false } }] };`;
  const core = (kind: string, methods: string): string =>
    `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::note.note', () => (${methods}));`;
  const routes = 'src/api/note/routes';
  const controllers = 'src/api/note/controllers/note.js';
  const [counted, found, unknown] = [{ data: { count: 1 }, meta: {} }, 1, 404];
  const cases: readonly (readonly [title: string, files: Readonly<Record<string, string>>, count: unknown, by: unknown])[] = [
    ['a generated router', { [`${routes}/note.js`]: router() }, counted, found],
    ['no router', { [controllers]: core('Controller', '{}') }, counted, found],
    ['a policy of find', { [`${routes}/note.js`]: router('{ config: { find: { policies: [() => true] } } }') }, unknown, found],
    [
      'a policy of findOne',
      { [`${routes}/note.js`]: router('{ config: { findOne: { policies: [() => true] } } }') },
      unknown,
      unknown,
    ],
    ['an own find', { [`${routes}/note.js`]: router(), [controllers]: core('Controller', '{ find: () => 1 }') }, unknown, found],
    [
      'an own findOne',
      { [`${routes}/note.js`]: router(), [controllers]: core('Controller', '{ findOne: () => ({ own: 1 }) }') },
      { own: 1 },
      unknown,
    ],
    [
      'an own service',
      {
        [`${routes}/note.js`]: router(),
        'src/api/note/services/note.js': core('Service', '{ find: () => [], findOne: () => null }'),
      },
      unknown,
      unknown,
    ],
    ['only findOne', { [`${routes}/note.js`]: router("{ only: ['findOne'] }") }, unknown, found],
    ['only find', { [`${routes}/note.js`]: router("{ only: ['find'] }") }, counted, unknown],
    ['an own route count', { [`${routes}/01-own.js`]: own('/notes/count'), [`${routes}/note.js`]: router() }, { own: {} }, found],
    [
      'an own route with a name',
      { [`${routes}/01-own.js`]: own('/notes/:name'), [`${routes}/note.js`]: router() },
      { own: { name: 'count' } },
      found,
    ],
    [
      'an own route by',
      { [`${routes}/01-own.js`]: own('/notes/by/slug/:slug'), [`${routes}/note.js`]: router() },
      counted,
      { own: { slug: 'a' } },
    ],
    [
      'an own route that comes later',
      { [`${routes}/note.js`]: router(), [`${routes}/z-own.js`]: own('/notes/by/slug/:slug') },
      counted,
      { own: { slug: 'a' } },
    ],
  ];
  for (const [title, files, count, by] of cases)
    it(title, async () => {
      const serving: ServedProject = await serveProject(files, { models: [model] });
      await serving.strapi.db.query('api::note.note').create({ data: { slug: 'a' } });
      const ask = async (path: string): Promise<unknown> => {
        const { status, body } = await serving.call('GET', path);
        return status === 200 ? (body.data?.id ?? body) : status;
      };
      const answers = [await ask('/api/notes/count'), await ask('/api/notes/by/slug/a')];
      await serving.stop();
      expect(answers).to.deep.equal([count, by]);
    });
});
