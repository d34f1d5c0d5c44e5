import { expect } from 'chai';
import { maximumLinks } from '#model/schema/link-input.js';
import { bookshopModels } from '../support/read-project.js';
import { serveModels, type Serving } from '../support/serve.js';

const full = Array.from({ length: maximumLinks }, (_, index) => 1000 + index);
const message = `authors holds at most ${String(maximumLinks)} related entries; let the other side own the relation (a manyToOne) for more`;

describe('writes that touch several documents', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({
      models: bookshopModels(),
      documents: {
        books: [
          { _id: 1, title: 'Full', authors: full, publishedAt: new Date(), locale: 'en', _group: 1 },
          { _id: 2, title: 'Free', authors: [], publishedAt: new Date(), locale: 'en', _group: 2 },
          ...full.map((_id) => ({ _id, publisher: 1, _ranks: { publisher: _id } })),
          { _id: 500, publisher: 1, _ranks: { publisher: 500 } },
        ],
        authors: [{ _id: 1, name: 'Ada' }],
        houses: [{ _id: 1, name: 'House' }],
      },
    });
  });
  after(() => serving.stop());

  const stored = async (): Promise<unknown> => ({
    authors: await serving.database.db.collection('authors').find().toArray(),
    free: await serving.database.db.collection('books').findOne({ _id: 2 as never }),
  });

  const refused: readonly (readonly [string, string, object])[] = [
    ['POST', '/api/authors', { name: 'New', books: [2, 1] }],
    ['PUT', '/api/authors/1', { name: 'Changed', books: [2, 1] }],
    ['PUT', '/api/authors/1', { name: 'Changed', books: { connect: [2, 1] } }],
    ['PUT', '/api/books/1', { title: 'Changed', authors: { connect: [1] } }],
  ];
  for (const [method, path, data] of refused)
    it(`${method} ${path} ${JSON.stringify(data)}: the second write fails, and nothing of the first is stored`, async () => {
      const before = await stored();
      const { status, body } = await serving.call(method, path, { data });
      expect([status, body.error.message]).to.deep.equal([400, message]);
      expect(await stored()).to.deep.equal(before);
      const book = await serving.database.db
        .collection('books')
        .findOne({ _id: 1 as never }, { projection: { title: 1, authors: 1 } });
      expect([book?.['title'], book?.['authors'].length]).to.deep.equal(['Full', maximumLinks]);
    });

  const tooLong = (name: string): string => `${name} takes at most ${String(maximumLinks)} related entries in one write`;
  const ids = [...full, 1];
  const long: readonly (readonly [string, object, string])[] = [
    ['/api/books', { title: 'T', authors: ids }, tooLong('authors')],
    ['/api/books', { title: 'T', authors: { disconnect: ids } }, tooLong('authors')],
    ['/api/authors', { name: 'No', books: { connect: ids } }, tooLong('books')],
    ['/api/books', { title: 'T', editions: ids.map(() => ({})) }, `editions takes at most ${String(maximumLinks)} components`],
    ['/api/events', { name: 'E', subjects: ids.map((id) => ({ __type: 'api::book.book', id })) }, tooLong('subjects')],
  ];
  for (const [path, data, expected] of long)
    it(`POST ${path} ${JSON.stringify(data).slice(0, 40)}… of ${String(ids.length)} ids is refused`, async () => {
      const { status, body } = await serving.call('POST', path, { data });
      expect([status, body.error.message]).to.deep.equal([400, expected]);
    });

  it('a body with more errors is refused with the first thousand', async () => {
    const { status, body } = await serving.call('POST', '/api/books', { data: { title: 'T', editions: ids.slice(1) } });
    expect([status, body.error.message]).to.deep.equal([400, '1000 errors occurred']);
  });

  describe(`a list of ${String(full.length + 1)} entries that is stored with them`, () => {
    const stored = async (id: number) => {
      const book = await serving.database.db.collection('books').findOne({ _id: id as never });
      return { publisher: book?.['publisher'] as unknown, rank: Number(book?.['_ranks']?.publisher) };
    };

    for (const books of [[], null, { set: [2] }, { connect: [{ id: 2, position: { start: true } }] }])
      it(`is not ordered or replaced by one write: ${JSON.stringify(books)}`, async () => {
        const { status, body } = await serving.call('PUT', '/api/publishers/1', { data: { books } });
        expect([status, body.error?.message]).to.deep.equal([
          400,
          `books has more than ${String(maximumLinks)} related entries; connect and disconnect some without a position, or write publisher of the related entries`,
        ]);
        expect((await stored(500)).publisher).to.equal(1);
      });

    it('connects and disconnects single entries', async () => {
      const books = { connect: [2, 500], disconnect: [1000] };
      expect((await serving.call('PUT', '/api/publishers/1', { data: { books } })).status).to.equal(200);
      const [first, second, gone, other] = await Promise.all([2, 500, 1000, 10_999].map(stored));
      expect([first?.publisher, second?.publisher, gone?.publisher]).to.deep.equal([1, 1, null]);
      const ranks = [other, first, second].map((link) => link?.rank);
      expect(ranks).to.deep.equal([...ranks].sort());
    });
  });
});
