import { expect } from 'chai';
import { maximumLinks } from '../../src/mongo/write/link-changes.js';
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
        ],
        authors: [{ _id: 1, name: 'Ada' }],
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
    it(`${method} ${path} ${JSON.stringify(data)}: the second part fails, and nothing of the first is left`, async () => {
      const before = await stored();
      const { status, body } = await serving.call(method, path, { data });
      expect([status, body.error.message]).to.deep.equal([400, message]);
      expect(await stored()).to.deep.equal(before);
      const book = await serving.database.db
        .collection('books')
        .findOne({ _id: 1 as never }, { projection: { title: 1, authors: 1 } });
      expect([book?.['title'], book?.['authors'].length]).to.deep.equal(['Full', maximumLinks]);
    });
});
