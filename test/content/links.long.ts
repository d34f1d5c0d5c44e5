import { expect } from 'chai';
import type { Document } from 'mongodb';
import { bookshopModels } from '../support/read-project.js';
import { serveModels, type Serving } from '../support/serve.js';

/** Inputs for a list that holds 1, 2, 3 and what it holds then; seen from either side. */
const inputs: readonly (readonly [unknown, readonly number[]])[] = [
  [
    [3, 1],
    [3, 1],
  ],
  [
    [{ id: 2 }, '5'],
    [2, 5],
  ],
  [[4, 4, 4], [4]],
  [4, [4]],
  ['4', [4]],
  [{ id: 4 }, [4]],
  [[], []],
  [null, []],
  [{}, [1, 2, 3]],
  [{ set: [5, 4] }, [5, 4]],
  [{ set: [] }, []],
  [{ set: null }, [1, 2, 3]],
  [{ set: [5], connect: [4] }, [5]],
  [{ connect: [4] }, [1, 2, 3, 4]],
  [{ connect: [{ id: 5 }, 4] }, [1, 2, 3, 5, 4]],
  [{ connect: [1] }, [2, 3, 1]],
  [{ disconnect: [2] }, [1, 3]],
  [{ disconnect: 2 }, [1, 3]],
  [{ disconnect: { id: 2 } }, [1, 3]],
  [{ disconnect: [99] }, [1, 2, 3]],
  [{ connect: [2], disconnect: [2, 1] }, [3, 2]],
  [{ connect: [{ id: 4, position: { start: true } }] }, [4, 1, 2, 3]],
  [{ connect: [{ id: 4, position: { end: true } }] }, [1, 2, 3, 4]],
  [{ connect: [{ id: 4, position: { before: 2 } }] }, [1, 4, 2, 3]],
  [{ connect: [{ id: 4, position: { after: 1 } }] }, [1, 4, 2, 3]],
  [{ connect: [{ id: 3, position: { before: 1 } }] }, [3, 1, 2]],
  [{ connect: [{ id: 1, position: { after: 3 } }] }, [2, 3, 1]],
  [
    {
      connect: [
        { id: 4, position: { before: 5 } },
        { id: 5, position: { start: true } },
      ],
    },
    [4, 5, 1, 2, 3],
  ],
  [{ connect: [4, 4] }, [1, 2, 3, 4]],
  [{ connect: [{ id: 4 }, { id: 4 }, 5] }, [1, 2, 3, 4, 5]],
  [
    {
      connect: [
        { id: 4, position: { start: true, end: false } },
        { position: { end: false, start: true }, id: 4 },
      ],
    },
    [4, 1, 2, 3],
  ],
  [{ connect: null }, [1, 2, 3]],
  [{ connect: null, disconnect: [2] }, [1, 3]],
  [{ connect: [4], disconnect: null }, [1, 2, 3, 4]],
  [{ connect: [{ id: 4, position: { before: 99 } }], options: { strict: false } }, [1, 2, 3, 4]],
];

const missing = (uid: string, count = 1): string =>
  `${String(count)} relation(s) of type ${uid} associated with this entity do not exist`;

/** Refused inputs with their messages; `uid` is the type of the list. */
const refused: readonly (readonly [unknown, (uid: string) => string])[] = [
  [[99], missing],
  [{ set: [1, 99] }, missing],
  [{ connect: [99] }, missing],
  ['junk', missing],
  [[1.5], missing],
  [['x', 'y', { id: 'x' }], (uid) => missing(uid, 2)],
  [{ connect: ['x', 1.5, 2.5, 0] }, (uid) => missing(uid, 4)],
  [[null], () => 'Invalid relations'],
  [[{ foo: 1 }], () => 'Invalid relations'],
  [[[1]], () => 'Invalid relations'],
  [true, () => 'Invalid relations'],
  ...[1, '1', 'junk', { id: 1 }, {}, true].flatMap((item): [unknown, () => string][] => [
    [{ set: item }, () => 'Invalid relations'],
    [{ connect: item }, () => 'Invalid relations'],
  ]),
  [
    { connect: [{ id: 4, position: { before: 5 } }] },
    () =>
      'There was a problem connecting relation with id 4 at position {"before":5}. The relation with id 5 needs to be connected first.',
  ],
  [
    {
      connect: [
        { id: 4, position: { before: 5 } },
        { id: 5, position: { before: 4 } },
      ],
    },
    () =>
      'A circular reference was found in the connect array. One relation is trying to connect before/after another one that is trying to connect before/after it',
  ],
  [
    {
      connect: [
        { id: 4, position: { start: true } },
        { id: 4, position: { end: true } },
      ],
    },
    () => 'The relation with id 4 is already connected. You cannot connect the same relation twice.',
  ],
  [{ connect: [{ id: 4 }, 4] }, () => 'The relation with id 4 is already connected. You cannot connect the same relation twice.'],
];

/** Inputs for a relation to one that leads to 1, and where it leads then, on an update and on a create. */
const inputsOfOne: readonly (readonly [unknown, updated: readonly number[], created: readonly number[]])[] = [
  [2, [2], [2]],
  [{ id: 2 }, [2], [2]],
  [null, [], []],
  [[], [], []],
  [{}, [1], []],
  [[2, 3], [3], [2]],
  [{ set: [2, 3] }, [3], [2]],
  [{ set: null }, [1], []],
  [{ connect: [2] }, [2], [2]],
  [{ connect: [2, 3] }, [3], [2]],
  [{ connect: [1] }, [1], [1]],
  [{ connect: [] }, [1], []],
  [{ connect: null }, [1], []],
  [{ connect: null, disconnect: [1] }, [], []],
  [{ disconnect: [1] }, [], []],
  [{ disconnect: [2] }, [1], []],
  [{ connect: [2], disconnect: [1] }, [2], [2]],
  [{ connect: [1], disconnect: [1] }, [1], [1]],
  // a list of one has no positions
  [{ connect: [{ id: 2, position: { start: true } }] }, [2], [2]],
  [{ connect: [{ id: 2, position: { end: true } }] }, [2], [2]],
  [{ connect: [{ id: 2, position: { before: 1 } }] }, [2], [2]],
  [{ connect: [{ id: 2, position: { after: 1 } }] }, [2], [2]],
  [{ connect: [{ id: 2, position: { before: 3 } }] }, [2], [2]],
  [{ connect: [{ id: 1, position: { after: 3 } }] }, [1], [1]],
  [{ connect: [{ id: 2, position: { before: 2 } }] }, [2], [2]],
  [{ connect: [2, { id: 3, position: { start: true } }] }, [3], [2]],
  [{ connect: [{ id: 3, position: { start: true } }, 2] }, [2], [3]],
  [{ connect: [2, 2] }, [2], [2]],
];

const refusedOfOne: readonly (readonly [unknown, string])[] = [
  [{ connect: [{ id: 2 }, 2] }, 'The relation with id 2 is already connected. You cannot connect the same relation twice.'],
];

interface SideOfOne {
  readonly path: string;
  readonly name: string;
  /** Further required values of a create. */
  readonly base?: object;
  /** The values to write around the input; `stored` are the attributes as they were read. */
  readonly write: (input: unknown, stored: Document) => object;
  readonly read: (attributes: Document) => { readonly data: { readonly id: number } | null };
}

const direct = (path: string, name: string, base: object): SideOfOne => ({
  path,
  name,
  base,
  write: (input) => ({ [name]: input }),
  read: (attributes) => attributes[name],
});

/** Relations to one: stored here, stored with the other side, and inside a component. */
const sidesOfOne: readonly SideOfOne[] = [
  direct('/api/books', 'publisher', { title: 'T' }),
  direct('/api/books', 'prequel', { title: 'T' }),
  {
    path: '/api/events',
    name: 'links',
    base: { name: 'E' },
    write: (input, { links }) => ({ links: [{ ...(links !== undefined && { id: links[0].id }), label: 'L', book: input }] }),
    read: ({ links }) => links[0].book,
  },
];

interface Side {
  readonly path: string;
  readonly name: string;
  /** uid of the related type */
  readonly target: string;
}

/** Lists stored here, stored with the other side, and with the other side as one id. */
const sides: readonly Side[] = [
  { path: '/api/books/1', name: 'authors', target: 'api::author.author' },
  { path: '/api/books/1', name: 'similar', target: 'api::book.book' },
  { path: '/api/authors/1', name: 'books', target: 'api::book.book' },
  { path: '/api/publishers/1', name: 'books', target: 'api::book.book' },
];

describe('relations', () => {
  let serving: Serving;
  before(async () => {
    const files = [1, 2, 3].map((id) => ({ _id: id, name: `${String(id)}.png`, mime: 'image/png', hash: String(id), url: '/' }));
    serving = await serveModels({ models: bookshopModels(), documents: { files } });
    for (let id = 1; id <= 5; id++) {
      await expectOk('POST', '/api/books', { data: { title: `Book ${String(id)}` } });
      await expectOk('POST', '/api/authors', { data: { name: `Author ${String(id)}` } });
      await expectOk('POST', '/api/publishers', { data: { name: `House ${String(id)}`, address: { city: 'Wien' } } });
    }
  });
  after(() => serving.stop());

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  async function expectOk(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await serving.call(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  }

  async function linked(path: string, name: string): Promise<number[]> {
    const { data } = (await expectOk('GET', `${path}?populate[${name}][fields]=id`)).data.attributes[name];
    return data === null ? [] : [data].flat().map(({ id }: { id: number }) => id);
  }

  for (const { path, name, target } of sides)
    describe(`${path} ${name}`, () => {
      const linkAll = () => expectOk('PUT', path, { data: { [name]: [1, 2, 3] } });

      for (const [input, expected] of inputs)
        it(`${JSON.stringify(input)} leaves ${JSON.stringify(expected)}`, async () => {
          await linkAll();
          await expectOk('PUT', path, { data: { [name]: input } });
          expect(await linked(path, name)).to.deep.equal(expected);
          const listed = await expectOk('GET', `${path.replace(/\/1$/, '')}?filters[id]=1&populate[${name}][fields]=id`);
          expect(listed.data[0].attributes[name].data.map(({ id }: { id: number }) => id)).to.deep.equal(expected);
        });

      it('the related type may be named', async () => {
        await expectOk('PUT', path, { data: { [name]: [{ id: 2, type: target }] } });
        expect(await linked(path, name)).to.deep.equal([2]);
      });

      describe('refused', () => {
        before(linkAll);

        for (const [input, message] of refused)
          it(`${JSON.stringify(input)} changes nothing`, async () => {
            const { status, body } = await serving.call('PUT', path, { data: { [name]: input } });
            expect([status, body.error.message]).to.deep.equal([400, message(target)]);
            expect(body.error.details.errors).to.deep.equal([
              { path: [name], message: message(target), name: 'ValidationError' },
            ]);
            expect(await linked(path, name)).to.deep.equal([1, 2, 3]);
          });
      });
    });

  for (const { path, name, base, write, read } of sidesOfOne)
    describe(`${path} ${name}`, () => {
      const populate = `populate[${name}][populate]=*`;
      const linkedTo = ({ attributes }: Document): number[] => [read(attributes).data?.id ?? []].flat();

      for (const [input, updated, created] of inputsOfOne)
        it(`${JSON.stringify(input)} leaves ${JSON.stringify(updated)}, and ${JSON.stringify(created)} on a create`, async () => {
          const made = (await expectOk('POST', `${path}?${populate}`, { data: { ...base, ...write(input, {}) } })).data;
          expect(linkedTo(made), 'create').to.deep.equal(created);
          const one = `${path}/${String(made.id)}?${populate}`;
          const { attributes } = (await expectOk('PUT', one, { data: write(1, made.attributes) })).data;
          expect(linkedTo((await expectOk('PUT', one, { data: write(input, attributes) })).data), 'update').to.deep.equal(
            updated,
          );
          expect(linkedTo((await expectOk('GET', one)).data), 'read').to.deep.equal(updated);
        });

      for (const [input, message] of refusedOfOne)
        it(`${JSON.stringify(input)} is refused`, async () => {
          const { status, body } = await serving.call('POST', path, { data: { ...base, ...write(input, {}) } });
          expect([status, body.error.message]).to.deep.equal([400, message]);
          expect(body.error.details.errors[0].path).to.include(name);
        });
    });

  it('each side keeps an order of its own', async () => {
    await expectOk('PUT', '/api/books/1', { data: { authors: [3, 1, 2] } });
    await expectOk('PUT', '/api/books/2', { data: { authors: [2, 3] } });
    await expectOk('PUT', '/api/authors/3', { data: { books: [2, 1] } });
    expect(await linked('/api/authors/3', 'books')).to.deep.equal([2, 1]);
    await expectOk('PUT', '/api/books/1', { data: { authors: { connect: [{ id: 3, position: { end: true } }] } } });
    expect(await linked('/api/books/1', 'authors')).to.deep.equal([1, 2, 3]);
    expect(await linked('/api/authors/3', 'books')).to.deep.equal([2, 1]);
    await expectOk('PUT', '/api/books/4', { data: { authors: [3] } });
    expect(await linked('/api/authors/3', 'books')).to.deep.equal([2, 1, 4]);
    expect(await linked('/api/books/2', 'authors')).to.deep.equal([2, 3]);
  });

  it('a child moves to its new parent, from either side', async () => {
    await expectOk('PUT', '/api/publishers/1', { data: { books: [1, 2] } });
    await expectOk('PUT', '/api/publishers/2', { data: { books: [2, 3] } });
    expect(await linked('/api/publishers/1', 'books')).to.deep.equal([1]);
    await expectOk('PUT', '/api/books/3', { data: { publisher: 1 } });
    expect([await linked('/api/publishers/1', 'books'), await linked('/api/publishers/2', 'books')]).to.deep.equal([[1, 3], [2]]);
  });

  it('a oneToOne link replaces the former link of its partner, from either side', async () => {
    for (let id = 1; id <= 3; id++) {
      await expectOk('POST', '/api/membership-cards', { data: { number: id } });
      await expectOk('POST', '/api/readers', { data: { nickname: `r${String(id)}`, card: id } });
    }
    await expectOk('PUT', '/api/readers/1', { data: { card: 2 } });
    expect(await Promise.all([1, 2, 3].map((id) => linked(`/api/readers/${String(id)}`, 'card')))).to.deep.equal([[2], [], [3]]);
    await expectOk('PUT', '/api/membership-cards/3', { data: { reader: 1 } });
    expect(await Promise.all([1, 2, 3].map((id) => linked(`/api/readers/${String(id)}`, 'card')))).to.deep.equal([[3], [], []]);
    expect(await Promise.all([1, 2, 3].map((id) => linked(`/api/membership-cards/${String(id)}`, 'reader')))).to.deep.equal([
      [],
      [],
      [1],
    ]);
    await expectOk('POST', '/api/readers', { data: { nickname: 'new', card: 3 } });
    expect(await linked('/api/readers/1', 'card')).to.deep.equal([]);
    await expectOk('PUT', '/api/books/1', { data: { sequel: 2 } });
    await expectOk('PUT', '/api/books/3', { data: { prequel: 1 } });
    expect([await linked('/api/books/1', 'sequel'), await linked('/api/books/2', 'prequel')]).to.deep.equal([[3], []]);
  });

  it('a relation to one takes the last entry on update, the first on create', async () => {
    await expectOk('PUT', '/api/books/5', { data: { publisher: [1, 2] } });
    expect(await linked('/api/books/5', 'publisher')).to.deep.equal([2]);
    await expectOk('PUT', '/api/books/5', { data: { publisher: { disconnect: [1] } } });
    expect(await linked('/api/books/5', 'publisher')).to.deep.equal([2]);
    await expectOk('PUT', '/api/books/5', { data: { publisher: { disconnect: [2] } } });
    expect(await linked('/api/books/5', 'publisher')).to.deep.equal([]);
  });

  /** What is written to an entry, and what its own answer shows of it then. */
  const toItself: readonly (readonly [string, data: (id: number) => object, name: string])[] = [
    ['/api/genres', (id) => ({ parent: id }), 'parent'],
    ['/api/genres', (id) => ({ children: [id] }), 'parent'],
    ['/api/genres', (id) => ({ children: { connect: [{ id, position: { start: true } }] } }), 'parent'],
    ['/api/publishers', (id) => ({ imprints: [1, id] }), 'parent'],
    ['/api/books', (id) => ({ sequel: id }), 'prequel'],
    ['/api/books', (id) => ({ prequel: id }), 'sequel'],
  ];
  for (const [path, data, name] of toItself)
    it(`the answer shows an entry that is linked to itself: ${path} ${JSON.stringify(data(0))}`, async () => {
      const body = { data: { name: 'Self', title: 'Self', address: { city: 'Wien' } } };
      const { id } = (await expectOk('POST', path, body)).data;
      const answer = await expectOk('PUT', `${path}/${String(id)}?populate[${name}][fields]=id`, { data: data(id) });
      expect(answer.data.attributes[name].data?.id).to.equal(id);
    });

  it('the answer shows an entry that is linked to itself, over GraphQL', async () => {
    const { id } = (await expectOk('POST', '/api/genres', { data: { name: 'Self' } })).data;
    const shown = '{ data { id attributes { parent { data { id } } children { data { id } } } } }';
    for (const data of [`{ parent: ${String(id)} }`, '{ parent: null }', `{ children: [${String(id)}] }`]) {
      const query = `mutation { updateGenre(id: ${String(id)}, data: ${data}) ${shown} }`;
      const { attributes } = (await expectOk('POST', '/graphql', { query })).data.updateGenre.data;
      const itself = data.includes('null') ? null : { id: String(id) };
      expect(attributes, data).to.deep.equal({
        parent: { data: itself },
        children: { data: itself === null ? [] : [itself] },
      });
    }
  });

  it('an attribute of one file takes the first of a list', async () => {
    const body = { data: { title: 'Covered', cover: [3, 1], seo: { title: 'S', image: [2, 3] } } };
    const path = `/api/books/${String((await expectOk('POST', '/api/books', body)).data.id)}`;
    expect(await linked(path, 'cover')).to.deep.equal([3]);
    for (const [input, expected] of [
      [[1, 2], [1]],
      [{ set: [2, 1] }, [2]],
      [[{ id: 3 }, 1], [3]],
      [[], []],
    ]) {
      const seo = { title: 'S', image: input };
      const { attributes } = (await expectOk('PUT', `${path}?populate=seo.image`, { data: { cover: input, seo } })).data;
      expect(await linked(path, 'cover'), JSON.stringify(input)).to.deep.equal(expected);
      expect([attributes.seo.image.data?.id ?? []].flat(), JSON.stringify(input)).to.deep.equal(expected);
    }
  });

  it('a oneToOne without an inverse side leaves the links of others', async () => {
    await expectOk('PUT', '/api/readers/1', { data: { wishlist: [1, 2] } });
    await expectOk('PUT', '/api/readers/2', { data: { wishlist: [2] } });
    expect([await linked('/api/readers/1', 'wishlist'), await linked('/api/readers/2', 'wishlist')]).to.deep.equal([[1, 2], [2]]);
  });

  it('linking leaves updatedAt of the target alone', async () => {
    const before = (await expectOk('GET', '/api/authors/4')).data.attributes.updatedAt as string;
    await expectOk('PUT', '/api/books/4', { data: { authors: [4] } });
    await expectOk('PUT', '/api/books/5', { data: { authors: { connect: [4] } } });
    expect((await expectOk('GET', '/api/authors/4')).data.attributes.updatedAt).to.equal(before);
  });

  it('polymorphic links: morphToMany with its inverse, morphToOne, and links without a type', async () => {
    const subjects = [
      { __type: 'api::book.book', id: 1 },
      { type: 'api::author.author', id: 2 },
    ];
    await expectOk('POST', '/api/events', {
      data: { name: 'Fair', subjects, host: { __type: 'api::publisher.publisher', id: 1 } },
    });
    const { attributes } = (await expectOk('GET', '/api/events/1?populate=subjects,host')).data;
    expect(attributes.subjects.map(({ __type, id }: Document) => [__type, id] as unknown)).to.deep.equal([
      ['api::book.book', 1],
      ['api::author.author', 2],
    ]);
    expect(attributes.host).to.include({ __type: 'api::publisher.publisher', id: 1, name: 'House 1' });
    expect(await linked('/api/books/1', 'events')).to.deep.equal([1]);
    const { status, body } = await serving.call('PUT', '/api/events/1', { data: { subjects: [{ id: 1 }] } });
    expect([status, body.error.message]).to.deep.equal([400, 'Invalid relations']);
  });
});

describe('deletes', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: bookshopModels() });
  });
  after(() => serving.stop());

  const create = async (path: string, data: object): Promise<number> => {
    const { status, body } = await serving.call('POST', path, { data });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data.id as number;
  };

  it('remove the id from all documents, including components and zones', async () => {
    const [gone, kept] = [await create('/api/books', { title: 'Gone' }), await create('/api/books', { title: 'Kept' })];
    const link = { label: 'L', book: gone };
    const holder = await create('/api/books', {
      title: 'Holder',
      similar: [kept, gone],
      sequel: gone,
      editions: [
        { number: 1, links: [link, { label: 'M', book: kept }] },
        { number: 2, links: [link] },
      ],
      content: [
        { __component: 'blocks.book-list', title: 'T', books: [gone, kept], more: link },
        { __component: 'blocks.quote', text: 'Q' },
        { __component: 'blocks.book-list', books: [kept, gone] },
      ],
    });
    await create('/api/authors', { name: 'Author', books: [gone, kept] });
    await create('/api/readers', { nickname: 'Reader', wishlist: [gone, kept] });
    await create('/api/events', {
      name: 'Fair',
      subjects: [
        { __type: 'api::book.book', id: gone },
        { __type: 'api::book.book', id: kept },
      ],
      host: { __type: 'api::book.book', id: gone },
      links: [link],
    });
    await create('/api/reviews', { rating: 5, verified: true, book: gone });
    expect(
      (await serving.call('PUT', '/api/storefront', { data: { headline: 'H', hero: link, featured: [gone, kept] } })).status,
    ).to.equal(200);

    expect((await serving.call('DELETE', `/api/books/${String(gone)}`)).status).to.equal(200);
    const { db } = serving.database;
    const book = await db.collection('books').findOne({ title: 'Holder' });
    expect(book?.['similar']).to.deep.equal([kept]);
    expect(book?.['sequel']).to.equal(null);
    expect(
      book?.['editions'].map(({ links }: Document) => links.map(({ book: id }: Document) => id as unknown) as unknown),
    ).to.deep.equal([[null, kept], [null]]);
    expect(book?.['content'].map(({ books, more }: Document) => [books, more?.book] as unknown)).to.deep.equal([
      [[kept], null],
      [undefined, undefined],
      [[kept], undefined],
    ]);
    expect((await db.collection('books').findOne({ title: 'Kept' }))?.['authors']).to.deep.equal([1]);
    expect((await db.collection('readers').findOne())?.['wishlist']).to.deep.equal([kept]);
    const event = await db.collection('events').findOne();
    const subjects = (event?.['subjects'] as Document[]).map(({ __type, id }) => ({ __type, id }) as unknown);
    expect([subjects, event?.['host'], event?.['links'][0].book]).to.deep.equal([
      [{ __type: 'api::book.book', id: kept }],
      null,
      null,
    ]);
    expect((await db.collection('reviews').findOne())?.['book']).to.equal(null);
    const storefront = await db.collection('storefronts').findOne();
    expect([storefront?.['hero'].book, storefront?.['featured']]).to.deep.equal([null, [kept]]);
    expect(
      (await serving.call('GET', `/api/books/${String(holder)}?populate=sequel,similar`)).body.data.attributes.sequel,
    ).to.deep.equal({ data: null });
  });

  it('of missing entries are answered by 404 and change nothing', async () => {
    const before = await serving.database.db.collection('books').find().toArray();
    expect((await serving.call('DELETE', '/api/books/999')).status).to.equal(404);
    expect(await serving.database.db.collection('books').find().toArray()).to.deep.equal(before);
  });
});

describe('unique values', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: bookshopModels() });
  });
  after(() => serving.stop());

  it('50 concurrent creates with one value: one succeeds, 49 are refused', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        serving.call('POST', '/api/genres', { data: { name: `G${String(index)}`, code: 'SAME' } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1);
    const error = {
      status: 400,
      name: 'ValidationError',
      message: 'This attribute must be unique',
      details: { errors: [{ path: ['code'], message: 'This attribute must be unique', name: 'ValidationError' }] },
    };
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect(status).to.equal(400);
      expect(body).to.deep.equal({ data: null, error });
    }
    expect(await serving.database.db.collection('genres').countDocuments()).to.equal(1);
  });

  it('concurrent creates with relations, in transactions: nothing of the refused ones is stored', async () => {
    await serving.call('POST', '/api/books', { data: { title: 'Book' } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        serving.call('POST', '/api/authors', { data: { name: 'Twin', email: 'one@example.com', books: [1] } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(19).fill(400)]);
    expect(await serving.database.db.collection('authors').countDocuments()).to.equal(1);
    const [author] = await serving.database.db.collection('authors').find().toArray();
    expect((await serving.database.db.collection('books').findOne())?.['authors']).to.deep.equal([author?._id]);
  });

  const components = (codes: readonly (string | undefined)[]): object[] =>
    codes.map((code) => ({ number: 1, ...(code && { code }) }));
  const inComponents: readonly (readonly [string, readonly (string | undefined)[], number])[] = [
    ['a value', ['x1', 'x2'], 200],
    ['another value, and a component without one', ['y1', undefined], 200],
    ['none at all', [undefined], 200],
    ['a value that another entry has', ['w1', 'x2'], 400],
    ['a value twice', ['v1', 'v1'], 400],
  ];
  for (const [what, codes, expected] of inComponents)
    it(`inside components: ${what}`, async () => {
      const { status, body } = await serving.call('POST', '/api/books', { data: { title: what, editions: components(codes) } });
      expect(status, JSON.stringify(body)).to.equal(expected);
      if (expected === 400)
        expect(body.error.details.errors[0]).to.deep.include({
          path: ['editions', '1', 'code'],
          message: 'This attribute must be unique',
        });
    });

  it('null is never a duplicate, and an entry keeps its own value', async () => {
    for (const data of [{ name: 'A', code: null }, { name: 'B', code: null }, { name: 'C' }])
      expect((await serving.call('POST', '/api/genres', { data })).status).to.equal(200);
    const { body } = await serving.call('POST', '/api/genres', { data: { name: 'D', code: 'DD' } });
    expect(
      (await serving.call('PUT', `/api/genres/${String(body.data.id)}`, { data: { name: 'E', code: 'DD' } })).status,
    ).to.equal(200);
    expect(
      (await serving.call('PUT', `/api/genres/${String(body.data.id - 1)}`, { data: { code: 'DD' } })).body.error.message,
    ).to.equal('This attribute must be unique');
  });
});
