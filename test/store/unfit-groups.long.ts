import { expect } from 'chai';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const i18n = (localized: boolean) => ({ pluginOptions: { i18n: { localized } } });
const page: TestModel = {
  uid: 'api::page.page',
  kind: 'collectionType',
  collectionName: 'pages',
  info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
  ...i18n(true),
  attributes: { title: { type: 'string', ...i18n(true) }, n: { type: 'integer' }, code: { type: 'string', unique: true } },
};
const at = new Date(0);
const locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at }));

/** What other programs may store instead of the number of a localization group. */
const groups: readonly (readonly [what: string, stored: object])[] = [
  ['nothing', {}],
  ['null', { _group: null }],
  ['a text', { _group: 'x' }],
  ['not a number', { _group: NaN }],
  ['a list', { _group: [1] }],
  ['an object', { _group: { a: 1 } }],
  ['an object with operators', { _group: { $gt: 0 } }],
  ['a boolean', { _group: true }],
];
const odd = groups.map(([what, stored], index) => ({ what, id: 10 + index, stored }));

interface Localized {
  readonly id: number;
  readonly attributes: {
    readonly n: number;
    readonly code: string;
    readonly localizations: { readonly data: readonly Localized[] };
  };
}

describe('entries without the number of a localization group', () => {
  let serving: Serving;
  beforeEach(async () => {
    const entry = (id: number, more: object) => ({ _id: id, title: 't', n: id, code: `c${String(id)}`, locale: 'en', ...more });
    const pages = [entry(1, { _group: 1, _leads: true }), ...odd.map(({ id, stored }) => entry(id, stored))];
    serving = await serveModels({ models: [page], documents: { i18n_locales: locales, pages } });
  });
  afterEach(() => serving.stop());

  const all = async (): Promise<readonly Localized[]> => {
    const path = '/api/pages?locale=all&populate=localizations&sort=id';
    const { status, body } = await serving.call('GET', path);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data as readonly Localized[]; // the form of every list
  };
  const shown = async () =>
    (await all()).map(({ id, attributes: { n, code, localizations } }) => [id, n, code, localizations.data.map((one) => one.id)]);
  const initial = [1, ...odd.map(({ id }) => id)].map((id) => [id, id, `c${String(id)}`, [] as number[]]);

  it('are alone', async () => {
    expect(await shown()).to.deep.equal(initial);
    for (const filter of ['[title]=t', '[title][$ne]=x'])
      expect((await serving.call('GET', `/api/pages?filters[localizations]${filter}`)).body.data, filter).to.deep.equal([]);
    const lone = await serving.call('GET', '/api/pages?filters[localizations][id][$null]=true');
    expect(lone.body.data).to.have.length(initial.length);
  });

  for (const { what, id } of odd)
    it(`share their values with no others, if ${what} is stored`, async () => {
      const key = `/api/pages/${String(id)}`;
      const data = { n: 7, code: 'new' };
      expect((await serving.call('PUT', key, { data })).status).to.equal(200);
      expect(await shown()).to.deep.equal(initial.map((row) => (row[0] === id ? [id, 7, 'new', []] : row)));
      const { status, body } = await serving.call('POST', `${key}/localizations`, { locale: 'fr', title: 'fr' });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.n).to.equal(7);
      await serving.call('PUT', `/api/pages/${String(body.id)}`, { data: { n: 8 } });
      expect(await shown()).to.deep.equal([
        ...initial.map((row) => (row[0] === id ? [id, 8, 'new', [body.id]] : row)),
        [body.id, 8, 'new', [id]],
      ]);
    });
});
