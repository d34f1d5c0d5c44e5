import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

const type = (name: string, attributes: object, options: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: false },
  ...options,
  attributes,
});

const component = (name: string, attributes: object): TestModel => ({
  uid: `of.${name}`,
  info: { displayName: name },
  attributes,
});

const parts = (name: string) => ({ type: 'component', repeatable: true, component: `of.${name}` });
const to = (target: string, relation: string, sides: object = {}): object => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...sides,
});

const models: readonly TestModel[] = [
  component('inner', { note: { type: 'string' }, maker: to('maker', 'oneToOne') }),
  component('part', { size: { type: 'integer' }, makers: to('maker', 'oneToMany'), inners: parts('inner') }),
  type('maker', { name: { type: 'string' }, things: to('thing', 'oneToMany', { mappedBy: 'owner' }) }),
  type('thing', {
    name: { type: 'string' },
    owner: to('maker', 'manyToOne', { inversedBy: 'things' }),
    others: to('maker', 'oneToMany'),
    parts: parts('part'),
    about: { type: 'relation', relation: 'morphToOne' },
  }),
  type(
    'page',
    { title: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
    { pluginOptions: { i18n: { localized: true } } },
  ),
];

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const documents = {
  makers: numbers(40).map((id) => ({ _id: id, name: `${id % 2 === 0 ? 'even' : 'odd'} ${String(id)}` })),
  things: numbers(60).map((id) => ({
    _id: id,
    name: `thing ${String(id % 7)}`,
    owner: id % 9 === 0 ? null : ((id * 7) % 40) + 1,
    others: id % 5 === 0 ? [] : [((id * 3) % 40) + 1, ((id * 11) % 40) + 1],
    about: { __type: 'api::maker.maker', id: (id % 40) + 1 },
    parts:
      id % 6 === 0
        ? []
        : numbers(2).map((at) => ({
            id: id * 10 + at,
            size: (id * at) % 13,
            makers: [((id * at) % 40) + 1],
            inners: [{ id: id * 10 + at, note: `note ${String(at)}`, maker: ((id + at) % 40) + 1 }],
          })),
  })),
  pages: numbers(30).flatMap((id) =>
    (id % 3 === 0 ? ['en'] : ['en', 'fr']).map((locale, at) => ({
      _id: id * 2 + at,
      _group: id * 2,
      locale,
      title: `${locale} ${String(id % 4)}`,
    })),
  ),
};

const odd = '[name][$startsWith]=odd';
const requests: readonly string[] = [
  // relations in repeatable components
  `things?filters[parts][makers]${odd}`,
  `things?filters[parts][makers]${odd}&filters[parts][size][$gt]=4`,
  `things?filters[parts][makers]${odd}&filters[owner]${odd}`,
  `things?filters[$not][parts][makers]${odd}`,
  `things?filters[$or][0][parts][makers]${odd}&filters[$or][1][name]=thing 3`,
  `things?filters[parts][inners][maker]${odd}&sort=name:desc`,
  `things?filters[parts][inners][maker]${odd}&filters[parts][inners][note]=note 1&filters[parts][makers][name][$contains]=e`,
  `things?filters[parts][makers][things][name][$contains]=thing`,
  'things?filters[parts][makers][name][$null]=true',
  // texts of numbers in components
  'things?filters[parts][size][$contains]=1',
  `things?filters[parts][size][$contains]=1&filters[parts][makers]${odd}`,
  'makers?filters[things][parts][size][$contains]=1',
  `makers?filters[things][parts][makers]${odd}&pagination[withCount]=false`,
  // several relations of related entries
  `things?filters[owner][things][others]${odd}&filters[owner][things][parts][makers]${odd}`,
  `things?filters[owner][things][others]${odd}&filters[owner][things][owner]${odd}&pagination[withCount]=false`,
  `things?filters[owner]${odd}&filters[$or][0][others]${odd}&filters[$or][1][name]=thing 1&filters[name]=thing 2`,
  // populated entries
  `makers?populate[things][filters][others]${odd}`,
  `makers?populate[things][filters][owner]${odd}&populate[things][sort]=name:desc`,
  `makers?populate[things][filters][others]${odd}&populate[things][limit]=1`,
  `makers?populate[things][filters][parts][makers]${odd}`,
  `things?populate[owner][filters][things][others]${odd}&populate[others][filters]${odd}`,
  `things?populate[owner][populate][things][filters][others]${odd}`,
  `makers/2?populate[things][filters][others]${odd}`,
  // quantifiers
  `things?filters[others][$none]${odd}`,
  `things?filters[others][$every]${odd}`,
  `things?filters[owner][$none]${odd}&sort=name:desc`,
  `things?filters[$not][others][$none]${odd}`,
  `things?filters[parts][$none][makers]${odd}`,
  `things?filters[parts][$every][makers]${odd}`,
  `things?filters[parts][$none][size][$contains]=1`,
  `things?filters[parts][$every][makers][$none]${odd}&filters[owner]${odd}`,
  `things?filters[$or][0][others][$none]${odd}&filters[$or][1][owner]${odd}&filters[$or][1][parts][$every][size][$lt]=9`,
  'makers?filters[things][$none][name]=thing 3',
  `makers?filters[things][$every][others][$none]${odd}`,
  'makers?filters[things][$every][parts][$none][size][$contains]=1&pagination[withCount]=false',
  `makers?populate[things][filters][others][$none]${odd}`,
  `things/7?populate[others][filters][things][$none][name]=thing 3`,
  'pages?locale=en&filters[localizations][$none][title][$contains]=fr',
  'pages?locale=en&filters[localizations][$every][title]=fr 1',
  // localizations
  'pages?locale=en&filters[localizations][title][$contains]=fr',
  'pages?locale=en&filters[localizations][id][$null]=true',
  'pages?locale=en&filters[localizations][title][$null]=true',
];

describe('filters on more related entries than may be resolved to ids', () => {
  let database: FreshDatabase;
  const servings: Serving[] = [];
  before(async () => {
    database = await freshDatabase();
    for (const idsResolved of [100_000, 3]) {
      const config = { api: { open: true, limits: { idsResolved } } };
      servings.push(
        await serveModels({
          models: servings.length === 0 ? models : [],
          documents: servings.length === 0 ? documents : {},
          database,
          config,
        }),
      );
    }
    await servings[0]?.call('POST', '/api/i18n/locales', { code: 'fr' });
  });
  after(async () => {
    for (const serving of servings) await serving.stop();
    await database.drop();
  });

  for (const request of requests)
    it(`return the same entries each time: ${request}`, async () => {
      const [plenty, few] = servings;
      const expected = await plenty?.call('GET', `/api/${request}`);
      expect(expected?.status, JSON.stringify(expected?.body)).to.equal(200);
      expect(expected?.body.data).to.not.deep.equal([]);
      for (const read of ['first', 'second', 'third'])
        expect((await few?.call('GET', `/api/${request}`))?.body, read).to.deep.equal(expected?.body);
    });
});
