import { expect } from 'chai';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';
import { at, expectOk } from './serve-locales.js';

const i18n = (localized: boolean) => ({ pluginOptions: { i18n: { localized } } });
const locales = ['en', 'fr', 'de'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at }));

const models: readonly TestModel[] = [
  {
    uid: 'shop.part',
    info: { displayName: 'Part' },
    attributes: {
      name: { type: 'string' },
      code: { type: 'string', unique: true },
      file: { type: 'media', multiple: false },
    },
  },
  {
    uid: 'api::item.item',
    kind: 'collectionType',
    collectionName: 'items',
    info: { singularName: 'item', pluralName: 'items', displayName: 'Item' },
    options: { draftAndPublish: true },
    ...i18n(true),
    attributes: {
      title: { type: 'string', ...i18n(true) },
      n: { type: 'integer' },
      price: { type: 'biginteger' },
      meta: { type: 'json' },
      pic: { type: 'media', multiple: false },
      gallery: { type: 'media', multiple: true },
      c: { type: 'component', component: 'shop.part', required: true },
      cs: { type: 'component', component: 'shop.part', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shop.part'] },
      own: { type: 'component', component: 'shop.part', ...i18n(true) },
    },
  },
];

const files = [1, 2, 3].map((id) => ({
  _id: id,
  name: `f${String(id)}.png`,
  hash: `f${String(id)}`,
  mime: 'image/png',
  url: '/f',
}));

const held = {
  n: 5,
  price: '7',
  meta: { a: [1] },
  pic: 1,
  gallery: [2, 3],
  c: { name: 'c', file: 2 },
  cs: [{ name: 'x', code: 'x1' }, { name: 'y' }],
  zone: [{ __component: 'shop.part', name: 'z' }],
};

/** What the entry of the test has, in the form of `sharedOf`. */
const original = {
  n: 5,
  price: '7',
  meta: { a: [1] },
  pic: 1,
  gallery: [2, 3],
  c: ['c', 2],
  cs: [
    ['x', null],
    ['y', null],
  ],
  zone: [['z', null]],
};

interface Entry {
  readonly attributes: Readonly<Record<string, unknown>>;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- looks into answers of every form
const part = (one: any): unknown => [one.name, one.file?.data?.id ?? null];

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- looks into answers of every form
const sharedOf = ({ n, price, meta, pic, gallery, c, cs, zone }: any): object => ({
  n,
  price,
  meta,
  pic: pic.data?.id ?? null,
  gallery: (gallery.data ?? []).map(({ id }: { id: number }) => id),
  c: c === null ? null : part(c),
  cs: cs.map(part),
  zone: zone.map(part),
});

describe('shared values of a new localization', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents: { i18n_locales: locales, files } });
  });
  after(() => serving.stop());

  const ok = (method: string, path: string, body?: unknown) => expectOk(serving, method, path, body);
  const read = async (id: number): Promise<Entry> =>
    (
      await ok(
        'GET',
        `/api/items/${String(id)}?populate[c][populate]=*&populate[cs][populate]=*&populate[zone][populate]=*&populate[pic]=true&populate[gallery]=true&populate[own]=true`,
      )
    ).data;
  const start = async (): Promise<number> => {
    const { data } = await ok('POST', '/api/items', {
      data: { title: 'en', own: { name: 'mine' }, ...held, cs: [{ name: 'x' }, { name: 'y' }] },
    });
    return data.id;
  };
  const mutate = async (query: string): Promise<number> => {
    const { data, errors } = await ok('POST', '/graphql', { query });
    expect(errors, JSON.stringify(errors)).to.equal(undefined);
    return Number(data.made.data.id);
  };

  /** Ways to create a localization of an entry. `given` are shared values in the body. */
  const ways: Readonly<Record<string, (id: number, given: object) => Promise<number>>> = {
    'its route': async (id, given) =>
      (await ok('POST', `/api/items/${String(id)}/localizations`, { locale: 'fr', title: 'fr', ...given })).id,
    ...Object.fromEntries(
      [
        '',
        '?populate=*',
        '?populate=localizations',
        '?populate[0]=c&populate[1]=localizations&fields=title',
        '?fields=title&locale=de',
        '?populate=deep',
      ].map((query) => [
        `a create${query}`,
        async (id: number, given: object) =>
          (await ok('POST', `/api/items${query}`, { data: { locale: 'fr', title: 'fr', localizations: [id], ...given } })).data
            .id as number,
      ]),
    ),
    'a create that connects': async (id, given) =>
      (await ok('POST', '/api/items?populate=*', { data: { locale: 'fr', localizations: { connect: [{ id }] }, ...given } })).data
        .id,
  };

  for (const [way, localize] of Object.entries(ways)) {
    it(`${way}: those that the body leaves out come from the group`, async () => {
      const id = await start();
      const made = await read(await localize(id, {}));
      expect(sharedOf(made.attributes)).to.deep.equal(original);
      expect(made.attributes).to.deep.include({ own: null, locale: 'fr' });
      const source = await read(id);
      expect(sharedOf(source.attributes)).to.deep.equal(original);
      // eslint-disable-next-line @typescript-eslint/no-explicit-any -- looks into answers of every form
      const partIds = ({ attributes: { c, cs, zone } }: any): unknown[] => [
        c.id,
        ...[...cs, ...zone].map(({ id: one }: { id: number }) => one),
      ];
      expect(partIds(made)).to.not.have.members(partIds(source));
      expect(new Set([...partIds(made), ...partIds(source)])).to.have.property('size', 8);
    });

    it(`${way}: those in the body reach the other locales`, async () => {
      const id = await start();
      const german = (await ok('POST', `/api/items/${String(id)}/localizations`, { locale: 'de', title: 'de' })).id as number;
      const given = {
        n: 6,
        meta: null,
        pic: 3,
        gallery: [],
        c: { name: 'new', file: 1 },
        cs: [{ name: 'w', code: `w${String(id)}` }],
      };
      const made = await localize(id, given);
      const now = { ...original, n: 6, meta: null, pic: 3, gallery: [], c: ['new', 1], cs: [['w', null]] };
      for (const one of [made, id, german]) expect(sharedOf((await read(one)).attributes)).to.deep.equal(now);
    });
  }

  it('at once for one locale: all but one learn that the locale is used, not that a shared value is', async () => {
    const { data } = await ok('POST', '/api/items', { data: { title: 'en', ...held, cs: [{ name: 'x', code: 'once' }] } });
    const path = `/api/items/${String(data.id)}/localizations`;
    for (const locale of ['fr', 'de']) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => serving.call('POST', path, { locale, title: locale })));
      const messages = answers.map(({ body }) => body.error?.message as string | undefined).filter((text) => text !== undefined);
      expect(messages).to.deep.equal(Array(3).fill('locale is already used'));
    }
  });

  it('its route takes files: those of shared attributes reach the other locales', async () => {
    const id = await start();
    const form = new FormData();
    form.append('data', JSON.stringify({ locale: 'fr', title: 'fr', own: { name: 'ours' } }));
    for (const field of ['files.pic', 'files.own.file', 'files.cs[1].file'])
      form.append(field, new Blob([field]), `${field}.txt`);
    const response = await fetch(`${serving.server.url}/api/items/${String(id)}/localizations`, { method: 'POST', body: form });
    const body = (await response.json()) as { id: number; locale: string; localizations: readonly { id: number }[] };
    expect([response.status, body.locale, body.localizations.map((one) => one.id)]).to.deep.equal([200, 'fr', [id]]);
    const named = async (one: number): Promise<unknown[]> => {
      const query = 'populate[pic]=true&populate[own][populate]=file&populate[cs][populate]=file';
      const { pic, own, cs } = (await ok('GET', `/api/items/${String(one)}?${query}`)).data.attributes;
      return [pic, own.file, cs[1].file].map(({ data }) => data?.attributes.name ?? null);
    };
    expect(await named(body.id)).to.deep.equal(['files.pic.txt', 'files.own.file.txt', 'files.cs[1].file.txt']);
    expect(await named(id)).to.deep.equal(['files.pic.txt', null, 'files.cs[1].file.txt']);
  });

  it('the GraphQL mutation takes them too, and copies those in its data', async () => {
    const id = await start();
    const made = await mutate(
      `mutation { made: createItemLocalization(id: ${String(id)}, locale: "fr", data: { title: "fr" }) { data { id } } }`,
    );
    expect(sharedOf((await read(made)).attributes)).to.deep.equal(original);
    await mutate(
      `mutation { made: createItemLocalization(id: ${String(made)}, locale: "de", data: { n: 9, pic: null, zone: [] }) { data { id } } }`,
    );
    for (const one of [id, made])
      expect(sharedOf((await read(one)).attributes)).to.deep.equal({ ...original, n: 9, pic: null, zone: [] });
  });

  it('an update copies each kind of value to all locales, whatever it populates', async () => {
    const id = await start();
    const french = (await ok('POST', `/api/items/${String(id)}/localizations`, { locale: 'fr', title: 'fr' })).id as number;
    await ok('PUT', `/api/items/${String(french)}?fields=title&populate=own`, {
      data: { pic: null, gallery: [1], cs: [], zone: [] },
    });
    const now = { ...original, pic: null, gallery: [1], cs: [], zone: [] };
    for (const one of [id, french]) expect(sharedOf((await read(one)).attributes)).to.deep.equal(now);
  });

  it('a file lists all locales that have it', async () => {
    const id = await start();
    const french = (await ok('POST', `/api/items/${String(id)}/localizations`, { locale: 'fr', title: 'fr' })).id as number;
    const { related } = await ok('GET', '/api/upload/files/3?populate=related');
    const ids = related.map((one: { id: number }) => one.id);
    expect(ids.slice(-2)).to.deep.equal([id, french]);
  });

  it('an update lists locales of other programs in the order of a read', async () => {
    const items = serving.database.db.collection<{ _id: number }>('items');
    const codes = ['en', 'fr', 'de', 'es'];
    const rows = codes.map((locale, index) => ({
      _id: 901 + index,
      _group: 901,
      locale,
      n: 1,
      c: { id: index + 1 },
      publishedAt: at,
    }));
    for (const count of [3, 4])
      for (const { _id: id } of rows.slice(0, count)) {
        await items.deleteMany({ _group: 901 });
        await items.insertMany(rows.slice(0, count));
        const query = `/api/items/${String(id)}?populate=localizations`;
        const read = (await ok('GET', query)).data.attributes.localizations;
        const changed = (await ok('PUT', query, { data: { n: 2 } })).data.attributes.localizations;
        const idsOf = ({ data }: { data: { id: number }[] }): number[] => data.map((one) => one.id);
        expect(idsOf(changed), `${String(id)} of ${String(count)}`).to.deep.equal(idsOf(read));
      }
  });
});
