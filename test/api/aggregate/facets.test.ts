import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { commandsDuring } from '../../support/explain.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { models } from './library.js';

const at = new Date('2026-01-01T00:00:00.000Z');
const shown = { publishedAt: at, createdAt: at, updatedAt: at, locale: 'en' };
const kinds = ['map', 'map', 'map', 'novel', 'novel', null];
const documents = {
  i18n_locales: ['en', 'fr'].map((code, n) => ({ _id: n + 1, code, name: code, createdAt: at, updatedAt: at })),
  shelfs: [
    { _id: 1, name: 'north', room: 1, ...shown },
    { _id: 2, name: 'south', room: 2, ...shown, publishedAt: null },
  ],
  tags: Array.from({ length: 120 }, (_, n) => ({ _id: n + 1, name: `t${String(n)}`, ...shown })),
  volumes: [
    ...kinds.map((kind, n) => ({
      _id: n + 1,
      kind,
      pages: n * 10,
      shelf: 1 + (n % 2),
      tags: [],
      day: `2026-0${String(n + 1)}-01`,
      origin: { id: n + 1, place: n < 4 ? 'sea' : 'hill', year: n % 2 },
      ...shown,
    })),
    { _id: 99, kind: 'essay', pages: null, shelf: 1, tags: Array.from({ length: 120 }, (_, n) => n + 1), ...shown, locale: 'fr' },
  ],
};

/** Query strings and what `meta.facets` is. */
const cases: readonly (readonly [title: string, query: string, facets: object])[] = [
  [
    'count the whole list, the most frequent values first and null last',
    'facets=kind&pagination[pageSize]=1',
    {
      kind: [
        { value: 'map', count: 3 },
        { value: 'novel', count: 2 },
        { value: null, count: 1 },
      ],
    },
  ],
  [
    'meet the filters of the list',
    'facets[0]=kind&filters[pages][$gte]=20',
    {
      kind: [
        { value: 'novel', count: 2 },
        { value: 'map', count: 1 },
        { value: null, count: 1 },
      ],
    },
  ],
  [
    'leave out the filter on the own attribute',
    'facets[kind][self]=true&filters[kind]=map&filters[pages][$lt]=40',
    {
      kind: [
        { value: 'map', count: 3 },
        { value: 'novel', count: 1 },
      ],
    },
  ],
  [
    'keep the filters on other attributes of the same component',
    'facets[origin.place][self]=true&filters[origin][place]=hill&filters[origin][year]=1',
    {
      'origin.place': [
        { value: 'sea', count: 2 },
        { value: 'hill', count: 1 },
      ],
    },
  ],
  [
    'keep alternatives of filters',
    'facets[kind][self]=true&filters[$or][0][kind]=map&filters[$or][1][kind]=novel',
    {
      kind: [
        { value: 'map', count: 3 },
        { value: 'novel', count: 2 },
      ],
    },
  ],
  [
    'have related entries, and null for drafts',
    'facets=shelf.name',
    {
      shelf: [
        { value: { id: 1, name: 'north' }, count: 3 },
        { value: null, count: 3 },
      ],
    },
  ],
  [
    'have ranges, empty ones too, the last one open',
    'facets[pages][ranges]=10,20,25,40',
    {
      pages: [
        { from: 10, to: 20, count: 1 },
        { from: 20, to: 25, count: 1 },
        { from: 25, to: 40, count: 1 },
        { from: 40, count: 2 },
      ],
    },
  ],
  [
    'have ranges of dates, and several facets',
    'facets[0]=kind&facets[day][ranges]=2026-01-01,2026-03-01&filters[id][$lt]=5',
    {
      kind: [
        { value: 'map', count: 3 },
        { value: 'novel', count: 1 },
      ],
      day: [
        { from: '2026-01-01', to: '2026-03-01', count: 2 },
        { from: '2026-03-01', count: 2 },
      ],
    },
  ],
  [
    'have parts of dates',
    'facets=day:quarter',
    {
      day: [
        { value: '2026-Q1', count: 3 },
        { value: '2026-Q2', count: 3 },
      ],
    },
  ],
  [
    'are empty for no entries',
    'facets[0]=kind&facets[pages][ranges]=1&filters[id][$in]=',
    { kind: [], pages: [{ from: 1, count: 0 }] },
  ],
];

const refused: readonly (readonly [query: string, message: string])[] = [
  ['facets=secret', 'Invalid parameter secret'],
  ['facets=nothing', 'Invalid parameter nothing'],
  ['facets=body', 'Invalid parameter facets: entries cannot be grouped by body, a richtext'],
  ['facets=kind,kind', 'Invalid parameter facets: kind is there twice'],
  ['facets=kind,pages,lent,day,at,serial', 'Invalid parameter facets: more than 5 facets'],
  ['facets[kind][top]=1', 'Invalid parameter facets: expected facets[kind][ranges] or facets[kind][self]'],
  ['facets[kind][self]=maybe', 'Invalid parameter facets: facets[kind][self] must be true or false'],
  ['facets[pages][ranges]=10,5', 'Invalid parameter facets: the bounds of facets[pages][ranges] must ascend'],
  ['facets[pages][ranges]=few', 'Invalid value "few" for facets[pages][ranges], expected a number'],
  ['facets[pages][ranges]=,10', 'Invalid parameter facets: facets[pages][ranges] has an empty bound'],
  ['facets[at][ranges]=', 'Invalid parameter facets: facets[at][ranges] has an empty bound'],
  ['facets=', 'Invalid parameter facets: expected the names of attributes'],
  ['facets[0]=kind,', 'Invalid parameter facets: expected the names of attributes'],
  ['facets[shelf][ranges]=1', 'Invalid parameter facets: shelf has no ranges'],
];

describe('facets of a list', () => {
  let server: Serving;
  before(async () => {
    server = await serveModels({ models, documents });
  });
  after(() => server.stop());

  const ask = (query: string, path = 'volumes') => server.call('GET', `/api/${path}?${query}`);

  for (const [title, query, facets] of cases)
    it(title, async () => {
      const { status, body } = await ask(query);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.meta.facets).to.deep.equal(facets);
      expect(body.meta).to.have.all.keys('pagination', 'facets');
    });

  for (const [query, message] of refused)
    it(`refuse ${query}`, async () => {
      const { status, body } = await ask(query);
      expect([status, body.error?.message]).to.deep.equal([400, message]);
    });

  it('may have escaped names', async () => {
    const { status, body } = await ask('%66acets%5B0%5D=kind&facet%73[pages]%5Branges%5D=40');
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.meta.facets.kind[0]).to.deep.equal({ value: 'map', count: 3 });
    expect(body.meta.facets.pages).to.deep.equal([{ from: 40, count: 2 }]);
  });

  it('have at most a hundred values, and name those that have more', async () => {
    const { body } = await ask('facets=tags&locale=fr');
    expect(body.meta.facets.tags.length).to.equal(100);
    expect(body.meta.facetsTruncated).to.deep.equal(['tags']);
  });

  it('take one command, however many they are', async () => {
    await server.settled();
    const query = 'facets[0]=kind&facets[1]=pages&facets[day][ranges]=2026-01-01&pagination[withCount]=false';
    await ask(query);
    const { commands } = await server.countCommands(() => ask(query));
    const { commands: ofList } = await server.countCommands(() => ask('pagination[withCount]=false'));
    expect([...commands].sort()).to.deep.equal(['aggregate', ...ofList].sort());
  });

  it('are refused where there is no list', async () => {
    for (const path of ['volumes/1', 'volumes/count', 'volumes/aggregate'])
      expect((await ask('facets=kind', path)).status, path).to.equal(400);
  });

  it('are read anew after a related entry has changed', async () => {
    const url = `${server.server.url}/api/volumes?facets[0]=reviews.stars&facets[1]=kind&fields=kind`;
    const read = (tag = ''): Promise<Response> => fetch(url, { headers: { 'If-None-Match': tag } });
    const { body } = await server.call('POST', '/api/reviews', { data: { stars: 1, volume: 1 } });
    await server.settled();
    const tag = (await read()).headers.get('etag') ?? '';
    expect((await read(tag)).status).to.equal(304);
    await server.call('PUT', `/api/reviews/${String(body.data.id)}`, { data: { stars: 5 } });
    expect((await read(tag)).status).to.equal(200);
  });

  it('are the same in flat answers and beside cursors', async () => {
    const { body } = await ask('facets=kind&format=flat&pagination[cursors]=true&pagination[limit]=1');
    expect(body.meta.facets.kind[0]).to.deep.equal({ value: 'map', count: 3 });
    expect(body.meta.pagination.hasNext).to.equal(true);
  });
});

describe('facets of several relations to the same type', () => {
  const shelf = { type: 'relation', relation: 'manyToOne', target: 'api::shelf.shelf' };
  const shelves = [1, 2, 3].map((id) => ({ _id: id, publishedAt: id === 3 ? null : new Date(0) }));
  let server: Serving;
  before(async () => {
    server = await serveModels({
      models: [
        collectionType('shelf', { name: { type: 'string' } }, { options: { draftAndPublish: true } }),
        collectionType('copy', { shelf, former: shelf }),
      ],
      documents: { shelfs: shelves, copys: [1, 2, 3].map((id) => ({ _id: id, shelf: id, former: 4 - id })) },
    });
    await server.settled();
  });
  after(() => server.stop());

  it('read the ids of hidden entries once, also if one of them leaves out its own filter', async () => {
    const query = '/api/copys?facets[0]=former&facets[shelf][self]=true&filters[shelf]=1';
    const client = server.server.backend?.store.database.client;
    const { result, commands } = await commandsDuring(client, ['find'], () => server.call('GET', query));
    expect(result.body.meta.facets).to.deep.equal({
      former: [{ value: null, count: 1 }],
      shelf: [
        { value: { id: 1 }, count: 1 },
        { value: { id: 2 }, count: 1 },
        { value: null, count: 1 },
      ],
    });
    expect(commands.filter(({ find }) => find === 'shelfs')).to.have.length(1);
  });
});
