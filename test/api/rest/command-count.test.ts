import { expect } from 'chai';
import type { Document } from 'mongodb';
import type { ExplainedWork } from '#store/read/explain-read.js';
import { commandsDuring, explain } from '../../support/explain.js';
import { bookshopModels } from '../../support/read-project.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { stockedBookshop } from '../../support/stocked-bookshop.js';

/** Requests and the commands they cost, in alphabetical order; the same for a page of one entry and of 200. */
const lists: readonly (readonly [string, readonly string[]])[] = [
  // not localized, a filter, whose total is counted after a write
  ['/api/reviews?filters[id][$gt]=0', ['count', 'find']],
  ['/api/reviews?filters[id][$gt]=0&pagination[withCount]=false', ['find']],
  ['/api/authors?filters[id][$gt]=0&populate=books', ['count', 'find', 'find']],
  ['/api/reviews?filters[id][$gt]=0&populate=book,reader', ['count', 'find', 'find']],
  ['/api/reviews?filters[id][$gt]=0&populate=book.authors', ['count', 'find', 'find', 'find']],
  // a list with a limit comes with the entries that have it, unless there could be many
  ['/api/reviews?filters[id][$gt]=0&populate[book][populate][reviews][limit]=2', ['aggregate', 'count', 'find']],
  ['/api/reviews?filters[id][$gt]=0&populate[book][populate][reviews][limit]=1000', ['aggregate', 'count', 'find', 'find']],
  ['/api/reviews?filters[id][$gt]=0&populate=book.authors.agent', ['count', 'find', 'find', 'find', 'find']],
  // localized: the locales are read with the first level of relations
  ['/api/books?filters[id][$gt]=0', ['count', 'find', 'find']],
  ['/api/books?filters[id][$gt]=0&populate=authors,publisher,genres,reviews', ['aggregate', 'count', 'find']],
  ['/api/books?filters[id][$gt]=0&populate[reviews][limit]=2', ['aggregate', 'count', 'find']],
  [
    '/api/books?filters[id][$gt]=0&populate[authors][populate][agent][populate]=parent',
    ['aggregate', 'count', 'find', 'find', 'find'],
  ],
  // components and dynamic zones are in the document; their relations come with those of the level
  ['/api/books?filters[id][$gt]=0&populate=seo,editions,content', ['count', 'find', 'find']],
  ['/api/books?filters[id][$gt]=0&populate=seo.image,editions.printer,authors', ['aggregate', 'count', 'find']],
  ['/api/books?filters[id][$gt]=0&populate[content][populate]=*&populate[editions][populate]=*', ['aggregate', 'count', 'find']],
  ['/api/books?filters[id][$gt]=0&populate=*', ['aggregate', 'count', 'find']],
  // one for each condition on a relation, those of populated components too
  [
    '/api/books?filters[id][$gt]=0&populate[editions][filters][printer][name][$contains]=House',
    ['count', 'find', 'find', 'find'],
  ],
  // page and total of few entries come from the related ones
  ['/api/reviews?filters[book][title]=Book%2012', ['aggregate']],
  // the ids of many related entries come first
  ['/api/reviews?filters[book][title][$contains]=Book', ['aggregate', 'count', 'find']],
  // nothing more is read if no related entry meets its condition
  ['/api/reviews?filters[book][title]=no-such', ['aggregate']],
  ['/api/reviews?filters[book][authors][name][$contains]=Author', ['aggregate', 'count', 'find']],
  ['/api/authors?filters[books][pages][$gt]=0&filters[agent][name][$contains]=House', ['aggregate']],
  ['/api/reviews?filters[book][id]=12', ['count', 'find']],
  ['/api/reviews?filters[book][$null]=true', ['count', 'find']],
  ['/api/authors?filters[id][$gt]=0&sort=agent.name', ['aggregate', 'count']],
  // where no index leads to the entries, one pass for page and total, and then the entries of the page
  ['/api/reviews?filters[rating]=3', ['aggregate', 'find']],
  ['/api/reviews?filters[rating]=3&pagination[withCount]=false', ['find']],
  ['/api/reviews?_q=x', ['aggregate']],
  ['/api/reviews?filters[rating]=3&sort=rating&populate=book', ['aggregate', 'find', 'find']],
  ['/api/reviews?filters[rating]=3&filters[book]=12', ['count', 'find']],
  ['/api/reviews?filters[$or][0][rating]=3&filters[$or][1][book]=12', ['aggregate', 'find']],
  ['/api/publishers?filters[name][$containsi]=house', ['aggregate', 'find']],
];

const entries: readonly (readonly [string, readonly string[]])[] = [
  ['/api/reviews/1', ['find']],
  ['/api/reviews/1?populate=book,reader', ['aggregate']],
  ['/api/authors/1?populate=agent,portrait', ['aggregate']],
  ['/api/authors/1?populate=books', ['find', 'find']],
  ['/api/publishers/1?populate=address,parent', ['aggregate']],
  ['/api/authors/999', ['find']],
  ['/api/no-such', []],
];

describe('number of commands', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: bookshopModels(), documents: stockedBookshop });
    await serving.settled();
    await serving.call('GET', '/api/reviews'); // the first request reads who may do what
    // sizes of collections are read once a minute
    await serving.call('GET', '/api/reviews?filters[book][title]=Book%2011');
    await serving.call('GET', '/api/authors?filters[agent][name][$contains]=Hous');
  });
  after(() => serving.stop());

  const values = { kind: 'values' } as const;

  for (const [path, expected] of lists)
    for (const pageSize of [1, 200])
      it(`${path}, ${String(pageSize)} rows: ${expected.join(', ')}`, async () => {
        for (const name of ['reviews', 'authors', 'books', 'houses']) serving.server.backend?.store.changes.changed(name, values);
        const { commands, result } = await serving.countCommands(() =>
          serving.call('GET', `${path}&publicationState=preview&pagination[pageSize]=${String(pageSize)}`),
        );
        expect(result.status).to.equal(200);
        expect([...commands].sort()).to.deep.equal(expected);
      });

  for (const [path, expected] of entries)
    it(`${path}: ${expected.join(', ') || 'none'}`, async () => {
      const { commands } = await serving.countCommands(() => serving.call('GET', path));
      expect([...commands].sort()).to.deep.equal(expected);
    });

  it('a page by cursors costs as many commands as another, and one more if the entry of its cursor is gone', async () => {
    const commandsOf = async (pagination: string) => {
      const path = `/api/reviews?filters[id][$gt]=0&pagination[limit]=2&pagination[withCount]=false&${pagination}`;
      const { commands, result } = await serving.countCommands(() => serving.call('GET', path));
      return { commands, end: result.body.meta.pagination.cursors.end as string, id: result.body.data[1].id as number };
    };
    const first = await commandsOf('pagination[cursors]=true');
    expect(first.commands).to.deep.equal(['find']);
    expect((await commandsOf(`pagination[after]=${first.end}`)).commands).to.deep.equal(['find']);
    await serving.call('DELETE', `/api/reviews/${String(first.id)}`);
    await serving.settled();
    expect((await commandsOf(`pagination[after]=${first.end}`)).commands).to.deep.equal(['find', 'find']);
  });

  it('the total of a filter is counted once until something is written', async () => {
    const list = () =>
      serving.countCommands(() => serving.call('GET', '/api/genres?filters[id][$lt]=100&pagination[pageSize]=1&fields=name'));
    const total = async (): Promise<readonly unknown[]> => {
      const { commands, result } = await list();
      return [commands.includes('count'), result.body.meta.pagination.total];
    };
    const [, before] = await total();
    expect(await total()).to.deep.equal([false, before]);
    await serving.call('PUT', '/api/genres/1', { data: { name: 'Newer' } });
    expect(await total()).to.deep.equal([true, before]);
  });

  it('an update of scalars is one command', async () => {
    const { commands } = await serving.countCommands(() => serving.call('PUT', '/api/genres/1', { data: { name: 'New' } }));
    expect(commands).to.deep.equal(['findAndModify']);
  });

  it('a create without links is one command, once ids are reserved', async () => {
    const create = () => serving.call('POST', '/api/genres', { data: { name: 'New' } });
    for (let count = 0; count < 40; count++) await create();
    const { commands } = await serving.countCommands(create);
    expect(commands).to.deep.equal(['insert']);
  });

  it('a create with links checks them all by one command, and reads no locales of what has none yet', async () => {
    const body = { data: { title: 'Linked', authors: [1, 2], genres: [1], publisher: 1, cover: 1, similar: [3] } };
    const { commands, result } = await serving.countCommands(() => serving.call('POST', '/api/books', body));
    expect(result.status).to.equal(200);
    expect(commands.filter((name) => name === 'aggregate')).to.have.lengthOf(1);
    expect(commands).to.include('insert').and.not.include('count');
  });
});

describe('totals', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: bookshopModels(), documents: stockedBookshop });
  });
  after(() => serving.stop());

  const list = () => serving.countCommands(() => serving.call('GET', '/api/reviews?pagination[pageSize]=1'));

  /** Lists until the total is cached, which needs the change stream to be open and up to date. */
  async function untilKept(): Promise<number> {
    for (;;) {
      const { commands, result } = await list();
      if (!commands.includes('count')) return Number(result.body.meta.pagination.total);
    }
  }

  /** Expects a total that is counted or not, at once and after the service has noticed the writes. */
  async function expectTotal(total: number, isCounted: boolean): Promise<void> {
    const { commands, result } = await list();
    expect(result.body.meta.pagination.total).to.equal(total);
    expect(commands.includes('count')).to.equal(isCounted);
    if (isCounted) return;
    await serving.settled();
    await expectTotalAgain(total);
  }

  async function expectTotalAgain(total: number): Promise<void> {
    const { commands, result } = await list();
    expect({ total: result.body.meta.pagination.total as number, commands }).to.deep.equal({ total, commands: ['find'] });
  }

  it('of a whole type are cached and adjusted, and counted again only if that is not exact', async () => {
    expect(await untilKept()).to.equal(540);
    const { body } = await serving.call('POST', '/api/reviews', { data: { rating: 5, verified: true } });
    const path = `/api/reviews/${String(body.data.id)}`;
    await expectTotal(541, false);
    await serving.call('PUT', path, { data: { rating: 4 } });
    await expectTotal(541, false);
    const { publishedAt } = body.data.attributes as { readonly publishedAt: string };
    await serving.call('PUT', path, { data: { rating: 3, publishedAt } });
    await expectTotal(541, false);
    await serving.call('PUT', path, { data: { publishedAt: null } });
    await expectTotal(540, true);
    await serving.settled();
    expect(await untilKept()).to.equal(540);
    await serving.call('PUT', path, { data: { publishedAt: null } }); // as it was
    await expectTotal(540, false);
    await serving.call('DELETE', path); // a draft
    await expectTotal(540, false);
    const { body: other } = await serving.call('POST', '/api/reviews', { data: { rating: 5, verified: true } });
    await serving.call('DELETE', `/api/reviews/${String(other.data.id)}`);
    await expectTotal(540, false);
    await serving.database.db.collection('reviews').updateOne({}, { $set: { rating: 2 } }); // by another client
    await serving.settled();
    await expectTotalAgain(540);
  });

  it('are not counted for a query whose page was not full before', async () => {
    const of = async (path: string) => [...(await serving.countCommands(() => serving.call('GET', path))).commands].sort();
    expect(await of('/api/reviews?filters[book][id]=12')).to.deep.equal(['count', 'find']);
    expect(await of('/api/reviews?filters[book][id]=12')).to.deep.equal(['find']);
    expect(await of('/api/reviews?filters[id]=12')).to.deep.equal(['find']);
    expect(await of('/api/reviews?filters[id]=12&pagination[pageSize]=1')).to.deep.equal(['count', 'find']);
  });

  it('let the last pages be read from the end', async () => {
    const pages = [1, 2, 3].map(
      (page) => `/api/reviews?sort=rating,createdAt:desc&pagination[pageSize]=200&pagination[page]=${String(page)}`,
    );
    await untilKept();
    const all = await serving.call(
      'GET',
      '/api/reviews?sort=rating,createdAt:desc&pagination[limit]=-1&pagination[withCount]=false',
    );
    const found: unknown[] = [];
    for (const path of pages) found.push(...((await serving.call('GET', path)).body.data as unknown[]));
    expect(found).to.deep.equal((all.body.data as unknown[]).slice(0, 600));
  });

  it('include the writes of other clients', async () => {
    const before = await untilKept();
    await serving.database.db.collection('reviews').updateMany({ publishedAt: null }, { $set: { publishedAt: new Date() } });
    for (let total = before; total !== 600;) total = (await list()).result.body.meta.pagination.total as number;
    expect(await untilKept()).to.equal(600);
  });

  it('always include the writes of the same client, with links and without', async () => {
    let expected = await untilKept();
    for (let round = 0; round < 15; round++) {
      const others = Array.from({ length: 4 }, list);
      const { status } = await serving.call('POST', '/api/reviews', { data: { rating: 3, verified: true, book: 1 } });
      expect(status).to.equal(200);
      expected++;
      expect((await list()).result.body.meta.pagination.total).to.equal(expected);
      await Promise.all(others);
    }
  });
});

/** Requests, and the most documents and keys that their page may look at. */
const indexed: readonly (readonly [string, { readonly documents: number; readonly keys: number }])[] = [
  ['/api/genres?sort=createdAt:desc&pagination[pageSize]=5', { documents: 5, keys: 5 }],
  ['/api/reviews?sort=createdAt:desc', { documents: 30, keys: 30 }],
  ['/api/reviews?sort=publishedAt:desc', { documents: 25, keys: 25 }],
  ['/api/reviews?sort=publishedAt:desc&pagination[page]=3', { documents: 25, keys: 75 }],
  ['/api/reviews', { documents: 30, keys: 30 }],
  ['/api/books', { documents: 30, keys: 30 }],
  ['/api/books?sort=publishedAt:desc', { documents: 25, keys: 25 }],
  ['/api/books?locale=fr', { documents: 0, keys: 1 }],
  ['/api/books?locale=all', { documents: 30, keys: 30 }],
  ['/api/books?locale=all&sort=publishedAt:desc', { documents: 25, keys: 25 }],
  ['/api/books?locale=all&sort=updatedAt:desc', { documents: 30, keys: 30 }],
  ['/api/books?sort=updatedAt:desc', { documents: 30, keys: 30 }],
  ['/api/books?filters[isbn]=1000-77', { documents: 1, keys: 1 }],
  ['/api/reviews?filters[book]=7', { documents: 3, keys: 4 }],
  // the book, its reviews, and their number
  ['/api/reviews?filters[book][isbn]=1000-7', { documents: 4, keys: 9 }],
  ['/api/publishers?filters[name]=House%203', { documents: 1, keys: 1 }],
  ['/api/readers?filters[card]=8', { documents: 1, keys: 1 }],
];

/** Lists that no index supports, with the documents that all their commands examine: each once, and those of the page again. */
const scanned: readonly (readonly [path: string, documents: number])[] = [
  ['/api/reviews?filters[rating]=3', 625],
  ['/api/reviews?filters[rating]=3&sort=rating:desc', 625],
  ['/api/reviews?filters[rating]=3&pagination[page]=5&pagination[pageSize]=10', 610],
  ['/api/publishers?filters[name][$containsi]=house', 10],
  ['/api/publishers?filters[name][$containsi]=none', 5],
];

/** Lists that no index supports and that are asked for again, with the commands and the documents that these examine. */
const known: readonly (readonly [path: string, commands: readonly string[], documents: number])[] = [
  // in the order of the ids until the page is full
  ['/api/reviews?filters[rating]=3&pagination[pageSize]=10', ['find'], 60],
  // a pass: the page is too long, no index has the order, or the page is not full
  ['/api/reviews?filters[rating]=3&pagination[pageSize]=100', ['aggregate', 'find'], 700],
  ['/api/reviews?filters[rating]=3&sort=rating:desc', ['aggregate', 'find'], 625],
  ['/api/reviews?filters[rating]=3&pagination[page]=30', ['aggregate'], 600],
  ['/api/publishers?filters[name][$containsi]=none', ['aggregate'], 5],
];

describe('documents and keys examined', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: bookshopModels(), documents: stockedBookshop });
    await serving.settled();
    await serving.call('GET', '/api/reviews');
  });
  after(() => serving.stop());

  /**
   * The commands of these names that a request sends to collections of content, without what belongs to the connection. Roles are read
   * again, at any time, after caches were dropped.
   */
  async function commandsOf(path: string, names: readonly string[]): Promise<Document[]> {
    const client = serving.server.backend?.store.database.client;
    const { commands } = await commandsDuring(client, names, () => serving.call('GET', path));
    return commands.filter((command) => !/^(up)?_/.test(String(Object.values(command)[0])));
  }

  const workOf = (command: Document = {}): Promise<ExplainedWork> => explain(serving.database.db, command);
  const documentsExamined = async (command: Document | undefined): Promise<number> => (await workOf(command)).documentsExamined;

  for (const [path, most] of indexed)
    it(`${path}: at most ${JSON.stringify(most)}`, async () => {
      const { documentsExamined: documents, keysExamined: keys } = await workOf(
        (await commandsOf(path, ['find', 'aggregate'])).at(0),
      );
      expect(documents, 'documents').to.be.at.most(most.documents);
      expect(keys, 'keys').to.be.at.most(most.keys);
    });

  for (const [path, most] of scanned)
    it(`${path}: at most ${String(most)} documents in all`, async () => {
      const commands = await commandsOf(path, ['find', 'aggregate', 'count']);
      const examined = await Promise.all(commands.map(documentsExamined));
      expect(examined.reduce((sum, documents) => sum + documents, 0)).to.be.within(1, most);
    });

  for (const [path, names, most] of known)
    it(`${path}, with a known total: at most ${String(most)} documents by ${names.join(', ')}`, async () => {
      const { body } = await serving.call('GET', path);
      const commands = await commandsOf(path, ['find', 'aggregate', 'count']);
      expect(commands.map((command) => Object.keys(command)[0])).to.deep.equal(names);
      const examined = await Promise.all(commands.map(documentsExamined));
      expect(examined.reduce((sum, documents) => sum + documents, 0)).to.be.at.most(most);
      expect((await serving.call('GET', path)).body).to.deep.equal(body);
    });

  it('a total that was found by a pass is found again after a write', async () => {
    const total = async () => Number((await serving.call('GET', '/api/reviews?filters[rating]=3')).body.meta.pagination.total);
    const before = await total();
    await serving.call('POST', '/api/reviews', { data: { rating: 3, verified: true } });
    expect(await total()).to.equal(before + 1);
  });

  for (const path of ['/api/books?locale=all', '/api/books?locale=en', '/api/reviews'])
    it(`${path} is counted by an index alone`, async () => {
      serving.server.backend?.store.changes.forget();
      const [command] = await commandsOf(path, ['count']);
      expect(await documentsExamined(command)).to.equal(0);
    });

  it('the other locales of a page are found by their groups', async () => {
    const command = (await commandsOf('/api/books?pagination[pageSize]=5', ['find'])).at(-1);
    expect(await documentsExamined(command)).to.be.at.most(5);
  });

  for (const path of ['/api/membership-cards/8?populate=reader', '/api/readers/8?populate=card', '/api/reviews/8?populate=book'])
    it(`${path}: two documents`, async () => {
      expect(await documentsExamined((await commandsOf(path, ['find', 'aggregate'])).at(-1))).to.be.within(1, 2);
    });
});
