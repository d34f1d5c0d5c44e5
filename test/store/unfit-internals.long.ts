import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const link = (relation: string, more: object) => ({ type: 'relation', relation, target: 'api::box.box', ...more });
const model = (name: string, attributes: object, rest: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: name,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
  ...rest,
});
const i18n = { pluginOptions: { i18n: { localized: true } } };
const models: readonly TestModel[] = [
  { uid: 'my.part', info: { displayName: 'Part' }, attributes: { code: { type: 'string', unique: true } } },
  model(
    'odd',
    {
      title: { type: 'string', search: 'trigram', ...i18n },
      box: link('manyToOne', { inversedBy: 'odds' }),
      boxes: link('manyToMany', { inversedBy: 'others' }),
      parts: { type: 'component', component: 'my.part', repeatable: true },
      pics: { type: 'media', multiple: true },
    },
    i18n,
  ),
  model('box', {
    label: { type: 'string' },
    odds: { type: 'relation', relation: 'oneToMany', target: 'api::odd.odd', mappedBy: 'box' },
    others: { type: 'relation', relation: 'manyToMany', target: 'api::odd.odd', mappedBy: 'boxes' },
  }),
];

/** What another program has stored in fields beside the attributes. */
const values: readonly (readonly [what: string, value: unknown])[] = [
  ['null', null],
  ['a text', 'x'],
  ['a number', 5],
  ['not a number', NaN],
  ['a list', [1, null]],
  ['lists in a list', [[1]]],
  ['a date', new Date(0)],
  ['an object id', new ObjectId('65f000000000000000000001')],
  ['a boolean', true],
];
const places: Readonly<Record<string, (value: unknown) => object>> = {
  'all ranks': (_ranks) => ({ _ranks }),
  'each rank': (value) => ({
    _ranks: Object.fromEntries(['box', 'boxes', 'pics', 'localizations'].map((name) => [name, value])),
  }),
  'each rank of many': (value) => ({ _ranks: { boxes: { 1: value, 2: value } } }),
  'unique values': (_unique) => ({ _unique }),
  trigrams: (_trigrams) => ({ _trigrams }),
};
const rows = Object.entries(places).flatMap(([place, make]) =>
  values.map(([what, value]) => [`${what} for ${place}`, make(value)] as const),
);
const idOf = (index: number): number => 10 + index;

type Request = readonly [method: string, path: string, body?: object];

/** Requests that write an entry, its links and those to it, and its other locales. */
const requests = (id: number): readonly Request[] => [
  ['GET', `/api/odds/${String(id)}?populate=*`],
  ['GET', '/api/boxs/1?populate=*'],
  ['POST', `/api/odds/${String(id)}/localizations`, { locale: 'fr', title: 'French' }],
  ['GET', `/api/odds/${String(id)}?populate=localizations`],
  ['PUT', '/api/boxs/2', { data: { odds: { connect: [id] }, others: { connect: [{ id, position: { start: true } }] } } }],
  ['PUT', `/api/odds/${String(id)}`, { data: { title: 'Changed' } }],
  [
    'PUT',
    `/api/odds/${String(id)}?populate=*`,
    { data: { box: 1, boxes: [2, 1], pics: [1], parts: [{ code: `c${String(id)}` }] } },
  ],
  ['DELETE', `/api/odds/${String(id)}`],
];

describe('fields beside the attributes that another program has stored', () => {
  let serving: Serving;
  before(async () => {
    const odd = rows.map(([, stored], index) => {
      const _id = idOf(index);
      return { _id, title: 'Stored', locale: 'en', _group: _id, box: 1, boxes: [1, 2], parts: [], pics: [], ...stored };
    });
    const at = new Date(0);
    const files = [{ _id: 1, name: 'a', hash: 'a', mime: 'a/b', size: 1, url: '/a', provider: 'local' }];
    const i18n_locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at }));
    const box = [1, 2].map((_id) => ({ _id, label: 'a' }));
    serving = await serveModels({ models, documents: { odd, box, files, i18n_locales } });
  });
  after(() => serving.stop());

  for (const [index, [what, value]] of values.entries())
    it(`do not end a change of a password: ${what} for the version of tokens`, async () => {
      const _id = 100 + index;
      const names = { username: `user${String(_id)}`, email: `user${String(_id)}@mail.test` };
      await serving.database.db
        .collection<{ _id: number }>('up_users')
        .insertOne(Object.assign({ _id }, names, { _tokenVersion: value }));
      const { status, body } = await serving.call('PUT', `/api/users/${String(_id)}`, { password: 'Passw0rd!' });
      expect(status, JSON.stringify(body)).to.equal(200);
    });

  for (const [index, [what]] of rows.entries())
    it(`do not end a request: ${what}`, async () => {
      for (const [method, path, body] of requests(idOf(index))) {
        const answer = await serving.call(method, path, body);
        expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.equal(200);
      }
    });
});
