import { expect } from 'chai';
import { findUnfitValues } from '#store/models/find-unfit.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { serveModels, storeModels, type Answer, type Serving, type ServingInput, type TestModel } from '../support/serve.js';

const i18n = (localized: boolean) => ({ pluginOptions: { i18n: { localized } } });
const shared = { type: 'string', unique: true } as const;

const part: TestModel = {
  uid: 'shop.part',
  info: { displayName: 'Part' },
  attributes: { code: shared, size: { type: 'integer' } },
};

const product: TestModel = {
  uid: 'api::product.product',
  kind: 'collectionType',
  collectionName: 'products',
  info: { singularName: 'product', pluralName: 'products', displayName: 'Product' },
  ...i18n(true),
  attributes: {
    title: { type: 'string', unique: true, ...i18n(true) },
    sku: shared,
    ean: { type: 'biginteger', unique: true },
    main: { type: 'component', component: 'shop.part' },
    parts: { type: 'component', component: 'shop.part', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shop.part'] },
    own: { type: 'component', component: 'shop.part', ...i18n(true) },
  },
};
const models = [part, product];
/** Has no other unique values. */
const plain = { ...product, attributes: { title: { type: 'string', ...i18n(true) }, sku: shared } } as const;
const locales = ['en', 'fr', 'de'].map((code, index) => ({ _id: index + 1, code, name: code }));

/** A request, its status, and the places of taken values. */
type Step = readonly [method: string, path: string, body: object | undefined, status: number, places?: readonly string[]];

const zoned = (code: string) => [{ __component: 'shop.part', code }];

/** Requests one after the other. `$1` is the id of the first entry that the steps create, and so on. */
const cases: Readonly<Record<string, readonly Step[]>> = {
  'another entry in another locale may not have the value, the translation has it': [
    ['POST', '', { data: { sku: 'a' } }, 200],
    ['POST', '', { data: { sku: 'a', locale: 'fr' } }, 400, ['sku']],
    ['POST', '', { data: { sku: 'a' } }, 400, ['sku']],
    ['POST', '/$1/localizations', { locale: 'fr', title: 'a fr' }, 200],
    ['POST', '/$2/localizations', { locale: 'de', sku: 'a' }, 200],
    ['PUT', '/$2', { data: { sku: 'a' } }, 200],
    ['POST', '?populate=*', { data: { sku: 'a', locale: 'fr' } }, 400, ['sku']],
  ],
  'the first entry is of another locale than the default one': [
    ['POST', '', { data: { sku: 'a', locale: 'de' } }, 200],
    ['POST', '', { data: { sku: 'a' } }, 400, ['sku']],
    ['POST', '', { data: { locale: 'en', localizations: ['$1'] } }, 200],
    ['POST', '', { data: { sku: 'a', locale: 'fr' } }, 400, ['sku']],
    ['POST', '', { data: { sku: 'a', locale: 'fr', localizations: ['$2'] } }, 200],
  ],
  'an update of any locale changes and frees the value': [
    ['POST', '', { data: { sku: 'a', ean: '1' } }, 200],
    ['POST', '/$1/localizations', { locale: 'fr' }, 200],
    ['PUT', '/$2', { data: { sku: 'b', ean: null } }, 200],
    ['POST', '', { data: { sku: 'b', ean: '1', locale: 'de' } }, 400, ['sku']],
    ['POST', '', { data: { sku: 'a', ean: '1', locale: 'de' } }, 200],
    ['PUT', '/$2', { data: { sku: 'a', ean: '1' } }, 400, ['sku', 'ean']],
    ['PUT', '/$3', { data: { sku: 'b' } }, 400, ['sku']],
    ['PUT', '/$1', { data: { sku: 'c' } }, 200],
    ['PUT', '/$3', { data: { sku: 'b' } }, 200],
  ],
  'a new localization whose own value is taken': [
    ['POST', '', { data: { sku: 'a' } }, 200],
    ['POST', '', { data: { sku: 'b' } }, 200],
    ['POST', '/$2/localizations', { locale: 'fr', sku: 'a' }, 400, ['sku']],
    ['POST', '/$2/localizations', { locale: 'fr', sku: 'c' }, 200],
    ['POST', '', { data: { sku: 'b', locale: 'de' } }, 200],
  ],
  'values inside components': [
    ['POST', '', { data: { main: { code: 'm' }, parts: [{ code: 'p' }, { code: 'q' }], zone: zoned('z') } }, 200],
    ['POST', '/$1/localizations', { locale: 'fr' }, 200],
    ['POST', '', { data: { main: { code: 'm' }, locale: 'de' } }, 400, ['main.code']],
    ['POST', '', { data: { parts: [{}, { code: 'q' }], zone: zoned('z'), locale: 'de' } }, 400, ['parts.1.code', 'zone.0.code']],
    ['POST', '', { data: { main: { code: 'q' }, parts: [{ code: 'm' }], locale: 'de' } }, 200],
    ['PUT', '/$2', { data: { parts: [{ code: 'r' }] } }, 200],
    ['POST', '', { data: { parts: [{ code: 'q' }], locale: 'fr' } }, 200],
    ['PUT', '/$3', { data: { parts: [{ code: 'r' }] } }, 400, ['parts.0.code']],
  ],
  'localized values are unique in their locale': [
    ['POST', '', { data: { title: 'a', own: { code: 'o' }, sku: 'a' } }, 200],
    ['POST', '/$1/localizations', { locale: 'fr', title: 'a', own: { code: 'o' } }, 200],
    ['POST', '', { data: { title: 'a', own: { code: 'o' }, locale: 'de' } }, 200],
    ['POST', '', { data: { title: 'a', own: { code: 'o' }, sku: 'a', locale: 'de' } }, 400, ['title', 'sku', 'own.code']],
    // the title is taken in another locale only
    ['PUT', '/$3', { data: { title: 'b', sku: 'a' } }, 400, ['sku']],
  ],
  'null is no value': [
    ['POST', '', { data: { sku: null } }, 200],
    ['POST', '', { data: { locale: 'fr' } }, 200],
    ['POST', '/$1/localizations', { locale: 'fr' }, 200],
    ['PUT', '/$1', { data: { sku: 'a' } }, 200],
    ['PUT', '/$2', { data: { sku: 'a' } }, 400, ['sku']],
  ],
  'the value is free when the last locale is deleted, not before': [
    ['POST', '', { data: { sku: 'a', parts: [{ code: 'p' }] } }, 200],
    ['POST', '/$1/localizations', { locale: 'fr' }, 200],
    ['POST', '/$1/localizations', { locale: 'de' }, 200],
    ['DELETE', '/$1', undefined, 200],
    ['POST', '', { data: { sku: 'a', parts: [{ code: 'p' }] } }, 400, ['sku', 'parts.0.code']],
    ['PUT', '/$3', { data: { sku: 'b' } }, 200],
    ['POST', '', { data: { sku: 'b' } }, 400, ['sku']],
    ['DELETE', '/$2', undefined, 200],
    ['POST', '', { data: { sku: 'b', parts: [{ code: 'p' }] } }, 400, ['sku', 'parts.0.code']],
    ['DELETE', '/$3', undefined, 200],
    ['POST', '', { data: { sku: 'b', parts: [{ code: 'p' }] } }, 200],
  ],
};

const placesIn = ({ body }: Answer): readonly string[] | undefined =>
  body?.error?.details.errors?.map(({ path }: { path: string[] }) => path.join('.'));

describe('unique values that all locales share', () => {
  let serving: Serving;
  before(async () => {
    serving = await serve({ models });
  });
  after(() => serving.stop());
  afterEach(async () => {
    await serving.database.db.collection('products').deleteMany({});
  });

  for (const [title, steps] of Object.entries(cases))
    it(title, async () => {
      const ids: number[] = [];
      const fill = (text: string): string => text.replaceAll(/\$(\d)/g, (_, place) => String(ids[Number(place) - 1]));
      for (const [method, path, body, status, places] of steps) {
        const filled: unknown = body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body)));
        const answer = await serving.call(method, `/api/products${fill(path)}`, filled);
        const step = JSON.stringify([method, path, body, answer.body]);
        expect([answer.status, placesIn(answer)], step).to.deep.equal([status, places]);
        if (method === 'POST' && status === 200) ids.push(answer.body.data?.id ?? answer.body.id);
      }
    });

  it('over GraphQL', async () => {
    const mutate = async (mutation: string) =>
      (await serving.call('POST', '/graphql', { query: `mutation { ${mutation} { data { id } } }` })).body;
    const { data } = await mutate('made: createProduct(data: { sku: "g" })');
    const taken = await mutate('createProduct(data: { sku: "g" }, locale: "fr")');
    expect(taken.errors[0].extensions.error.details.errors[0].path).to.deep.equal(['sku']);
    const localized = await mutate(`createProductLocalization(id: ${data.made.data.id as string}, locale: "fr", data: {})`);
    expect(localized.errors).to.equal(undefined);
  });

  it('after the locale of the first entry was deleted', async () => {
    const { data } = (await serving.call('POST', '/api/products', { data: { sku: 'l', locale: 'de' } })).body;
    await serving.call('POST', `/api/products/${String(data.id)}/localizations`, { locale: 'fr' });
    await serving.database.db.collection('products').updateOne({ locale: 'fr' }, { $set: { seen: true } });
    await serving.call('DELETE', `/api/products/${String(data.id)}`);
    expect((await serving.call('POST', '/api/products', { data: { sku: 'l' } })).status).to.equal(400);
  });
});

const serve = (input: ServingInput): Promise<Serving> =>
  serveModels({ ...input, documents: { i18n_locales: locales, ...input.documents } });

describe('unique values that all locales share, over two instances', () => {
  let database: FreshDatabase;
  let instances: readonly Serving[];
  before(async () => {
    database = await freshDatabase();
    instances = [await serve({ models, database }), await serveModels({ models: [], database })];
  });
  after(async () => {
    for (const instance of instances) await instance.stop();
    await database.drop();
  });
  const at = (place: number): Serving => instances[place % 2] as Serving; // there are two
  const holders = async (sku: string): Promise<number> =>
    (await database.db.collection('products').distinct('_group', { sku })).length;

  it('one of many concurrent creates in different locales succeeds', async () => {
    for (let round = 0; round < 8; round++) {
      const sku = `create ${String(round)}`;
      const creates = ['en', 'fr', 'de', 'en', 'fr', 'de'].map((locale, place) =>
        at(place).call('POST', '/api/products', { data: { sku, locale } }),
      );
      const statuses = (await Promise.all(creates)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).to.have.lengthOf(1);
      expect(statuses.filter((status) => status === 400)).to.have.lengthOf(5);
    }
  });

  it('no value is free while the entry that leads its group is deleted', async () => {
    for (let round = 0; round < 15; round++) {
      const sku = `delete ${String(round)}`;
      const { data } = (await at(0).call('POST', '/api/products', { data: { sku } })).body;
      const path = `/api/products/${String(data.id)}`;
      await at(0).call('POST', `${path}/localizations`, { locale: 'fr' });
      const [deleted, localized, ...others] = await Promise.all([
        at(0).call('DELETE', path),
        at(1).call('POST', `${path}/localizations`, { locale: 'de' }),
        ...[1, 2, 3].map((place) => at(place).call('POST', '/api/products', { data: { sku, locale: 'de' } })),
      ]);
      expect(deleted.status).to.equal(200);
      expect(localized.status).to.be.oneOf([200, 404]);
      expect(others.map(({ status }) => status)).to.deep.equal([400, 400, 400]);
      expect(await holders(sku)).to.equal(1);
      expect((await at(1).call('POST', '/api/products', { data: { sku } })).status).to.equal(400);
    }
  });

  it('updates of different groups to one value, through any locale', async () => {
    for (let round = 0; round < 8; round++) {
      const sku = `update ${String(round)}`;
      const ids: number[] = [];
      for (const name of ['x', 'y']) {
        const { data } = (await at(0).call('POST', '/api/products', { data: { sku: `${sku}${name}` } })).body;
        ids.push((await at(1).call('POST', `/api/products/${String(data.id)}/localizations`, { locale: 'fr' })).body.id, data.id);
      }
      const updates = [ids[0], ids[3]].map((id, place) =>
        at(place).call('PUT', `/api/products/${String(id)}`, { data: { sku } }),
      );
      const statuses = (await Promise.all(updates)).map(({ status }) => status);
      expect(statuses.sort()).to.deep.equal([200, 400]);
      expect(await holders(sku)).to.equal(1);
    }
  });
});

describe('unique values that all locales share, in a collection from before', () => {
  const stored = (_id: number, _group: number, locale: string, sku: string) => ({
    _id,
    _group,
    locale,
    sku,
    title: null,
    ean: null,
  });
  const pairs = [stored(1, 1, 'en', 'a'), stored(2, 1, 'fr', 'a'), stored(3, 3, 'fr', 'b'), stored(4, 3, 'de', 'b')];
  const problemsOf = async ({ database }: Serving): Promise<readonly string[]> => {
    const state = await database.db
      .collection<{ uid: string; indexProblems?: string[] }>('_model_status')
      .findOne({ uid: 'api::product.product' });
    return state?.indexProblems ?? [];
  };
  const create = async ({ call }: Serving, sku: string, locale: string): Promise<number> =>
    (await call('POST', '/api/products', { data: { sku, locale } })).status;

  it('are unique from the first start on', async () => {
    const serving = await serve({ models, documents: { products: pairs } });
    try {
      await serving.settled();
      expect(await problemsOf(serving)).to.deep.equal([]);
      for (const [sku, locale] of [
        ['a', 'de'],
        ['b', 'en'],
        ['b', 'de'],
      ] as const)
        expect(await create(serving, sku, locale)).to.equal(400);
      expect((await serving.call('POST', '/api/products/1/localizations', { locale: 'de' })).status).to.equal(200);
      expect((await serving.call('PUT', '/api/products/4', { data: { sku: 'c' } })).status).to.equal(200);
      expect(await create(serving, 'b', 'en')).to.equal(200);
    } finally {
      await serving.stop();
    }
  });

  it('are reported if groups share them already, and lose nothing', async () => {
    const serving = await serve({ models, documents: { products: [...pairs, stored(5, 5, 'en', 'b')] } });
    try {
      await serving.settled();
      expect(await problemsOf(serving)).to.deep.equal([
        'index mangrove_sku__leads_unique could not be built: stored entries share a value',
      ]);
      expect(await serving.database.db.collection('products').countDocuments()).to.equal(5);
      expect(await create(serving, 'b', 'fr')).to.equal(400); // the values of one locale are unique still
      expect((await serving.call('PUT', '/api/products/5', { data: { sku: 'd' } })).status).to.equal(200);
    } finally {
      await serving.stop();
    }
  });

  it('are counted by the validation of a model if groups share them', async () => {
    const documents = [...pairs, stored(5, 5, 'en', 'b'), stored(6, 6, 'en', 'c')];
    const serving = await serve({ models: [part], documents: { products: documents } });
    try {
      const { registry } = buildRegistry([plain]);
      const type = registry.types.get(plain.uid);
      if (type === undefined || serving.server.backend === null) throw new Error('there is a type and a database');
      const unfit = await findUnfitValues(
        type,
        { before: buildRegistry([]).registry, after: registry },
        serving.server.backend.store.database,
      );
      expect(unfit).to.deep.equal([{ uid: plain.uid, attribute: 'sku', rule: 'unique', count: 2, examples: [3, 5] }]);
    } finally {
      await serving.stop();
    }
  });

  for (const [title, former] of Object.entries({
    'that makes them unique': { ...plain, attributes: { ...plain.attributes, sku: { type: 'string' } } },
    'that shares them': { ...plain, attributes: { ...plain.attributes, sku: { ...shared, ...i18n(true) } } },
  }))
    it(`are unique after a change of the model ${title}`, async () => {
      const serving = await serve({ models: [former] });
      try {
        const { id } = (await serving.call('POST', '/api/products', { data: { sku: 'a' } })).body.data;
        const data = { locale: 'fr', sku: 'a' };
        expect((await serving.call('POST', `/api/products/${String(id)}/localizations`, data)).status).to.equal(200);
        await serving.call('DELETE', `/api/products/${String(id)}`);
        await storeModels(serving.database, [plain]);
        await serving.settled();
        expect(await create(serving, 'a', 'de')).to.equal(400);
        expect((await serving.call('POST', `/api/products/${String(id + 1)}/localizations`, { locale: 'de' })).status).to.equal(
          200,
        );
      } finally {
        await serving.stop();
      }
    });
});
