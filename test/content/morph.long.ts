import { expect } from 'chai';
import type { Document } from 'mongodb';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const model = (name: string, attributes: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
});

const morph = (relation: string, morphBy?: string) =>
  morphBy === undefined ? { type: 'relation', relation } : { type: 'relation', relation, target: 'api::note.note', morphBy };

const models = [
  model('note', { text: { type: 'string' }, about: morph('morphToMany'), main: morph('morphToOne') }),
  model('book', { title: { type: 'string' }, notes: morph('morphMany', 'about'), head: morph('morphOne', 'main') }),
  model('film', { title: { type: 'string' }, notes: morph('morphMany', 'about') }),
  { uid: 'note.mark', info: { displayName: 'Mark' }, attributes: { text: { type: 'string' } } },
  model('pin', { on: { ...morph('morphToMany'), target: ['api::book.book', 'api::note.note'] } }),
];

const book = (id: number) => ({ __type: 'api::book.book', id });
const film = (id: number) => ({ __type: 'api::film.film', id });

interface Link {
  readonly __type: string;
  readonly id: number;
}

describe('polymorphic relations', () => {
  let serving: Serving;

  before(async () => {
    serving = await serveModels({ models });
  });
  after(() => serving.stop());

  beforeEach(async () => {
    const { db } = serving.database;
    await Promise.all(['note', 'book', 'film'].map((name) => db.collection(name).deleteMany({})));
    await db
      .collection<{ _id: number; title: string }>('book')
      .insertMany([1, 2, 3].map((_id) => ({ _id, title: `B${String(_id)}` })));
    await db.collection<{ _id: number; title: string }>('film').insertOne({ _id: 1, title: 'F1' });
    for (const [_id, about] of [
      [1, [book(1), film(1)]],
      [2, [book(1)]],
      [3, []],
    ] as const)
      await db
        .collection<{ _id: number; text: string; about: unknown; main: null }>('note')
        .insertOne({ _id, text: `n${String(_id)}`, about, main: null });
  });

  const idsOf = (value: unknown): unknown => (Array.isArray(value) ? value.map((entry: { id: number }) => entry.id) : value);

  /** REST answers null for an empty list, as in Strapi v4. */
  const orNull = (ids: readonly number[]): readonly number[] | null => (ids.length === 0 ? null : ids);

  async function noteIds(path: string): Promise<unknown> {
    const { body } = await serving.call('GET', `${path}?populate=notes`);
    return idsOf(body.data.attributes.notes.data);
  }

  it('shows each type its own links, though ids are the same', async () => {
    expect(await noteIds('/api/books/1')).to.deep.equal([1, 2]);
    expect(await noteIds('/api/films/1')).to.deep.equal([1]);
    expect(await noteIds('/api/books/2')).to.equal(null);
  });

  /** What film 1 is sent, and its notes then; book 1 keeps 1 and 2 throughout. */
  const inputs: readonly (readonly [unknown, readonly number[]])[] = [
    [
      [3, 1],
      [3, 1],
    ],
    [{ connect: [2] }, [1, 2]],
    [{ connect: [{ id: 2, position: { start: true } }] }, [2, 1]],
    [{ disconnect: [1] }, []],
    [null, []],
    [{}, [1]],
  ];
  for (const [notes, expected] of inputs) {
    it(`morphMany ${JSON.stringify(notes)}`, async () => {
      const answer = await serving.call('PUT', '/api/films/1?populate=notes', { data: { notes } });
      expect(answer.status).to.equal(200);
      expect(idsOf(answer.body.data.attributes.notes.data)).to.deep.equal(orNull(expected));
      expect(await noteIds('/api/films/1')).to.deep.equal(orNull(expected));
      expect(await noteIds('/api/books/1')).to.deep.equal([1, 2]);
    });
  }

  describe('cut for each entry', () => {
    /** Note 4 is about book 2 and film 1, so neither about book 1 nor about film 2. */
    beforeEach(async () => {
      const { db } = serving.database;
      await db.collection<{ _id: number }>('film').insertOne({ _id: 2 });
      await db.collection<{ _id: number; about: unknown }>('note').insertOne({ _id: 4, about: [book(2), film(1)] });
      expect((await serving.call('PUT', '/api/films/1', { data: { notes: [3, 4, 1] } })).status).to.equal(200);
      expect((await serving.call('PUT', '/api/books/1', { data: { notes: [2, 1] } })).status).to.equal(200);
    });

    /** Arguments below `populate[notes]` and in GraphQL, and the notes of book 1, book 2, film 1 and film 2. */
    const cuts: readonly (readonly [string, string, readonly (readonly number[])[]])[] = [
      ['[limit]=9', '', [[2, 1], [4], [3, 4, 1], []]],
      ['[limit]=1', '(pagination: { limit: 1 })', [[2], [4], [3], []]],
      ['[start]=1', '(pagination: { start: 1 })', [[1], [], [4, 1], []]],
      ['[limit]=2&populate[notes][ordering]=desc', '', [[1, 2], [4], [1, 4], []]],
      ['[sort]=id:desc&populate[notes][limit]=2', '(sort: "id:desc", pagination: { limit: 2 })', [[2, 1], [4], [4, 3], []]],
      [
        '[filters][id][$gt]=1&populate[notes][limit]=2',
        '(filters: { id: { gt: 1 } }, pagination: { limit: 2 })',
        [[2], [4], [3, 4], []],
      ],
    ];
    for (const [rest, args, expected] of cuts)
      it(`${rest} ${args}`, async () => {
        const asked = ['books', 'films'].map((path) =>
          serving.call('GET', `/api/${path}?populate[notes]${rest}&sort=id&filters[id][$lt]=3`),
        );
        const lists = (await Promise.all(asked)).flatMap(
          ({ body }) => body.data as { attributes: { notes: { data: unknown } } }[],
        );
        expect(
          lists.map(({ attributes }) => idsOf(attributes.notes.data)),
          'REST',
        ).to.deep.equal(expected.map(orNull));
        if (rest.includes('ordering')) return;
        const fields = `data { attributes { notes${args} { data { id } } } }`;
        const list = (name: string) => `${name}(sort: "id", filters: { id: { lt: 3 } }) { ${fields} }`;
        const { body } = await serving.call('POST', '/graphql', { query: `{ ${list('books')} ${list('films')} }` });
        const rows = [...body.data.books.data, ...body.data.films.data] as {
          attributes: { notes: { data: { id: string }[] } };
        }[];
        expect(
          rows.map(({ attributes }) => attributes.notes.data.map(({ id }) => Number(id))),
          'GraphQL',
        ).to.deep.equal(expected);
      });

    it('counts the links of each', async () => {
      const { body } = await serving.call('GET', '/api/films?populate[notes][count]=true&sort=id');
      expect(body.data.map(({ attributes }: any) => attributes.notes.data.attributes.count as unknown)).to.deep.equal([3, 0]); // eslint-disable-line @typescript-eslint/no-explicit-any
    });
  });

  it('links a morphOne target only to the entry that was written last', async () => {
    await serving.call('PUT', '/api/books/2', { data: { head: 1 } });
    await serving.call('PUT', '/api/books/3', { data: { head: 1 } });
    const { body } = await serving.call('GET', '/api/books?populate=head&sort=id');
    expect(body.data.map((entry: any) => entry.attributes.head.data?.id ?? null)).to.deep.equal([null, null, 1]); // eslint-disable-line @typescript-eslint/no-explicit-any
  });

  it('reads and writes links with `__type` or `type`, in order', async () => {
    const about = [{ type: 'api::film.film', id: 1 }, book(3)];
    const { body } = await serving.call('POST', '/api/notes?populate=about', { data: { text: 'new', about } });
    expect(body.data.attributes.about.map(({ __type, id }: { __type: string; id: number }) => [__type, id])).to.deep.equal([
      ['api::film.film', 1],
      ['api::book.book', 3],
    ]);
  });

  const [b1, b2, b3, f1] = [book(1), book(2), book(3), film(1)];
  const named = (links: unknown): unknown =>
    Array.isArray(links) ? links.map(named) : links && `${(links as Link).__type.slice(-4)} ${String((links as Link).id)}`;

  /** What `about` of note 1, which has book 1 and film 1, is sent, and its links then; a text is the error. */
  const changes: readonly (readonly [input: unknown, expected: readonly object[] | string])[] = [
    [{ connect: [b2] }, [b1, f1, b2]],
    [{ connect: [{ type: 'api::book.book', id: '2' }] }, [b1, f1, b2]],
    [{ connect: [b2], disconnect: [b1] }, [f1, b2]],
    [{ disconnect: [b1] }, [f1]],
    [{ disconnect: b1 }, [f1]],
    [{ disconnect: [{ type: 'api::film.film', id: 1 }] }, [b1]],
    [{ disconnect: [b3, { __type: 'api::gone.gone', id: 1 }] }, [b1, f1]],
    [{ disconnect: [b1], connect: [b1] }, [f1, b1]],
    [{ connect: [b2, b2] }, [b1, f1, b2]],
    [{ connect: [b1] }, [f1, b1]],
    [{ connect: [{ ...b2, position: { start: true } }] }, [b2, b1, f1]],
    [{ connect: [{ ...b2, position: { end: true } }] }, [b1, f1, b2]],
    [{ connect: [{ ...b2, position: { before: f1 } }] }, [b1, b2, f1]],
    [{ connect: [{ ...b2, position: { before: { type: 'api::film.film', id: 1 } } }] }, [b1, b2, f1]],
    [{ connect: [{ ...b2, position: { after: b1 } }] }, [b1, b2, f1]],
    [{ connect: [{ ...b2, position: { after: 1 } }] }, [b1, b2, f1]],
    [{ connect: [{ ...b2, position: { before: { id: 1 } } }] }, [b2, b1, f1]],
    [{ connect: [{ ...f1, position: { before: b1 } }] }, [f1, b1]],
    [
      {
        connect: [
          { ...b3, position: { before: b2 } },
          { ...b2, position: { start: true } },
        ],
      },
      [b3, b2, b1, f1],
    ],
    [{ connect: [{ ...b2, position: { before: b3 } }], options: { strict: false } }, [b1, f1, b2]],
    [{ set: [b3, f1] }, [b3, f1]],
    [{ set: [b3, b3] }, [b3]],
    [{ set: [] }, []],
    [{ set: null }, [b1, f1]],
    [{}, [b1, f1]],
    [
      [b2, b2, f1],
      [b2, f1],
    ],
    [b2, [b2]],
    [null, []],
    [
      { connect: [{ ...b2, position: { before: b3 } }] },
      'There was a problem connecting relation with id 2 at position {"before":3}. The relation with id 3 needs to be connected first.',
    ],
    [
      { connect: [{ ...f1, position: { after: 2 } }] },
      'There was a problem connecting relation with id 1 at position {"after":2}. The relation with id 2 needs to be connected first.',
    ],
    [
      {
        connect: [
          { ...b2, position: { before: b3 } },
          { ...b3, position: { before: b2 } },
        ],
      },
      'A circular reference was found in the connect array. One relation is trying to connect before/after another one that is trying to connect before/after it',
    ],
    [
      { connect: [b2, { ...b2, position: { start: true } }] },
      'The relation with id 2 is already connected. You cannot connect the same relation twice.',
    ],
    [{ connect: [book(99)] }, '1 relation(s) of type api::book.book associated with this entity do not exist'],
    [{ set: [b1, film(99)] }, '1 relation(s) of type api::film.film associated with this entity do not exist'],
    [{ connect: b2 }, 'Invalid relations'],
    [{ connect: [2] }, 'Invalid relations'],
    [{ connect: [{ id: 2 }] }, 'Invalid relations'],
    [{ connect: [{ __type: 'api::nope.nope', id: 2 }] }, 'Invalid relations'],
    [{ connect: [{ __type: 'note.mark', id: 2 }] }, 'Invalid relations'],
    [{ connect: [{ ...b2, position: 'start' }] }, 'Invalid relations'],
    [{ disconnect: [{ id: 1 }] }, 'Invalid relations'],
    [{ set: b2 }, 'Invalid relations'],
    [{ __type: 'api::book.book' }, 'Invalid relations'],
  ];
  for (const [about, expected] of changes)
    it(`morphToMany ${JSON.stringify(about)}`, async () => {
      const { status, body } = await serving.call('PUT', '/api/notes/1?populate=about', { data: { about } });
      if (typeof expected === 'string')
        expect([status, body.error.message, body.error.details.errors[0].path]).to.deep.equal([400, expected, ['about']]);
      else expect([status, named(body.data.attributes.about ?? [])]).to.deep.equal([200, named(expected)]);
      const { body: read } = await serving.call('GET', '/api/notes/1?populate=about');
      expect(named(read.data.attributes.about ?? [])).to.deep.equal(named(typeof expected === 'string' ? [b1, f1] : expected));
    });

  /** What `main` of a note that has book 1 there is sent, and its link then; and the link of a new note. */
  const single: readonly (readonly [input: unknown, updated: object | null, created: object | null])[] = [
    [{ connect: [f1] }, f1, f1],
    [{ connect: [b2, f1] }, f1, b2],
    [{ disconnect: [b1] }, null, null],
    [{ disconnect: [f1] }, b1, null],
    [{ disconnect: [b1], connect: [b2] }, b2, b2],
    [{ connect: [{ ...b2, position: { start: true } }] }, b2, b2],
    [{ set: [f1] }, f1, f1],
    [{ set: [] }, null, null],
    [{ set: null }, b1, null],
    [{}, b1, null],
    [f1, f1, f1],
    [[f1], f1, f1],
    [null, null, null],
  ];
  for (const [main, updated, created] of single)
    it(`morphToOne ${JSON.stringify(main)}`, async () => {
      expect((await serving.call('PUT', '/api/notes/3', { data: { main: b1 } })).status).to.equal(200);
      for (const [method, path, expected] of [
        ['PUT', '/api/notes/3', updated],
        ['POST', '/api/notes', created],
      ] as const) {
        const { status, body } = await serving.call(method, `${path}?populate=main`, { data: { main } });
        expect([status, named(body.data?.attributes.main ?? null)], method).to.deep.equal([200, named(expected)]);
      }
    });

  it('morphToMany of a new entry connects in positions', async () => {
    const about = { connect: [b1, { ...f1, position: { before: b1 } }, { ...b2, position: { start: true } }] };
    const { body } = await serving.call('POST', '/api/notes?populate=about', { data: { about } });
    expect(named(body.data.attributes.about)).to.deep.equal(named([b2, f1, b1]));
  });

  it('keeps every link of concurrent writes', async () => {
    await serving.call('PUT', '/api/notes/3', { data: { about: [b1] } });
    const sent = [
      { connect: [b2] },
      { connect: [b3] },
      { connect: [{ ...f1, position: { start: true } }] },
      { disconnect: [b1] },
    ];
    const answers = await Promise.all(sent.map((about) => serving.call('PUT', '/api/notes/3', { data: { about } })));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const { body } = await serving.call('GET', '/api/notes/3?populate=about');
    expect(named(body.data.attributes.about)).to.have.members(named([f1, b2, b3]) as string[]);
  });

  it('shows null for a dangling link, and populates the relations of a target', async () => {
    const { body } = await serving.call('GET', '/api/notes/2?populate[main]=true&populate[about][populate]=*');
    const { main, about } = body.data.attributes;
    expect(main).to.equal(null);
    expect(about.map(({ notes, head }: { notes: unknown; head: unknown }) => [idsOf(notes), head])).to.deep.equal([
      [[1, 2], null],
    ]);
  });

  it('shows only the types that a fragment names', async () => {
    const { body } = await serving.call('GET', '/api/notes/1?populate[about][on][api::film.film][fields][0]=title');
    expect(body.data.attributes.about).to.deep.equal([{ __type: 'api::film.film', id: 1, title: 'F1' }]);
  });

  for (const about of [[{ __type: 'api::book.book', id: 99 }], [{ id: 1 }], [{ __type: 'api::nope.nope', id: 1 }]]) {
    it(`refuses ${JSON.stringify(about)}`, async () => {
      expect((await serving.call('POST', '/api/notes', { data: { about } })).status).to.equal(400);
    });
  }

  describe('that names its targets', () => {
    const pin = (on: unknown) => serving.call('POST', '/api/pins', { data: { on } });

    it('refuses links to other types', async () => {
      expect((await pin([book(1), { __type: 'api::note.note', id: 2 }])).status).to.equal(200);
      const { status, body } = await pin([film(1)]);
      expect([status, body.error.message]).to.deep.equal([400, 'Invalid relations']);
    });

    it('has a union of its own in GraphQL', async () => {
      const { body: written } = await pin([{ __type: 'api::note.note', id: 2 }, book(3)]);
      const query = `{
        pin(id: ${String(written.data.id)}) { data { attributes { on { __typename ... on Note { text } ... on Book { title } } } } }
        __type(name: "PinOnMorph") { possibleTypes { name } }
      }`;
      const { body } = await serving.call('POST', '/graphql', { query });
      expect(body.data.pin.data.attributes.on).to.deep.equal([
        { __typename: 'Note', text: 'n2' },
        { __typename: 'Book', title: 'B3' },
      ]);
      expect(body.data.__type.possibleTypes).to.deep.equal([{ name: 'Book' }, { name: 'Note' }]);
    });
  });

  it('leaves no link to a deleted entry', async () => {
    await serving.call('DELETE', '/api/books/1');
    const stored = await serving.database.db.collection('note').find({ 'about.__type': 'api::book.book' }).toArray();
    expect(stored).to.deep.equal([]);
  });
});

describe('polymorphic relations in components', () => {
  const links = { many: morph('morphToMany'), one: morph('morphToOne') };
  const part = { type: 'component', component: 'part.link' };
  const inParts = [
    model('book', { title: { type: 'string' } }),
    model('film', { title: { type: 'string' } }),
    model('shelf', {
      single: part,
      list: { ...part, repeatable: true },
      groups: { type: 'component', component: 'part.group', repeatable: true },
      zone: { type: 'dynamiczone', components: ['part.link', 'part.group'] },
    }),
    { uid: 'part.link', collectionName: 'links', info: { displayName: 'link' }, attributes: links },
    { uid: 'part.group', collectionName: 'groups', info: { displayName: 'group' }, attributes: { link: part } },
  ];

  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: inParts });
  });
  after(() => serving.stop());

  it('lose their links to a deleted entry, and no other ones', async () => {
    const { db } = serving.database;
    for (const path of ['/api/books', '/api/books', '/api/films'])
      expect((await serving.call('POST', path, { data: { title: 'T' } })).status).to.equal(200);
    const gone = { many: [book(1), film(1), book(2)], one: book(1) };
    const kept = { many: [film(1)], one: film(1) };
    const data = {
      single: gone,
      list: [kept, gone, { many: [], one: book(2) }],
      groups: [{ link: gone }, { link: kept }],
      zone: [
        { __component: 'part.group', link: gone },
        { __component: 'part.link', ...kept },
        { __component: 'part.link', ...gone },
      ],
    };
    const { status, body } = await serving.call('POST', '/api/shelfs', { data });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect((await serving.call('DELETE', '/api/books/1')).status).to.equal(200);
    const stored = await db.collection('shelf').findOne();
    const left = { many: ['film 1', 'book 2'], one: null };
    const whole = { many: ['film 1'], one: 'film 1' };
    expect(namesIn(stored?.['single'])).to.deep.equal(left);
    expect(stored?.['list'].map(namesIn)).to.deep.equal([whole, left, { many: [], one: 'book 2' }]);
    expect(stored?.['groups'].map(({ link }: Document) => namesIn(link as Stored))).to.deep.equal([left, whole]);
    expect(stored?.['zone'].map(({ link, ...own }: Document) => namesIn((link ?? own) as Stored))).to.deep.equal([
      left,
      whole,
      left,
    ]);
  });

  it('take connect, disconnect and set', async () => {
    const [b9, f9] = [
      (await serving.call('POST', '/api/books', { data: {} })).body.data.id,
      (await serving.call('POST', '/api/films', { data: {} })).body.data.id,
    ] as [number, number];
    const two = [book(b9), film(f9)];
    const made = await serving.call('POST', '/api/shelfs', {
      data: {
        single: { many: { connect: two }, one: { connect: [film(f9)] } },
        zone: [{ __component: 'part.link', many: { set: two }, one: { set: [book(b9)] } }],
      },
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    const { id } = made.body.data;
    const shelf = await serving.database.db.collection('shelf').findOne({ _id: id });
    const data = {
      single: { id: shelf?.['single'].id, many: { disconnect: [book(b9)] }, one: { disconnect: [film(f9)] } },
      zone: [
        {
          ...{ __component: 'part.link', id: shelf?.['zone'][0].id, one: { connect: [film(f9)] } },
          many: { connect: [{ ...film(f9), position: { before: book(b9) } }] },
        },
      ],
    };
    expect((await serving.call('PUT', `/api/shelfs/${String(id)}`, { data })).status).to.equal(200);
    const after = await serving.database.db.collection('shelf').findOne({ _id: id });
    const [bookName, filmName] = [`book ${String(b9)}`, `film ${String(f9)}`];
    expect(namesIn(after?.['single'])).to.deep.equal({ many: [filmName], one: null });
    expect(namesIn(after?.['zone'][0])).to.deep.equal({ many: [filmName, bookName], one: filmName });
  });

  interface Stored {
    readonly many: readonly Link[];
    readonly one: Link | null;
  }
  const nameOf = ({ __type, id }: Link): string => `${__type.split('.')[1] ?? ''} ${String(id)}`;
  const namesIn = ({ many, one }: Stored) => ({ many: many.map(nameOf), one: one === null ? null : nameOf(one) });
});
