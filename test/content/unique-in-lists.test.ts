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
    attributes: { title: { type: 'string' }, editions: { type: 'component', component: 'shop.edition', repeatable: true } },
  },
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

describe('unique values in lists of components', () => {
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
