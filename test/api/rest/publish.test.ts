import { expect } from 'chai';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';
import { at } from './serve-locales.js';

const i18n = (localized: boolean) => ({ pluginOptions: { i18n: { localized } } });
const options = { draftAndPublish: true };
const locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code }));

const attributes = {
  title: { type: 'string', required: true },
  intro: { type: 'text', minLength: 5 },
  price: { type: 'decimal', required: true },
  serial: { type: 'biginteger', required: true },
  day: { type: 'date', required: true },
  secret: { type: 'password', required: true, maxLength: 20 },
  part: { type: 'component', component: 'shop.part', required: true },
  parts: { type: 'component', component: 'shop.part', repeatable: true },
  zone: { type: 'dynamiczone', components: ['shop.part'] },
  pic: { type: 'media', multiple: false, required: true },
  maker: { type: 'relation', relation: 'oneToOne', target: 'api::leaf.leaf', required: true },
};

const type = (name: string, more: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options,
  attributes,
  ...more,
});

const models: readonly TestModel[] = [
  {
    uid: 'shop.part',
    info: { displayName: 'Part' },
    attributes: {
      name: { type: 'string', required: true },
      inner: { type: 'component', component: 'shop.inner' },
    },
  },
  { uid: 'shop.inner', info: { displayName: 'Inner' }, attributes: { label: { type: 'string', minLength: 3, required: true } } },
  type('post', {}),
  type('home', { kind: 'singleType', info: { singularName: 'home', pluralName: 'homes', displayName: 'home' } }),
  type('leaf', { options: {}, attributes: { text: { type: 'string' } } }),
  type('free', { attributes: { title: { type: 'string' } } }),
  type('page', {
    ...i18n(true),
    attributes: { title: { type: 'string', ...i18n(true) }, code: { type: 'string', required: true }, part: attributes.part },
  }),
];

/** What a draft needs to be published. */
const whole = {
  title: 'whole',
  intro: 'intro',
  price: 1.5,
  serial: '9007199254740993',
  day: '2024-01-01',
  secret: 'a secret',
  part: { name: 'p' },
  maker: 1,
};

/** What a draft has beside or instead of that, what is sent to publish it, and the paths of what it then lacks. */
const cases: readonly (readonly [draft: object, sent: object, lacking: readonly string[] | null])[] = [
  [{}, {}, null],
  [{ title: null }, {}, ['title']],
  [{ title: null }, { title: 'now' }, null],
  [{}, { title: null }, ['title']],
  [{ intro: 'abc' }, {}, ['intro']],
  [{ intro: 'abc' }, { intro: null }, null],
  [
    { title: null, price: null, serial: null, day: null, secret: null, part: null },
    {},
    ['title', 'price', 'serial', 'day', 'secret', 'part'],
  ],
  [{ title: null, price: null }, { price: 2 }, ['title']],
  [{ part: { name: null } }, {}, ['part.name']],
  [{ part: { name: 'p', inner: { label: 'ab' } } }, {}, ['part.inner.label']],
  [{ part: { name: 'p', inner: {} } }, {}, ['part.inner.label']],
  [{ parts: [{ name: 'a' }, {}, { name: null }] }, {}, ['parts.1.name', 'parts.2.name']],
  [{ parts: [{ name: null }] }, { parts: [{ name: 'b' }] }, null],
  [{ zone: [{ __component: 'shop.part' }] }, {}, ['zone.0.name']],
  [{ maker: null }, {}, ['maker']],
];

interface Stored {
  readonly _id: number;
  readonly publishedAt: Date | null;
  readonly title: string | null;
}

describe('publishing a draft', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents: { i18n_locales: locales, leafs: [{ _id: 1, text: 'a' }] } });
  });
  after(() => serving.stop());

  const ok = async (method: string, path: string, body: object) => {
    const answer = await serving.call(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  };
  const stateOf = async (collection: string, filter: object): Promise<unknown> =>
    (await serving.database.db.collection(collection).findOne(filter))?.['publishedAt'] ?? null;
  const input = (data: object): string =>
    JSON.stringify(data)
      .replaceAll(/"(\w+)":/g, '$1:')
      .replaceAll('__component', '__typename')
      .replaceAll('shop.part', 'ComponentShopPart');

  /** Ways to publish a post; each returns the paths of what it lacks, null if it is published. */
  const ways: Readonly<Record<string, (id: number, sent: object) => Promise<readonly string[] | null>>> = {
    REST: async (id, sent) => {
      const { status, body } = await serving.call('PUT', `/api/posts/${String(id)}`, { data: { ...sent, publishedAt: at } });
      if (status === 200) return null;
      expect([status, body.data, body.error.name]).to.deep.equal([400, null, 'ValidationError']);
      return body.error.details.errors.map(({ path }: { path: string[] }) => path.join('.'));
    },
    GraphQL: async (id, sent) => {
      const data = input({ ...sent, publishedAt: at });
      const query = `mutation { updatePost(id: ${String(id)}, data: ${data}) { data { attributes { title } } } }`;
      const { body } = await serving.call('POST', '/graphql', { query });
      if (body.errors === undefined) return null;
      expect(body.errors[0].extensions.error.name).to.equal('ValidationError');
      return body.errors[0].extensions.error.details.errors.map(({ path }: { path: string[] }) => path.join('.'));
    },
  };
  for (const [way, publish] of Object.entries(ways))
    for (const [draft, sent, lacking] of cases)
      it(`over ${way}: ${JSON.stringify(draft)} by ${JSON.stringify(sent)}`, async () => {
        const { data } = await ok('POST', '/api/posts', { data: { ...whole, ...draft, publishedAt: null } });
        expect(await publish(data.id, sent)).to.deep.equal(lacking);
        expect((await stateOf('posts', { _id: data.id })) === null).to.equal(lacking !== null);
      });

  it('of a single type', async () => {
    await ok('PUT', '/api/home', { data: { ...whole, title: null, publishedAt: null } });
    const { status, body } = await serving.call('PUT', '/api/home', { data: { publishedAt: at } });
    expect([status, body.error.details.errors[0].path]).to.deep.equal([400, ['title']]);
    await ok('PUT', '/api/home', { data: { title: 'home', publishedAt: at } });
  });

  it('is not checked again by an update of a published entry, and allows values of drafts afterwards no more', async () => {
    const { data } = await ok('POST', '/api/posts', { data: whole });
    await serving.database.db.collection<{ _id: number }>('posts').updateOne({ _id: data.id }, { $set: { price: null } });
    const path = `/api/posts/${String(data.id)}`;
    await ok('PUT', path, { data: { title: 'other', publishedAt: at } });
    expect((await serving.call('PUT', path, { data: { title: null } })).status).to.equal(400);
    await ok('PUT', path, { data: { publishedAt: null } });
    await ok('PUT', path, { data: { title: null } });
  });

  it('never meets an update that only a draft allows', async () => {
    for (let round = 0; round < 10; round++) {
      const { data } = await ok('POST', '/api/posts', { data: { ...whole, publishedAt: null } });
      const path = `/api/posts/${String(data.id)}`;
      const sent = [{ publishedAt: at }, { title: null }].map((one) => serving.call('PUT', path, { data: one }));
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).to.not.be.empty;
      const stored = await serving.database.db.collection<Stored>('posts').findOne({ _id: data.id });
      expect(stored !== null && stored.publishedAt !== null && stored.title === null).to.equal(false);
    }
  });

  it('takes no more commands if drafts cannot be incomplete', async () => {
    const { data } = await ok('POST', '/api/frees', { data: { title: 'a', publishedAt: null } });
    await serving.settled();
    const { commands } = await serving.countCommands(() =>
      ok('PUT', `/api/frees/${String(data.id)}`, { data: { publishedAt: at } }),
    );
    expect(commands.filter((name) => name === 'find')).to.deep.equal([]);
  });

  it('a draft cannot take shared values from its published locales that they need', async () => {
    const { id } = (await ok('POST', '/api/pages', { data: { title: 'en', code: 'c', part: { name: 'p' } } })).data;
    const french = (await ok('POST', `/api/pages/${String(id)}/localizations`, { locale: 'fr', title: 'fr' })).id as number;
    const path = `/api/pages/${String(french)}`;
    const { status, body } = await serving.call('PUT', path, { data: { code: null, title: null } });
    expect([status, body.error?.details.errors[0].path]).to.deep.equal([400, ['code']]);
    await ok('PUT', path, { data: { title: null, code: 'd' } });
    await ok('PUT', `/api/pages/${String(id)}`, { data: { publishedAt: null } });
    await ok('PUT', path, { data: { code: null } });
  });

  describe('as a localization of a draft', () => {
    /** What the body of the localization has, and the paths of what the entry then lacks. */
    const localizations: readonly (readonly [sent: object, lacking: readonly string[] | null])[] = [
      [{ publishedAt: at }, ['part.name']],
      [{ publishedAt: null }, null],
      [{ publishedAt: at, part: { name: 'given' } }, null],
    ];
    for (const [sent, lacking] of localizations)
      for (const route of ['localizations', 'create', 'GraphQL'])
        it(`by ${route}: ${JSON.stringify(sent)}`, async () => {
          const draft = { title: 'en', code: 'c', part: { name: null }, publishedAt: null };
          const { id } = (await ok('POST', '/api/pages', { data: draft })).data;
          const data = { title: 'fr', ...sent };
          const { status, body } = await {
            localizations: () => serving.call('POST', `/api/pages/${String(id)}/localizations`, { ...data, locale: 'fr' }),
            create: () => serving.call('POST', '/api/pages', { data: { ...data, locale: 'fr', localizations: [id] } }),
            GraphQL: async () => {
              const query = `mutation { createPageLocalization(id: ${String(id)}, locale: "fr", data: ${input(data)}) { data { id } } }`;
              const answer = await serving.call('POST', '/graphql', { query });
              const error = answer.body.errors?.[0].extensions.error;
              return { status: error === undefined ? 200 : 400, body: { error } };
            },
          }[route as 'create']();
          expect(status, JSON.stringify(body)).to.equal(lacking === null ? 200 : 400);
          const paths = body.error?.details.errors.map(({ path }: { path: string[] }) => path.join('.')) ?? null;
          expect(paths).to.deep.equal(lacking);
        });
  });
});
