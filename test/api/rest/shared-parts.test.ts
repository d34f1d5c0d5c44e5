import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { at } from './serve-locales.js';

const i18n = (localized: boolean) => ({ pluginOptions: { i18n: { localized } } });
const models = [
  {
    uid: 'shop.link',
    info: { displayName: 'Link' },
    attributes: { url: { type: 'string', required: true }, label: { type: 'string', minLength: 2 } },
  },
  collectionType(
    'item',
    {
      title: { type: 'string', ...i18n(true) },
      code: { type: 'string', required: true },
      links: { type: 'component', component: 'shop.link', repeatable: true },
    },
    { options: { draftAndPublish: true }, ...i18n(true) },
  ),
];
const locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at }));

/** Updates of an entry whose locales share the values, and the message of the refusal; null if there is none. */
const updates: readonly (readonly [data: object, message: string | null])[] = [
  [{ links: [{ label: 'xx' }] }, null],
  [{ links: [{ url: '/u', label: 'x' }] }, 'links[0].label must be at least 2 characters'],
  [{ code: null }, 'code must be a `string` type, but the final value was: `null`.'],
];

describe('shared values of locales, one of which is published', () => {
  let serving: Serving;
  const ids: Record<string, number> = {};
  before(async () => {
    serving = await serveModels({ models, documents: { i18n_locales: locales } });
    const created = await serving.call('POST', '/api/items', { data: { title: 'a', code: 'c', links: [{ url: '/u' }] } });
    ids['published'] = created.body.data.id;
    const path = `/api/items/${String(ids['published'])}/localizations`;
    ids['draft'] = (await serving.call('POST', path, { locale: 'fr', title: 'b' })).body.id;
  });
  after(() => serving.stop());

  for (const [data, message] of updates)
    for (const name of ['published', 'draft'])
      it(`${JSON.stringify(data)} has the same answer on the entry that is ${name}`, async () => {
        const { status, body } = await serving.call('PUT', `/api/items/${String(ids[name])}`, { data });
        expect([status, body.error?.message ?? null]).to.deep.equal([message === null ? 200 : 400, message]);
      });
});
