import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const to = (name: string) => ({ type: 'relation', relation: 'oneToOne', target: `api::${name}.${name}` });
const type = (name: string, attributes: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' }, ...attributes },
});

const models: readonly TestModel[] = [
  {
    uid: 'shared.quote',
    info: { displayName: 'quote' },
    attributes: { text: { type: 'string' }, author: to('author'), tag: to('tag') },
  },
  { uid: 'shared.link', info: { displayName: 'link' }, attributes: { text: { type: 'string' }, tag: to('tag') } },
  type('author', {}),
  type('tag', { author: to('author') }),
  type('post', {
    ...{ author: to('author'), tag: to('tag'), hidden: { ...to('tag'), private: true } },
    quote: { type: 'component', component: 'shared.quote' },
    blocks: { type: 'dynamiczone', components: ['shared.quote', 'shared.link'] },
  }),
];

/** The actions answer what the service returns, without `sanitizeOutput`. */
const files = {
  'src/api/post/controllers/post.js': `const { sanitize } = require('@strapi/utils');
    module.exports = require('@strapi/strapi').factories.createCoreController('api::post.post', ({ strapi }) => ({
      async raw(ctx) { return strapi.entityService.findMany('api::post.post', await this.sanitizeQuery(ctx)); },
      async query(ctx) { return this.sanitizeQuery(ctx); },
      async helper(ctx) { return sanitize.contentAPI.query(ctx.query, strapi.getModel('api::post.post'), { auth: ctx.state.auth }); },
    }));`,
  'src/api/post/routes/post.js': `module.exports = { routes: ['raw', 'query', 'helper'].map((name) =>
    ({ method: 'GET', path: '/posts/' + name, handler: 'post.' + name })) };`,
};

/** What is populated, with the relations inside, if the caller may find tags but no authors. */
const populated: readonly (readonly [query: string, expected: object])[] = [
  ['', {}],
  ['?populate=author', {}],
  ['?populate=createdBy,updatedBy', {}],
  ['?populate=hidden', {}],
  ['?populate=tag,author', { tag: {} }],
  ['?populate[0]=tag&populate[1]=author', { tag: {} }],
  ['?populate=*', { tag: {}, quote: {}, blocks: [{}, {}] }],
  ['?populate[*]=true', { tag: {}, quote: {}, blocks: [{}, {}] }],
  ['?populate=tag.author', { tag: {} }],
  ['?populate[tag.author]=true', { tag: {} }],
  ['?populate[tag][populate]=*', { tag: {} }],
  ['?populate[tag][populate][author][fields]=title', { tag: {} }],
  ['?populate[quote][populate]=*', { quote: { tag: {} } }],
  ['?populate[quote][populate][author]=true', { quote: {} }],
  ['?populate[blocks][populate]=*', { blocks: [{ tag: {} }, { tag: {} }] }],
  ['?populate[blocks][populate]=author,tag', { blocks: [{ tag: {} }, { tag: {} }] }],
  ['?populate[blocks][on][shared.quote][populate]=*', { blocks: [{ tag: {} }] }],
];

/** Queries that stay as they are, or what is left of them. */
const queries: readonly (readonly [query: string, expected: object])[] = [
  ['?populate=tag&sort=title', { populate: 'tag', sort: 'title' }],
  ['?populate[tag][fields]=title', { populate: { tag: { fields: 'title' } } }],
  [
    '?populate[author]=true&populate[tag][filters][title]=x&populate[tag][sort]=title:desc&populate[tag][start]=1&populate[tag][limit]=2',
    { populate: { tag: { filters: { title: { $eq: 'x' } }, sort: ['title:desc'], start: 1, limit: 2 } } },
  ],
  ['?populate[author][fields]=title&populate[tag][fields][0]=title', { populate: { tag: { fields: ['title'] } } }],
];

describe('populate after sanitizeQuery', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject(files, { models, config: { api: { open: false } } });
    const { strapi } = serving;
    const role = await strapi.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
    for (const action of ['post.post.raw', 'post.post.query', 'post.post.helper', 'tag.tag.find'])
      await strapi.query('plugin::users-permissions.permission').create({ data: { action: `api::${action}`, role: role.id } });
    const author = await strapi.entityService.create('api::author.author', { data: { title: 'ann' } });
    const tag = await strapi.entityService.create('api::tag.tag', { data: { title: 'red', author: author.id } });
    const links = { author: author.id, tag: tag.id };
    const blocks = [
      { __component: 'shared.quote', text: 'q', ...links },
      { __component: 'shared.link', text: 'l', tag: tag.id },
    ];
    await strapi.entityService.create('api::post.post', {
      data: { title: 'one', ...links, hidden: tag.id, quote: { text: 'q', ...links }, blocks },
    });
  });
  after(() => serving.stop());

  /** Returns the relations and components in a value. */
  const relationsIn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(relationsIn);
    const inner = Object.entries(value as object).filter(([, one]) => typeof one === 'object' && one !== null);
    return Object.fromEntries(inner.map(([name, one]) => [name, relationsIn(one)]));
  };

  for (const [query, expected] of populated)
    it(`leads to no entry that the caller may not find: ${query}`, async () => {
      const { status, body } = await serving.call('GET', `/api/posts/raw${query}`);
      expect([status, relationsIn(body[0])]).to.deep.equal([200, expected]);
    });

  for (const [query, expected] of queries)
    it(`keeps the rest of the query: ${query}`, async () => {
      for (const name of ['query', 'helper'])
        expect((await serving.call('GET', `/api/posts/${name}${query}`)).body).to.deep.equal(expected);
    });
});
