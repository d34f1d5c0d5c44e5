import { expect } from 'chai';
import { serveModels, type Serving } from '../support/serve.js';

const models = [
  {
    uid: 'shop.edition',
    info: { displayName: 'Edition' },
    attributes: { code: { type: 'string', unique: true }, pages: { type: 'integer' } },
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
      zone: { type: 'dynamiczone', components: ['shop.edition'] },
      shelf: { type: 'integer', unique: true },
      released: { type: 'datetime', unique: true },
      slug: { type: 'uid', targetField: 'title' },
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
};

/** Bodies, and the places of the values in them that are taken. */
const violations: readonly (readonly [object, readonly string[]])[] = [
  [{ shelf: 7, isbn: 'taken' }, ['isbn', 'shelf']],
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
  ['one entry says a value twice', [[[{ code: 'e' }, { code: 'e' }], 400]]],
];

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

    it('the entry itself takes nothing from itself', async () => {
      const body = {
        data: { ...held, isbn: 'mine', slug: 'mine', main: null, editions: [], zone: [], shelf: 9, released: null },
      };
      expect((await serving.call('PUT', `/api/volumes/${String(own)}`, body)).status).to.equal(200);
      expect((await serving.call('PUT', `/api/volumes/${String(own)}`, body)).status).to.equal(200);
      const { error } = (await serving.call('PUT', `/api/volumes/${String(own)}`, { data: { ...body.data, title: 5, shelf: 7 } }))
        .body;
      expect(placesOf(error)).to.deep.equal(['title', 'shelf']);
    });
  });

  it('names the place of the value, and frees it when it is taken back', async () => {
    const { body } = await serving.call('POST', '/api/volumes?populate=editions', { data: { editions: [{ code: 'x' }] } });
    const refused = await serving.call('POST', '/api/volumes', { data: { editions: [{ pages: 1 }, { code: 'x' }] } });
    expect(refused.body.error.details.errors).to.deep.equal([
      { path: ['editions', '1', 'code'], message: 'This attribute must be unique', name: 'ValidationError' },
    ]);
    await serving.call('PUT', `/api/volumes/${String(body.data.id)}`, { data: { editions: [] } });
    expect((await serving.call('POST', '/api/volumes', { data: { editions: [{ code: 'x' }] } })).status).to.equal(200);
  });
});
