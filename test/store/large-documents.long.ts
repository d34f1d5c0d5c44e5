import { expect } from 'chai';
import type { CommandSucceededEvent } from 'mongodb';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const to = (target: string, relation: string, sides: object): object => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...sides,
});

const models: readonly TestModel[] = [
  collectionType('shelf', {
    name: { type: 'string' },
    books: to('book', 'manyToMany', { inversedBy: 'shelfs' }),
    series: to('serie', 'manyToOne', {}),
  }),
  collectionType('serie', { books: to('book', 'oneToMany', { mappedBy: 'serie' }) }),
  collectionType('book', {
    name: { type: 'string' },
    text: { type: 'text' },
    shelfs: to('shelf', 'manyToMany', { mappedBy: 'books' }),
    serie: to('serie', 'manyToOne', { inversedBy: 'books' }),
  }),
  collectionType('table', { cells: { type: 'json' } }),
];

const count = 500;
const ids = Array.from({ length: count }, (_, index) => index + 1);

/** 500 books of 100 kB, all on one shelf: 50 MB, more than MongoDB has in one document or reply. */
const documents = {
  shelfs: [{ _id: 1, name: 'Shelf', books: ids, series: 1 }],
  series: [{ _id: 1 }],
  // Each empty text takes 13 bytes in MongoDB and 3 in an answer, estimated as 6: 23 MB, of which the answer has 5 MB.
  tables: [1, 2, 3, 4, 5, 6, 7].map((_id) => ({ _id, cells: Array.from({ length: 250_000 }, () => '') })),
  books: ids.map((_id) => ({ _id, name: `Book ${String(_id)}`, text: 'mangrove '.repeat(11_500), serie: 1 })),
};

describe('related entries that do not fit into one document', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents });
  });
  after(() => serving.stop());

  const graphql =
    '{ shelf(id: 1) { data { attributes { books(pagination: { limit: 100 }) { data { attributes { name } } } } } } }';
  const cases: readonly (readonly [path: string, expected: number | string, query?: string])[] = [
    ['/api/shelfs/1?populate[books][fields]=name', count],
    ['/api/shelfs?populate[books][fields]=name', count],
    ['/api/shelfs/1?populate=books', 'api.limits.answerBytes'],
    ['/api/shelfs?populate=books', 'api.limits.answerBytes'],
    ['/api/shelfs?sort=books.name&populate[books][fields]=name', count],
    ['/api/shelfs?sort=books.shelfs.books.name&populate[books][fields]=name', count],
    ['/api/shelfs?sort=books.text&populate[books][fields]=name', count],
    ['/api/shelfs?filters[books][text][$contains]=grove&populate[books][fields]=name', count],
    ['/api/books/1?populate[shelfs][populate][books][fields]=name', 1],
    ['/graphql', 100, graphql],
  ];
  for (const [path, expected, query] of cases)
    it(`${path}: ${String(expected)}`, async () => {
      const { status, body } = await (query === undefined ? serving.call('GET', path) : serving.call('POST', path, { query }));
      const [entry] = [body.data?.shelf?.data ?? body.data].flat();
      const { books, shelfs } = entry?.attributes ?? {};
      expect([status, (books ?? shelfs)?.data.length ?? body.error], JSON.stringify(body).slice(0, 300)).to.deep.equal([
        typeof expected === 'number' ? 200 : 400,
        typeof expected === 'number' ? expected : body.error,
      ]);
      if (typeof expected === 'string') expect(body.error.message).to.include(expected);
    });

  it('short lists are read separately if they do not fit into the document of their parent', async () => {
    const lists = [0, 100].map(
      (start) =>
        `from${String(start)}: books(pagination: { start: ${String(start)}, limit: 100 }) { data { attributes { text } } }`,
    );
    const query = `{ shelfs { data { attributes { series { data { attributes { ${lists.join(' ')} } } } } } } }`;
    const { body } = await serving.call('POST', '/graphql', { query });
    expect(body.errors?.[0].message, JSON.stringify(body).slice(0, 300)).to.include('api.limits.answerBytes');
  });

  it('bytes that come in two replies count once', async () => {
    const { status, body } = await serving.call('GET', '/api/tables');
    expect([status, body.data?.length ?? body]).to.deep.equal([200, 7]);
  });

  it('relations that did not fit into the document of their entry are not joined again at once', async () => {
    const client = serving.server.backend?.store.database.client;
    let failed = 0;
    const count = (): void => {
      failed += 1;
    };
    client?.on('commandFailed', count);
    for (const expected of [1, 1, 1]) {
      const { body } = await serving.call('GET', '/api/shelfs/1?fields=name&populate[books][fields]=name');
      expect([body.data?.attributes.books.data.length, failed]).to.deep.equal([500, expected]);
    }
    client?.off('commandFailed', count);
  });

  it('of an answer that is too large only two replies are read', async () => {
    const client = serving.server.backend?.store.database.client;
    let read = 0;
    const count = ({ reply }: CommandSucceededEvent): void => {
      const { cursor } = reply as { cursor?: { firstBatch?: unknown[]; nextBatch?: unknown[] } };
      read += (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length;
    };
    client?.on('commandSucceeded', count);
    expect((await serving.call('GET', '/api/shelfs?populate=books')).status).to.equal(400);
    client?.off('commandSucceeded', count);
    expect(read).to.be.lessThan(350);
  });
});
