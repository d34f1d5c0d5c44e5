import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { bookshopModels } from '../../support/read-project.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { stockedBookshop } from '../../support/stocked-bookshop.js';

const english = { type: 'text', search: { language: 'en' } };

const models = [
  ...bookshopModels(),
  collectionType('note', {
    body: { type: 'text' },
    data: { type: 'json' },
    secret: { type: 'string', private: true },
    words: english,
  }),
  collectionType('jumble', {
    data: { type: 'json' },
    twin: { type: 'relation', relation: 'manyToOne', target: 'api::jumble.jumble' },
    parts: { type: 'component', component: 'cursor.part', repeatable: true },
  }),
  { uid: 'cursor.part', info: { displayName: 'Part' }, attributes: { data: { type: 'json' } } },
];

/** JSON of all types, with lists of several depths. */
const jumbled: readonly unknown[] = [
  ...[[1, [9]], [[2]], [[[3]]], [[]], [], [[null]], [null], [[1, 2], 'z'], ['a', ['b']], [{ a: [1] }], [[{ a: 2 }]]],
  ...[5, 'b', true, null, { a: [[4]] }, { list: [1] }, [[5], [0]], [0, [7]], [[0], 7], [false, [[]]]],
];

const long = 'x'.repeat(20_000);
const documents = {
  ...stockedBookshop,
  jumbles: jumbled.map((data, index) => ({
    _id: index + 1,
    data,
    twin: jumbled.length - index,
    parts: [{ id: index + 1, data }],
  })),
  notes: [
    { _id: 1, body: `${long}a`, data: 1, secret: 'a', words: 'apple apple apple pear' },
    { _id: 2, body: `${long}b`, data: [1, 2], secret: 'b', words: 'apple pear plum fig' },
    { _id: 3, body: `${long}c`, data: { a: [{ b: 1 }] }, secret: 'c', words: 'apple apple pear plum' },
    { _id: 4, body: null, data: null, secret: 'd', words: 'pear' },
    { _id: 5, body: `${long}b`, data: 'text', secret: 'e', words: 'apple pear plum fig' },
  ],
};

interface Row {
  readonly id: number;
}

/** Lists whose pages are compared with those by offsets. */
const lists: readonly string[] = [
  '/api/reviews?sort=rating:desc',
  '/api/reviews?sort=createdAt:desc&populate=book',
  '/api/reviews?sort=publishedAt&publicationState=preview',
  '/api/reviews?filters[rating][$gt]=3&sort=book.title',
  '/api/reviews?filters[book][title][$contains]=1&sort=rating,id:desc',
  '/api/reviews?filters[book][pages][$gt]=20&sort=rating&fields=id',
  '/api/reviews?filters[$or][0][rating]=3&filters[$or][1][book]=12&sort=book.publisher.name:desc,rating',
  '/api/books?locale=en&sort=publisher.name,authors.name:desc&populate=*',
  '/api/books?sort=editions.printer.name:desc,seo.title&populate[seo][fields]=title&fields=pages',
  '/api/books?sort=seo.title:desc,title&populate=seo&locale=all',
  '/api/authors?filters[agent][name]=House 3&sort=name:desc',
  '/api/authors?filters[agent][name]=no-such',
  '/api/notes?sort=body',
  '/api/notes?sort=body:desc,data',
  '/api/notes?sort=data:desc',
  ...['data', 'data:desc', 'twin.data', 'twin.data:desc', 'parts.data', 'parts.data:desc'].map(
    (key) => `/api/jumbles?sort=${key}`,
  ),
  '/api/notes?_q=apple&sort=_score',
  '/api/notes?_q=apple&sort=_score,words:desc',
];

const wrong = 'is not a cursor of this list';

/** Parameters with the cursor of the second review by rating as `CURSOR`, and the start of the message. */
const refused: readonly (readonly [path: string, message: string])[] = [
  ['/api/reviews?sort=rating:desc&pagination[after]=CURSOR', `Invalid parameter pagination[after]: it ${wrong}`],
  ['/api/reviews?sort=rating,id:desc&pagination[after]=CURSOR', `Invalid parameter pagination[after]: it ${wrong}`],
  ['/api/reviews?pagination[before]=CURSOR', `Invalid parameter pagination[before]: it ${wrong}`],
  ['/api/reviews?sort=rating&filters[rating]=1&pagination[after]=CURSOR', `Invalid parameter pagination[after]: it ${wrong}`],
  [
    '/api/reviews?sort=rating&publicationState=preview&pagination[after]=CURSOR',
    `Invalid parameter pagination[after]: it ${wrong}`,
  ],
  ['/api/reviews?sort=rating&locale=fr&pagination[after]=CURSOR', `Invalid parameter pagination[after]: it ${wrong}`],
  ['/api/reviews?sort=rating&_q=1&pagination[after]=CURSOR', `Invalid parameter pagination[after]: it ${wrong}`],
  ['/api/books?sort=pages&pagination[after]=CURSOR', `Invalid parameter pagination[after]: it ${wrong}`],
  ['/api/reviews?sort=rating&pagination[after]=xCURSOR', `Invalid parameter pagination[after]: it ${wrong}`],
  ['/api/reviews?sort=rating&pagination[after]=CURSORAAAA', `Invalid parameter pagination[after]: it ${wrong}`],
  ['/api/reviews?sort=rating&pagination[after]=abc', `Invalid parameter pagination[after]: it ${wrong}`],
  ['/api/reviews?sort=rating&pagination[after]=%F0%9F%98%80', `Invalid parameter pagination[after]: it ${wrong}`],
  ['/api/reviews?sort=rating&pagination[after]=', 'Invalid parameter pagination[after]'],
  ['/api/reviews?sort=rating&pagination[after]', 'Invalid parameter pagination[after]'],
  [`/api/reviews?sort=rating&pagination[before]=${'a'.repeat(7_000)}`, 'Invalid parameter pagination[before]'],
  ['/api/reviews?pagination[after]=CURSOR&pagination[after]=CURSOR', 'Invalid parameter pagination[after]'],
  ['/api/reviews?pagination[after][x]=CURSOR', 'Invalid parameter pagination[after]'],
  ['/api/reviews?pagination[after]=CURSOR&pagination[before]=CURSOR', 'Invalid parameter pagination[before]'],
  ['/api/reviews?pagination[after]=CURSOR&pagination[page]=2', 'Invalid parameter pagination[page]'],
  ['/api/reviews?pagination[cursors]=true&pagination[start]=0', 'Invalid parameter pagination[start]'],
  ['/api/reviews?pagination[cursors]=true&pagination[limit]=2&pagination[pageSize]=2', 'Invalid parameter pagination[pageSize]'],
  ['/api/reviews?pagination[cursors]=maybe', 'Invalid parameter pagination[cursors]'],
  ['/api/reviews?pagination[cursors]=false&pagination[after]=CURSOR', 'Invalid parameter pagination[cursors]'],
  ['/api/reviews?pagination[cursors]=true&pagination[limit]=two', 'Invalid parameter limit'],
  ['/api/notes?sort=secret&pagination[cursors]=true', 'Invalid parameter secret'],
  // where there are no pages by cursors
  ['/api/reviews/1?pagination[after]=CURSOR', 'Invalid parameter pagination[after]'],
  ['/api/reviews/1?pagination[cursors]=true', 'Invalid parameter pagination[cursors]'],
  ['/api/storefront?pagination[before]=CURSOR', 'Invalid parameter pagination[before]'],
  ['/api/users?pagination[after]=CURSOR', 'Invalid parameter pagination[after]'],
  ['/api/upload/files?pagination[cursors]=true', 'Invalid parameter pagination[cursors]'],
  ['/api/i18n/locales?pagination%5Bafter%5D=CURSOR', 'Invalid parameter pagination[after]'],
  ['/api/books?populate[reviews][pagination][after]=CURSOR', 'Invalid parameter pagination[after]'],
];

describe('pages by cursors', () => {
  let serving: Serving;
  let cursor = '';
  before(async () => {
    serving = await serveModels({
      models,
      documents,
      config: { api: { limits: { idsResolved: 50 } }, admin: { apiToken: { salt: 'a-salt-of-tokens-and-cursors' } } },
    });
    cursor = await cursorOf('/api/reviews?sort=rating');
  });
  after(() => serving.stop());

  const read = async (path: string) => {
    const { status, body } = await serving.call('GET', path);
    expect(status, JSON.stringify(body).slice(0, 500)).to.equal(200);
    return body;
  };
  const cursorOf = async (path: string): Promise<string> =>
    (await read(`${path}&pagination[cursors]=true&pagination[limit]=2`)).meta.pagination.cursors.end;

  for (const path of lists)
    it(`${path} forwards and backwards`, async () => {
      const with_ = (pagination: string) => read(`${path}${path.includes('?') ? '&' : '?'}${pagination}`);
      const { data: all, meta } = await with_('pagination[start]=0&pagination[limit]=1000');
      const size = Math.max(Math.ceil(all.length / 4), 2);
      const limit = `pagination[pageSize]=${String(size)}`;
      const expected = (start: number) => {
        const data = all.slice(start, start + size);
        return { data, total: meta.pagination.total, limit: size, hasNext: start + size < all.length, hasPrevious: start > 0 };
      };
      let [page, start] = [await with_(`${limit}&pagination[cursors]=true`), 0];
      const shown = ({ data, meta: { pagination } }: typeof page): object => {
        const { cursors, ...rest } = pagination;
        expect([cursors.start === null, cursors.end === null]).to.deep.equal([data.length === 0, data.length === 0]);
        return { data, ...rest };
      };
      expect(shown(page)).to.deep.equal(expected(0));
      for (; page.meta.pagination.hasNext === true; start += size) {
        page = await with_(`${limit}&pagination[after]=${page.meta.pagination.cursors.end}`);
        expect(shown(page)).to.deep.equal(expected(start + size));
      }
      for (; start > 0; start -= size) {
        page = await with_(`${limit}&pagination[before]=${page.meta.pagination.cursors.start}`);
        expect(shown(page)).to.deep.equal(expected(start - size));
      }
    });

  for (const [path, message] of refused)
    it(`${path.slice(0, 120)} is refused`, async () => {
      const { status, body } = await serving.call('GET', path.replaceAll('CURSOR', cursor));
      expect(body.error).to.include({ status: 400, name: 'ValidationError' });
      expect(status).to.equal(400);
      expect(body.error.message.slice(0, message.length)).to.equal(message);
    });

  for (const [method, path] of [
    ['PUT', '/api/reviews/1'],
    ['DELETE', '/api/reviews/1'],
    ['POST', '/api/reviews'],
  ] as const)
    it(`${method} ${path} refuses cursors, and writes nothing`, async () => {
      const { status, body } = await serving.call(method, `${path}?pagination[after]=${cursor}`, { data: { rating: 9 } });
      expect([status, body.error.message]).to.deep.equal([
        400,
        'Invalid parameter pagination[after]: only lists of content types have cursors',
      ]);
      expect((await read('/api/reviews?filters[rating]=9')).data).to.deep.equal([]);
    });

  it('equal pages have equal cursors, which do not show the values that the list is sorted by', async () => {
    const path = '/api/authors?sort=agent.name,name';
    expect(await cursorOf(path)).to.equal(await cursorOf(path));
    expect(Buffer.from(await cursorOf(path), 'base64url').toString('latin1')).not.to.match(/House|Author/);
  });

  it('cursors are valid on other instances, which have the same secret, and on no others', async () => {
    const start = (salt: string) =>
      serveModels({ models: [], database: serving.database, config: { admin: { apiToken: { salt } } } });
    const path = `/api/reviews?sort=rating&fields=id&pagination[after]=${cursor}`;
    const other = await start('a-salt-of-tokens-and-cursors');
    const foreign = await start('another-salt-of-16-characters');
    try {
      expect((await other.call('GET', path)).body).to.deep.equal(await read(path));
      expect((await foreign.call('GET', path)).status).to.equal(400);
    } finally {
      await Promise.all([other.stop(), foreign.stop()]);
    }
  });

  it('withCount=false omits the total', async () => {
    const { meta } = await read('/api/reviews?pagination[cursors]=true&pagination[withCount]=false');
    expect(meta.pagination).to.have.all.keys('limit', 'cursors', 'hasNext', 'hasPrevious');
  });

  it('cursors=false asks for none', async () => {
    const { meta } = await read('/api/genres?pagination[cursors]=false');
    expect(meta.pagination).to.deep.equal({ page: 1, pageSize: 25, pageCount: 1, total: 10 });
  });

  it('the limit is bounded as that of other pages', async () => {
    const { meta } = await read('/api/reviews?fields=id&pagination[cursors]=true&pagination[limit]=-1');
    expect(meta.pagination.limit).to.equal(1_000);
  });

  it('values that a cursor cannot hold are refused by name', async () => {
    await serving.database.db
      .collection<Row & { _id: number }>('notes')
      .updateOne({ _id: 3 }, { $set: { data: { 2: 'a', 1: 'b' } } });
    const { status, body } = await serving.call('GET', '/api/notes?sort=data:desc&pagination[cursors]=true&pagination[limit]=1');
    expect([status, body.error.message.slice(0, 23)]).to.deep.equal([400, 'Invalid parameter sort:']);
  });

  it('a cursor with a long value is short, and is refused if its entry has changed', async () => {
    const path = '/api/notes?sort=body:desc&fields=id';
    const end = await cursorOf(path);
    expect(end.length).to.be.below(200);
    const { data } = await read(`${path}&pagination[after]=${end}`);
    expect(data.map(({ id }: Row) => id)).to.deep.equal([5, 1, 4]);
    await serving.call('PUT', '/api/notes/2', { data: { body: long } });
    const { status, body } = await serving.call('GET', `${path}&pagination[after]=${end}`);
    expect([status, body.error.message]).to.deep.equal([
      400,
      'Invalid parameter pagination[after]: its entry has changed, and its long values are not part of the cursor',
    ]);
  });
});
