import { expect } from 'chai';
import { Decimal128, Long } from 'mongodb';
import { serveModels, type Serving } from '../../support/serve.js';
import { models } from './library.js';

const at = new Date('2026-01-01T00:00:00.000Z');
const shown = { publishedAt: at, createdAt: at, updatedAt: at, locale: 'en' };

/** A shelf is a draft, the second tag is linked twice, and prices are decimals of other programs. */
const documents = {
  shelfs: [
    { _id: 1, name: 'north', room: 1, ...shown },
    { _id: 2, name: 'south', room: 2, ...shown, publishedAt: null },
  ],
  tags: [
    { _id: 1, name: 'old', ...shown },
    { _id: 2, name: 'rare', ...shown },
  ],
  volumes: [
    {
      _id: 1,
      kind: 'map',
      pages: 100,
      serial: Long.fromString('9007199254740993'),
      price: Decimal128.fromString('0.10'),
      at: new Date('2026-01-31T23:30:00Z'),
      shelf: 1,
      tags: [1, 2],
      ...shown,
    },
    {
      _id: 2,
      kind: 'map',
      pages: 300,
      serial: Long.fromString('9007199254740994'),
      price: Decimal128.fromString('0.20'),
      at: new Date('2026-02-01T00:30:00Z'),
      shelf: 2,
      tags: [2],
      ...shown,
    },
    { _id: 3, kind: 'novel', pages: null, price: null, at: null, shelf: null, tags: [], ...shown },
    { _id: 4, kind: 'novel', pages: 50, price: 'dear', at: new Date(8.64e15), shelf: 1, tags: [1], ...shown },
    {
      _id: 6,
      kind: null,
      pages: 1.5,
      price: Decimal128.fromString('0.12345678901234567890123'),
      at: new Date('0000-01-02T12:00:00Z'),
      shelf: null,
      tags: [1, 1],
      ...shown,
      publishedAt: null,
    },
    { _id: 5, kind: 'essay', pages: 50, price: 1, at, shelf: 1, tags: [], ...shown, publishedAt: null },
  ],
};

/** Query strings and the groups that they answer. */
const cases: readonly (readonly [title: string, query: string, data: readonly object[]])[] = [
  ['count entries if no function is named', '', [{ group: {}, count: 4 }]],
  [
    'answer one row of no entries',
    'filters[id]=9&aggregate[count]=*&aggregate[avg]=pages&aggregate[sum]=pages',
    [{ group: {}, count: 0, sum: { pages: null }, avg: { pages: null } }],
  ],
  ['answer no row if that of no entries does not meet the condition', 'filters[id]=9&having[count][$gt]=0', []],
  [
    'have several functions of several attributes',
    'aggregate[sum]=pages&aggregate[min]=pages,kind&aggregate[max][0]=pages',
    [{ group: {}, sum: { pages: 450 }, min: { pages: 50, kind: 'map' }, max: { pages: 300 } }],
  ],
  ['add decimals exactly, and ignore what is no number', 'aggregate[sum]=price', [{ group: {}, sum: { price: 0.3 } }]],
  [
    'keep the group of null',
    'groupBy=pages&filters[kind]=novel',
    [
      { group: { pages: null }, count: 1 },
      { group: { pages: 50 }, count: 1 },
    ],
  ],
  [
    'answer the id of related entries, and null for drafts',
    'groupBy=shelf',
    [
      { group: { shelf: null }, count: 2 },
      { group: { shelf: { id: 1 } }, count: 2 },
    ],
  ],
  [
    'answer drafts in the preview',
    'groupBy=shelf.name&publicationState=preview&sort=count:desc',
    [
      { group: { shelf: { id: 1, name: 'north' } }, count: 3 },
      { group: { shelf: null }, count: 2 },
      { group: { shelf: { id: 2, name: 'south' } }, count: 1 },
    ],
  ],
  [
    'count an entry once for each related entry',
    'groupBy=tags.name&sort=tags.name:desc',
    [
      { group: { tags: { id: 2, name: 'rare' } }, count: 2 },
      { group: { tags: { id: 1, name: 'old' } }, count: 2 },
      { group: { tags: null }, count: 1 },
    ],
  ],
  [
    'have months of a time zone, and null for dates without a year of four digits',
    'groupBy=at:month&timezone=Europe/Paris',
    [
      { group: { at: null }, count: 2 },
      { group: { at: '2026-02' }, count: 2 },
    ],
  ],
  [
    'have conditions on functions that are not answered',
    'groupBy=kind&having[max][pages][$gte]=200',
    [{ group: { kind: 'map' }, count: 2 }],
  ],
  [
    'have alternatives of conditions',
    'groupBy=kind&having[$or][0][count]=9&having[$or][1][min][pages][$lt]=60',
    [{ group: { kind: 'novel' }, count: 2 }],
  ],
  [
    'have negated conditions, which null does not meet',
    'groupBy=pages&having[$not][avg][pages][$gt]=60',
    [{ group: { pages: 50 }, count: 1 }],
  ],
  [
    'are sorted by functions that are not answered',
    'groupBy=kind&sort=avg.pages:desc',
    [
      { group: { kind: 'map' }, count: 2 },
      { group: { kind: 'novel' }, count: 2 },
    ],
  ],
  ['answer no row if that of some entries does not meet the condition', 'having[count][$lt]=2', []],
  [
    'have conditions on the row without keys',
    'having[sum][pages][$gt]=449&aggregate[sum]=pages',
    [{ group: {}, sum: { pages: 450 } }],
  ],
  [
    'have exact conditions on sums that a double does not hold',
    'groupBy=kind&having[sum][serial]=18014398509481987&aggregate[sum]=serial',
    [{ group: { kind: 'map' }, sum: { serial: '18014398509481987' } }],
  ],
  ['have no sum that is one less', 'groupBy=kind&having[sum][serial][$in][0]=18014398509481986&aggregate[sum]=serial', []],
  [
    'have the same conditions on the row without keys',
    'having[sum][serial][$eq]=18014398509481987&having[sum][serial][$gt]=18014398509481986&aggregate[sum]=serial',
    [{ group: {}, sum: { serial: '18014398509481987' } }],
  ],
  [
    'have conditions on several attributes of a component',
    'groupBy=kind&having[max][origin][year][$null]=true&having[min][origin][place][$null]=true&filters[kind]=map',
    [{ group: { kind: 'map' }, count: 2 }],
  ],
  ['have weeks of all years', 'groupBy=at:week&filters[id]=6&publicationState=preview', [{ group: { at: null }, count: 1 }]],
  [
    'take values that do not fit for null',
    'groupBy=pages&filters[id]=6&publicationState=preview',
    [{ group: { pages: null }, count: 1 }],
  ],
  [
    'count an entry once for a related entry that is stored twice',
    'groupBy=tags&filters[id]=6&publicationState=preview',
    [{ group: { tags: { id: 1 } }, count: 1 }],
  ],
  [
    'answer a sum that a double does not hold as text',
    'aggregate[sum]=price&aggregate[count]=*&filters[id][$in][0]=6&publicationState=preview',
    [{ group: {}, count: 1, sum: { price: '0.12345678901234567890123' } }],
  ],
  ['are paged', 'groupBy=kind&pagination[page]=2&pagination[pageSize]=1', [{ group: { kind: 'novel' }, count: 2 }]],
];

/** Requests and what their error names. */
const refused: readonly (readonly [query: string, message: string])[] = [
  ['aggregate=count', 'Invalid parameter aggregate: expected functions, such as aggregate[count]=*'],
  ['aggregate[count]=pages', 'Invalid parameter aggregate[count]: entries are counted, so that it must be *'],
  ['aggregate[median]=pages', 'Invalid parameter aggregate[median]: expected one of count, countDistinct, sum, avg, min, max'],
  ['aggregate[sum]=', 'Invalid parameter aggregate[sum]: expected the names of attributes'],
  ['aggregate[sum]=kind', 'Invalid parameter sum: kind has no sum'],
  ['aggregate[avg]=at', 'Invalid parameter avg: at has no avg'],
  ['aggregate[min]=lent', 'Invalid parameter min: lent has no min'],
  ['aggregate[countDistinct]=tags', 'Invalid parameter countDistinct: tags has no countDistinct'],
  ['aggregate[max]=secret', 'Invalid parameter secret'],
  ['aggregate[max]=pages.', 'Invalid parameter aggregate[max]: expected the names of attributes'],
  ['groupBy=.', 'Invalid parameter groupBy: expected the names of attributes'],
  ['groupBy=:month', 'Invalid parameter groupBy: expected the names of attributes'],
  ['having[max][pages.]=1', 'Invalid parameter having[max]: expected the names of attributes'],
  ['groupBy=secret', 'Invalid parameter secret'],
  ['groupBy=nothing', 'Invalid parameter nothing'],
  ['groupBy=body', 'Invalid parameter groupBy: entries cannot be grouped by body, a richtext'],
  ['groupBy=parts.year', 'Invalid parameter year'],
  ['groupBy=origin', 'Invalid parameter origin'],
  ['groupBy=shelf.nothing', 'Invalid parameter nothing'],
  ['groupBy=shelf:year', 'Invalid parameter groupBy: shelf cannot be a key'],
  ['groupBy=kind:year', 'Invalid parameter groupBy: kind has no year'],
  ['groupBy=day:hour', 'Invalid parameter groupBy: day has no hour'],
  ['groupBy=at:decade', 'Invalid parameter groupBy: expected one of year, quarter, month, week, day, hour'],
  ['groupBy=at:year,at:month', 'Invalid parameter groupBy: at is there twice'],
  ['groupBy=kind,pages,lent,day', 'Invalid parameter groupBy: more than 3 keys'],
  [
    'groupBy=at:day&timezone=Mars',
    'Invalid parameter timezone: expected a name such as Europe/Paris, or an offset such as +02:00',
  ],
  [
    'groupBy=at&timezone=Europe/Paris',
    'Invalid parameter timezone: only parts of dates, such as publishedAt:month, have a time zone',
  ],
  ['timezone=Europe/Paris', 'Invalid parameter timezone: only parts of dates, such as publishedAt:month, have a time zone'],
  ['groupBy=at:day&timezone=Europe/paris', 'Invalid parameter timezone: the database does not know this time zone'],
  ['aggregate[max]=body', 'Invalid parameter max: body has no max'],
  ['groupBy=tags.body', 'Invalid parameter body'],
  ['having[count][$contains]=1', 'Invalid parameter having: $contains'],
  ['having[$gt]=1', 'Invalid parameter having[$gt]'],
  ['having[kind]=map', 'Invalid parameter having[kind]'],
  ['having[max][secret]=1', 'Invalid parameter secret'],
  ['having[count]=many', 'Invalid value "many" for count, expected a number'],
  ['sort=kind', 'Invalid parameter sort: kind is neither a key of the groups nor a function such as avg.rating'],
  ['sort=max.secret', 'Invalid parameter secret'],
  ['sort=count:up', 'Invalid parameter sort: the order can only be asc or desc, not "up"'],
  ['populate=shelf', 'Invalid parameter populate: expected one of'],
  ['pagination[after]=x', 'Invalid parameter pagination[after]: only lists of content types have cursors'],
];

describe('groups of entries', () => {
  let server: Serving;
  before(async () => {
    server = await serveModels({ models, documents });
  });
  after(() => server.stop());

  const ask = (query: string) => server.call('GET', `/api/volumes/aggregate?${query}`);

  for (const [title, query, data] of cases)
    it(title, async () => {
      const { status, body } = await ask(query);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.data).to.deep.equal(data);
    });

  for (const [query, message] of refused)
    it(`refuse ${query}`, async () => {
      const { status, body } = await ask(query);
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(body.error.message).to.satisfy((text: string) => text.startsWith(message), body.error.message);
    });

  it('show their pagination', async () => {
    const { body } = await ask('groupBy=kind&pagination[start]=1&pagination[limit]=5');
    expect(body.meta).to.deep.equal({ pagination: { start: 1, limit: 5, total: 2 } });
    expect((await ask('groupBy=kind&pagination[withCount]=false')).body.meta).to.deep.equal({
      pagination: { page: 1, pageSize: 25 },
    });
  });

  it('take one command, however many groups and names of related entries there are', async () => {
    await server.settled();
    const query = 'groupBy[0]=tags.name&groupBy[1]=kind&aggregate[count]=*&aggregate[sum]=pages';
    await ask(query);
    const { commands } = await server.countCommands(() => ask(query));
    expect(commands).to.deep.equal(['aggregate']);
  });

  it('are refused on other routes', async () => {
    const { status, body } = await server.call('GET', '/api/volumes?groupBy=kind');
    expect([status, body.error.message]).to.deep.equal([400, 'Invalid parameter groupBy: this request does not support it']);
  });

  it('are tagged', async () => {
    const url = `${server.server.url}/api/volumes/aggregate?groupBy=shelf`;
    const tag = (await fetch(url)).headers.get('etag') ?? '';
    expect((await fetch(url, { headers: { 'if-none-match': tag } })).status).to.equal(304);
    await server.call('PUT', '/api/shelfs/2', { data: { publishedAt: at } });
    const fresh = await fetch(url, { headers: { 'if-none-match': tag } });
    expect([fresh.status, ((await fresh.json()) as { readonly data: readonly object[] }).data.length]).to.deep.equal([200, 3]);
  });
});
