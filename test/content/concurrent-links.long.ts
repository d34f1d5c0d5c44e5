import { expect } from 'chai';
import type { Document } from 'mongodb';
import { bookshopModels } from '../support/read-project.js';
import { serveModels, type Serving } from '../support/serve.js';

/** A generator with a fixed seed, so that failures are reproducible. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const ids = (entries: readonly { id: number }[]): number[] => entries.map(({ id }) => id);

describe('relations under concurrency', () => {
  let serving: Serving;
  let books: number[];
  let authors: number[];
  let houses: number[];

  before(async () => {
    serving = await serveModels({ models: bookshopModels() });
    const create = async (path: string, data: object): Promise<number> => {
      const { status, body } = await serving.call('POST', path, { data });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.data.id as number;
    };
    const many = (count: number, make: (index: number) => Promise<number>): Promise<number[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => make(index)));
    books = await many(10, (index) => create('/api/books', { title: `Book ${String(index)}` }));
    authors = await many(10, (index) => create('/api/authors', { name: `Author ${String(index)}` }));
    houses = await many(8, (index) => create('/api/publishers', { name: `House ${String(index)}`, address: { city: 'Wien' } }));
  });
  after(() => serving.stop());

  const pick = (random: (below: number) => number, list: readonly number[]): number => list[random(list.length)] ?? 0;

  /** Every document's links must name each id once, with a rank for each and no rank besides. */
  async function expectSound(collection: string, name: string): Promise<readonly Document[]> {
    const documents = await serving.database.db.collection(collection).find().toArray();
    for (const document of documents) {
      const links = document[name] as readonly number[];
      const ranks = (document['_ranks'] as Document | undefined)?.[name] as Readonly<Record<string, number>> | undefined;
      expect(new Set(links).size, `${name} of ${String(document['_id'])}`).to.equal(links.length);
      expect(Object.keys(ranks ?? {}).sort(), `ranks of ${String(document['_id'])}`).to.deep.equal(links.map(String).sort());
    }
    return documents;
  }

  async function related(path: string, name: string): Promise<ReadonlyMap<number, readonly number[]>> {
    const { body } = await serving.call('GET', `${path}?populate[${name}][fields]=id&pagination[pageSize]=100`);
    return new Map(
      body.data.map((entry: { id: number; attributes: Record<string, { data: unknown }> }) => {
        const data = entry.attributes[name]?.data as { id: number }[] | { id: number } | null;
        return [entry.id, data === null ? [] : Array.isArray(data) ? ids(data) : [data.id]];
      }),
    );
  }

  it('200 connects and disconnects from both sides of a manyToMany leave both sides consistent', async () => {
    const random = randomOf(1);
    const requests = Array.from({ length: 200 }, (_, index) => {
      const [book, author] = [pick(random, books), pick(random, authors)];
      const verb = random(3) === 0 ? 'disconnect' : 'connect';
      return index % 2 === 0
        ? serving.call('PUT', `/api/books/${String(book)}`, { data: { authors: { [verb]: [author] } } })
        : serving.call('PUT', `/api/authors/${String(author)}`, { data: { books: { [verb]: [book] } } });
    });
    const answers = await Promise.all(requests);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    await expectSound('books', 'authors');
    const [ofBooks, ofAuthors] = [await related('/api/books', 'authors'), await related('/api/authors', 'books')];
    const pairs = [...ofBooks].flatMap(([book, list]) => list.map((author) => `${String(book)}-${String(author)}`));
    const inverse = [...ofAuthors].flatMap(([author, list]) => list.map((book) => `${String(book)}-${String(author)}`));
    expect(pairs.length).to.be.greaterThan(0);
    expect(pairs.sort()).to.deep.equal(inverse.sort());
  });

  it('no concurrent connect is lost', async () => {
    await Promise.all(books.map((book) => serving.call('PUT', `/api/books/${String(book)}`, { data: { authors: [] } })));
    const answers = await Promise.all(
      books
        .slice(0, 6)
        .flatMap((book, row) =>
          authors
            .slice(0, 6)
            .map((author, column) =>
              (row + column) % 2 === 0
                ? serving.call('PUT', `/api/books/${String(book)}`, { data: { authors: { connect: [author] } } })
                : serving.call('PUT', `/api/authors/${String(author)}`, { data: { books: { connect: [book] } } }),
            ),
        ),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    await expectSound('books', 'authors');
    for (const [book, list] of await related('/api/books', 'authors'))
      expect([...list].sort()).to.deep.equal(books.indexOf(book) < 6 ? [...authors.slice(0, 6)].sort() : []);
  });

  it('200 connects and disconnects from both sides of a oneToMany leave each child with one parent', async () => {
    const random = randomOf(2);
    const requests = Array.from({ length: 200 }, (_, index) => {
      const [book, house] = [pick(random, books), pick(random, houses)];
      const verb = random(3) === 0 ? 'disconnect' : 'connect';
      return index % 2 === 0
        ? serving.call('PUT', `/api/books/${String(book)}`, { data: { publisher: { [verb]: [house] } } })
        : serving.call('PUT', `/api/publishers/${String(house)}`, { data: { books: { [verb]: [book] } } });
    });
    const answers = await Promise.all(requests);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    for (const book of await serving.database.db.collection('books').find().toArray()) {
      const linked = typeof book['publisher'] === 'number';
      const ranked = typeof (book['_ranks'] as Document)['publisher'] === 'number';
      expect(ranked, String(book['_id'])).to.equal(linked);
    }
    const [ofBooks, ofHouses] = [await related('/api/books', 'publisher'), await related('/api/publishers', 'books')];
    const children = [...ofHouses.values()].flat();
    expect(new Set(children).size).to.equal(children.length);
    for (const [book, parents] of ofBooks)
      expect([...ofHouses].filter(([, list]) => list.includes(book)).map(([house]) => house)).to.deep.equal(parents);
  });

  it('a oneToOne has one partner on each side, also after concurrent writes', async () => {
    const create = async (path: string, data: object): Promise<number> =>
      (await serving.call('POST', path, { data })).body.data.id as number;
    const readers = await Promise.all([1, 2, 3, 4].map((n) => create('/api/readers', { nickname: `r${String(n)}` })));
    const cards = await Promise.all([1, 2, 3].map((n) => create('/api/membership-cards', { number: n })));
    const random = randomOf(3);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const [reader, card] = [pick(random, readers), pick(random, cards)];
        return index % 2 === 0
          ? serving.call('PUT', `/api/readers/${String(reader)}`, { data: { card } })
          : serving.call('PUT', `/api/membership-cards/${String(card)}`, { data: { reader } });
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const stored = await serving.database.db.collection('readers').find().toArray();
    const held = stored.map(({ card }) => card as number | null).filter((card) => card !== null);
    expect(new Set(held).size).to.equal(held.length);
    expect(held.length).to.be.greaterThan(0);
    const [ofReaders, ofCards] = [await related('/api/readers', 'card'), await related('/api/membership-cards', 'reader')];
    for (const [reader, list] of ofReaders) for (const card of list) expect(ofCards.get(card)).to.deep.equal([reader]);
    expect([...ofCards.values()].flat()).to.have.lengthOf(held.length);
  });

  it('concurrent deletes and connects leave no id of a deleted entry that a client can see', async () => {
    const extra = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const { body } = await serving.call('POST', '/api/authors', { data: { name: `Gone ${String(index)}` } });
        return body.data.id as number;
      }),
    );
    const answers = await Promise.all(
      extra.flatMap((author, index) => [
        serving.call('PUT', `/api/books/${String(books[index % books.length])}`, { data: { authors: { connect: [author] } } }),
        serving.call('DELETE', `/api/authors/${String(author)}`),
        serving.call('PUT', `/api/books/${String(books[(index + 1) % books.length])}`, {
          data: { authors: { connect: [author] } },
        }),
      ]),
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 400).map(({ body }) => body as unknown)).to.deep.equal([]);
    for (const list of (await related('/api/books', 'authors')).values())
      expect(list.filter((author) => extra.includes(author))).to.deep.equal([]);
    await expectSound('books', 'authors');
  });
});
