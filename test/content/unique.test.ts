import { expect } from 'chai';
import { serveModels, type Serving } from '../support/serve.js';

const models = [
  {
    uid: 'shop.edition',
    info: { displayName: 'Edition' },
    attributes: { code: { type: 'string', unique: true }, pages: { type: 'integer' } },
  },
  { uid: 'shop.label', info: { displayName: 'Label' }, attributes: { code: { type: 'string' } } },
  {
    uid: 'shop.box',
    info: { displayName: 'Box' },
    attributes: {
      number: { type: 'integer', unique: true },
      main: { type: 'component', component: 'shop.edition' },
      editions: { type: 'component', component: 'shop.edition', repeatable: true },
    },
  },
  {
    uid: 'api::volume.volume',
    kind: 'collectionType',
    info: { singularName: 'volume', pluralName: 'volumes', displayName: 'Volume' },
    attributes: {
      title: { type: 'string' },
      isbn: { type: 'string', unique: true },
      main: { type: 'component', component: 'shop.edition' },
      editions: { type: 'component', component: 'shop.edition', repeatable: true },
      boxes: { type: 'component', component: 'shop.box', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shop.edition', 'shop.box', 'shop.label'] },
      shelf: { type: 'integer', unique: true },
      released: { type: 'datetime', unique: true },
      slug: { type: 'uid', targetField: 'title' },
      lot: { type: 'biginteger', unique: true },
      ean: { type: 'biginteger', unique: true },
    },
  },
  {
    uid: 'api::note.note',
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    attributes: { title: { type: 'text' }, slug: { type: 'uid', targetField: 'title', options: { generate: true } } },
  },
  {
    uid: 'api::poster.poster',
    kind: 'collectionType',
    info: { singularName: 'poster', pluralName: 'posters', displayName: 'Poster' },
    pluginOptions: { i18n: { localized: true } },
    attributes: {
      title: { type: 'string', unique: true, pluginOptions: { i18n: { localized: true } } },
      number: { type: 'integer', unique: true, pluginOptions: { i18n: { localized: false } } },
      code: { type: 'integer', unique: true, pluginOptions: { i18n: { localized: false } } },
      editions: {
        type: 'component',
        component: 'shop.edition',
        repeatable: true,
        pluginOptions: { i18n: { localized: true } },
      },
    },
  },
  {
    uid: 'api::window.window',
    kind: 'singleType',
    info: { singularName: 'window', pluralName: 'windows', displayName: 'Window' },
    pluginOptions: { i18n: { localized: true } },
    attributes: {
      title: { type: 'string', unique: true, pluginOptions: { i18n: { localized: true } } },
      editions: {
        type: 'component',
        component: 'shop.edition',
        repeatable: true,
        pluginOptions: { i18n: { localized: true } },
      },
      zone: { type: 'dynamiczone', components: ['shop.edition'] },
    },
  },
];

/** What another entry holds. */
const held = {
  isbn: 'taken',
  main: { code: 'm' },
  editions: [{ code: 'p' }, { code: 'q' }],
  zone: [{ __component: 'shop.edition', code: 'z' }],
  shelf: 7,
  released: '2024-01-01T00:00:00.000Z',
  slug: 'taken',
  lot: '6',
  ean: '9007199254740993',
};

/** Bodies, and the places of the values in them that are taken. */
const violations: readonly (readonly [object, readonly string[]])[] = [
  [{ shelf: 7, isbn: 'taken' }, ['isbn', 'shelf']],
  [{ lot: 6, ean: '9007199254740993', isbn: 'taken' }, ['isbn', 'lot', 'ean']],
  [{ isbn: 'free', shelf: '7', released: 1704067200000, slug: 'taken' }, ['shelf', 'released', 'slug']],
  [{ isbn: 'taken', main: { code: 'm' }, shelf: 8 }, ['isbn', 'main.code']],
  [
    { editions: [{ code: 'q' }, {}, { code: 'free' }, { code: 'p' }], slug: 'taken' },
    ['editions.0.code', 'editions.3.code', 'slug'],
  ],
  [{ zone: [{ __component: 'shop.edition', code: 'z' }], isbn: 'taken' }, ['isbn', 'zone.0.code']],
  // a value is unique in its place
  [
    { isbn: 'taken', main: { code: 'q' }, editions: [{ code: 'm' }], zone: [{ __component: 'shop.edition', code: 'p' }] },
    ['isbn'],
  ],
  // beside what is wrong for another reason
  [{ title: 5, isbn: 'taken', shelf: 'x', slug: 'taken' }, ['title', 'isbn', 'shelf', 'slug']],
  [{ title: 5, main: { code: 'm', pages: 'x' }, slug: 'a b' }, ['title', 'main.pages', 'main.code', 'slug']],
];

const inZone = (part: object, component = 'shop.edition') => ({ __component: component, ...part });

/** Bodies that have a value twice in one place, and the places of the repetitions. */
const repetitions: readonly (readonly [object, readonly string[]])[] = [
  [{ editions: [{ code: 'r' }, { code: 's' }, { code: 'r' }, { code: 'r' }] }, ['editions.2.code', 'editions.3.code']],
  [{ boxes: [{ number: 1 }, { number: '1' }] }, ['boxes.1.number']],
  [{ boxes: [{ main: { code: 'r' } }, { main: { code: 'r' } }] }, ['boxes.1.main.code']],
  [{ boxes: [{ editions: [{ code: 'r' }] }, { editions: [{ code: 's' }, { code: 'r' }] }] }, ['boxes.1.editions.1.code']],
  [{ zone: [inZone({ code: 'r' }), inZone({ code: 'r' })] }, ['zone.1.code']],
  [{ zone: [inZone({ number: 1 }, 'shop.box'), inZone({ code: 'r' }), inZone({ number: 1 }, 'shop.box')] }, ['zone.2.number']],
  [{ title: 5, editions: [{ code: 'r' }, { code: 'r', pages: 'x' }] }, ['title', 'editions.1.pages', 'editions.1.code']],
];

/** Bodies that are sent one after the other, and the status of each answer. */
const cases: readonly (readonly [string, readonly (readonly [object[], number])[]])[] = [
  [
    'missing values never clash',
    [
      [[{ code: 'a' }, {}], 200],
      [[{ code: 'b' }, {}, {}], 200],
      [[{}], 200],
      [[{}], 200],
    ],
  ],
  [
    'a value is taken by another entry',
    [
      [[{ code: 'c' }], 200],
      [[{ code: 'd' }, { code: 'c' }], 400],
    ],
  ],
  ['one entry has a value twice', [[[{ code: 'e' }, { code: 'e' }], 400]]],
];

const placesIn = (error: { details: { errors?: { path: string[] }[] } } | null): string[] | null =>
  error?.details.errors?.map(({ path }) => path.join('.')) ?? null;

describe('unique values', () => {
  let serving: Serving;

  before(async () => {
    serving = await serveModels({ models });
  });
  after(() => serving.stop());

  for (const [title, steps] of cases) {
    it(title, async () => {
      for (const [editions, status] of steps) {
        const answer = await serving.call('POST', '/api/volumes', { data: { editions } });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
      }
    });
  }

  for (const [data, places] of repetitions)
    it(`one entry repeats a value: ${JSON.stringify(data)}`, async () => {
      const { status, body } = await serving.call('POST', '/api/volumes', { data });
      expect([status, placesIn(body.error)]).to.deep.equal([400, places]);
    });

  it('an attribute of the same name in another component of a zone is not unique', async () => {
    const label = inZone({ code: 'shared' }, 'shop.label');
    const zones = [[label, label], [label], [label, inZone({ code: 'shared' })], [label, inZone({ code: 'shared' })]];
    const statuses: number[] = [];
    for (const zone of zones) statuses.push((await serving.call('POST', '/api/volumes', { data: { zone } })).status);
    expect(statuses).to.deep.equal([200, 200, 200, 400]);
  });

  it('a component that an update keeps has its value', async () => {
    const editions = [{ code: 'kept' }, { code: 'other' }];
    const { body } = await serving.call('POST', '/api/volumes?populate=editions', { data: { editions } });
    const { id, attributes } = body.data;
    const kept = { id: attributes.editions[0].id };
    for (const [sent, places] of [
      [[kept, { code: 'kept' }], ['editions.1.code']],
      [[kept, { id: attributes.editions[1].id, code: 'kept' }], ['editions.1.code']],
      [[{ ...kept, code: 'other' }, { code: 'kept' }], null],
    ] as const) {
      const answer = await serving.call('PUT', `/api/volumes/${String(id)}`, { data: { editions: sent } });
      expect([answer.status, placesIn(answer.body.error ?? null)]).to.deep.equal([places === null ? 200 : 400, places]);
    }
  });

  it('a generated uid has 250 characters of a long title, and a number', async () => {
    const title = `${'a'.repeat(249)} ${'b'.repeat(40_000)}`;
    const slugs: unknown[] = [];
    for (let n = 0; n < 2; n += 1)
      slugs.push((await serving.call('POST', '/api/notes', { data: { title } })).body.data?.attributes.slug);
    expect(slugs).to.deep.equal(['a'.repeat(249), `${'a'.repeat(249)}-1`]);
  });

  it('40 concurrent creates with one title get different generated uids', async () => {
    const creates = Array.from({ length: 40 }, () => serving.call('POST', '/api/notes', { data: { title: 'At once' } }));
    const answers = await Promise.all(creates);
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
    const slugs = new Set(answers.map(({ body }) => body.data.attributes.slug as string));
    expect([slugs.size, slugs.has('at-once')]).to.deep.equal([40, true]);
  });

  describe('all that are taken are listed', () => {
    let own: number;
    before(async () => {
      expect((await serving.call('POST', '/api/volumes', { data: held })).status).to.equal(200);
      own = (await serving.call('POST', '/api/volumes', { data: {} })).body.data.id;
    });
    const placesOf = (error: { details: { errors: { path: string[] }[] } }): string[] =>
      error.details.errors.map(({ path }) => path.join('.'));

    for (const [data, places] of violations)
      it(JSON.stringify(data), async () => {
        const created = await serving.call('POST', '/api/volumes', { data });
        expect([created.status, placesOf(created.body.error)], 'create').to.deep.equal([400, places]);
        const updated = await serving.call('PUT', `/api/volumes/${String(own)}`, { data });
        expect([updated.status, placesOf(updated.body.error)], 'update').to.deep.equal([400, places]);
      });

    it('over GraphQL', async () => {
      const query = `mutation { createVolume(data: { isbn: "taken", shelf: 7, editions: [{ code: "p" }], slug: "s" }) { data { id } } }`;
      const { body } = await serving.call('POST', '/graphql', { query });
      expect(placesOf(body.errors[0].extensions.error)).to.deep.equal(['isbn', 'editions.0.code', 'shelf']);
    });

    it('an entry does not conflict with itself', async () => {
      const body = {
        data: {
          ...held,
          isbn: 'mine',
          slug: 'mine',
          main: null,
          editions: [],
          zone: [],
          shelf: 9,
          released: null,
          lot: 8,
          ean: null,
        },
      };
      expect((await serving.call('PUT', `/api/volumes/${String(own)}`, body)).status).to.equal(200);
      expect((await serving.call('PUT', `/api/volumes/${String(own)}`, body)).status).to.equal(200);
      const { error } = (await serving.call('PUT', `/api/volumes/${String(own)}`, { data: { ...body.data, title: 5, shelf: 7 } }))
        .body;
      expect(placesOf(error)).to.deep.equal(['title', 'shelf']);
    });
  });

  describe('of a localized type', () => {
    const here = { title: 'a', number: 1, editions: [{ code: 'e' }] };
    before(async () => {
      await serving.database.db.collection('i18n_locales').insertOne({ code: 'fr', name: 'French' });
      await serving.settled();
      const french = { title: 'b', number: 3, editions: [{ code: 'f' }], locale: 'fr' };
      for (const data of [here, { ...here, number: 2, title: 'c', editions: [] }, french])
        expect((await serving.call('POST', '/api/posters', { data })).status).to.equal(200);
    });

    /** Requests, and the places of the values that are taken: in the locale of the entry, in any if all locales share the value. */
    const requests: readonly (readonly [method: string, path: string, body: object, places: readonly string[] | null])[] = [
      ['POST', '/api/posters', { data: { ...here, locale: 'en' } }, ['title', 'number', 'editions.0.code']],
      ['POST', '/api/posters', { data: { ...here, number: 2, locale: 'fr' } }, ['number']],
      ['PUT', '/api/posters/2', { data: { title: 'a', number: 1 } }, ['title', 'number']],
      [
        'POST',
        '/api/posters/1/localizations',
        { locale: 'fr', title: 'b', editions: [{ code: 'g' }, { code: 'f' }] },
        ['title', 'editions.1.code'],
      ],
      ['POST', '/api/posters/1/localizations', { locale: 'fr', title: 'a', editions: [{ code: 'e' }] }, null],
      ['PUT', '/api/posters/1', { data: { number: 2 } }, ['number']],
      ['POST', '/api/posters/2/localizations', { locale: 'fr', title: 'z', number: 3 }, ['number']],
      // free in the new locale, and taken in the one that it is shared with
      ['POST', '/api/posters', { data: { title: 'q', number: 5 } }, null],
      ['POST', '/api/posters/2/localizations', { locale: 'fr', title: 'z', number: 5 }, ['number']],
      ['POST', '/api/posters', { data: { title: 'r', number: 6, code: 6, locale: 'fr' } }, null],
      ['PUT', '/api/posters/1', { data: { number: 6, code: 6 } }, ['number', 'code']],
      ['POST', '/api/posters', { data: { title: 's', number: 8, code: 8 } }, null],
      ['POST', '/api/posters/2/localizations', { locale: 'fr', title: 'y', number: 8, code: 8 }, ['number', 'code']],
      // beside what is wrong for another reason
      ['POST', '/api/posters/2/localizations', { locale: 'fr', title: 5, number: 8, code: 8 }, ['title', 'number', 'code']],
      ['PUT', '/api/posters/2', { data: { number: 6, code: 6 } }, ['number', 'code']],
    ];
    for (const [method, path, body, places] of requests)
      it(`${method} ${path} ${JSON.stringify(body)}`, async () => {
        const { status, body: answer } = await serving.call(method, path, body);
        expect([status, placesIn(answer.error ?? null)]).to.deep.equal([places === null ? 200 : 400, places]);
      });

    it('over GraphQL', async () => {
      const data = '{ title: "b", editions: [{ code: "f" }] }';
      const query = `mutation { createPosterLocalization(id: 2, locale: "fr", data: ${data}) { data { id } } }`;
      const { body } = await serving.call('POST', '/graphql', { query });
      expect(placesIn(body.errors[0].extensions.error), JSON.stringify(body)).to.deep.equal(['title', 'editions.0.code']);
    });
  });

  describe('of a single type', () => {
    const edition = (code: string) => ({ code });
    const twice = [edition('w'), edition('v'), edition('w')];
    const requests: readonly (readonly [path: string, body: object, places: readonly string[] | null])[] = [
      ['', { data: { title: 'a', editions: twice } }, ['editions.2.code']],
      ['', { data: { title: 'a', editions: [edition('v'), edition('w')] } }, null],
      ['', { data: { editions: [edition('w'), edition('v')] } }, null],
      ['', { data: { zone: [{ __component: 'shop.edition', code: 'z' }], editions: twice } }, ['editions.2.code']],
      ['/localizations', { locale: 'fr', title: 'a', editions: twice }, ['editions.2.code']],
      ['/localizations', { locale: 'fr', title: 'a', editions: [edition('v')] }, null],
      ['?locale=fr', { data: { title: 'a', editions: twice } }, ['editions.2.code']],
    ];
    for (const [path, body, places] of requests)
      it(`/api/window${path} ${JSON.stringify(body)}`, async () => {
        const method = path.startsWith('/') ? 'POST' : 'PUT';
        const { status, body: answer } = await serving.call(method, `/api/window${path}`, body);
        expect([status, placesIn(answer.error ?? null)]).to.deep.equal([places === null ? 200 : 400, places]);
      });

    it('over GraphQL', async () => {
      const query = `mutation { updateWindow(data: { editions: [{ code: "x" }, { code: "x" }] }) { data { id } } }`;
      const { body } = await serving.call('POST', '/graphql', { query });
      expect(placesIn(body.errors[0].extensions.error)).to.deep.equal(['editions.1.code']);
    });
  });

  it('reports the path of the value, and frees the value when it is removed', async () => {
    const { body } = await serving.call('POST', '/api/volumes?populate=editions', { data: { editions: [{ code: 'x' }] } });
    const refused = await serving.call('POST', '/api/volumes', { data: { editions: [{ pages: 1 }, { code: 'x' }] } });
    expect(refused.body.error.details.errors).to.deep.equal([
      { path: ['editions', '1', 'code'], message: 'This attribute must be unique', name: 'ValidationError' },
    ]);
    await serving.call('PUT', `/api/volumes/${String(body.data.id)}`, { data: { editions: [] } });
    expect((await serving.call('POST', '/api/volumes', { data: { editions: [{ code: 'x' }] } })).status).to.equal(200);
  });
});
