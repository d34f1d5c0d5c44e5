import { expect } from 'chai';
import { createLog, type Log } from '../../support/create-log.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

const type = (name: string, attributes: object = {}, info: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name, ...info },
  attributes: { title: { type: 'string' }, ...attributes },
});

/** Names of types that GraphQL has other uses for: its own, those of the service and plugins, and generated ones. */
const names = [
  ...[
    'query',
    'mutation',
    'error',
    'upload',
    'date',
    'time',
    'date-time',
    'me',
    'pagination',
    'float',
    'int',
    'boolean',
    'string',
  ],
  ...['long', 'generic-morph', 'publication-state', 'pagination-arg', 'response-collection-meta', 'string-filter-input'],
  ...[
    'file-info',
    'file-info-input',
    'i18n-locale',
    'upload-file',
    'users-permissions-user',
    'users-permissions-me',
    'i18-n-locale-code',
  ],
  ...['page-entity', 'page-entity-response', 'page-input', 'page-filters-input', 'page-relation-response-collection'],
  ...['component-shared-card', 'page-localization', 'page-blocks-dynamic-zone'],
];

const shown = type('page', {
  cards: { type: 'component', component: 'shared.card', repeatable: true },
  blocks: { type: 'dynamiczone', components: ['shared.card', 'shared.named'] },
  out: { type: 'relation', relation: 'oneToOne', target: 'api::query.query' },
  outs: { type: 'relation', relation: 'oneToMany', target: 'api::error.error' },
  any: { type: 'relation', relation: 'morphToMany', target: ['api::query.query', 'api::page.page'] },
  none: { type: 'relation', relation: 'morphToMany', target: ['api::query.query', 'api::error.error'] },
});

const models: readonly TestModel[] = [
  {
    uid: 'shared.card',
    info: {},
    attributes: {
      year: { type: 'enumeration', enum: ['2021', '2022'] },
      ratio: { type: 'enumeration', enum: ['16:9', '日本'], required: true },
      land: { type: 'enumeration', enum: ['日本', '中国'] },
      count: { type: 'enumeration', enum: [1, 2] },
    },
  },
  { uid: 'shared.named', info: {}, attributes: { kind: { type: 'enumeration', enum: ['a'], enumName: 'Error' } } },
  { ...shown, options: { draftAndPublish: false }, pluginOptions: { i18n: { localized: true } } },
  ...names.map((name) => type(name)),
];

describe('types whose names GraphQL has other uses for', () => {
  let serving: Serving;
  let log: Log;
  before(async () => {
    log = await createLog();
    serving = await serveModels({ models, logger: log.logger });
  });
  after(() => serving.stop());

  const ask = async (query: string) => (await serving.call('POST', '/graphql', { query })).body;

  for (const name of names)
    it(`${name} is served over REST and left out of GraphQL with a warning`, async () => {
      const { status, body } = await serving.call('POST', `/api/${name}s`, { data: { title: 'a' } });
      expect([status, body.data?.attributes.title]).to.deep.equal([200, 'a']);
      const uid = `api::${name}.${name}`;
      const lines = log.lines.filter(({ msg }) =>
        String(msg).startsWith(`model ${uid} is served differently from what is written: is left out`),
      );
      expect(lines).to.have.length(1);
    });

  it('leave the rest of the schema, without relations to them', async () => {
    const { data } = await ask('{ __type(name: "Page") { fields { name } } __schema { queryType { name } } }');
    const fields = data.__type.fields.map((field: { name: string }) => field.name);
    expect(fields).to.include.members(['title', 'cards', 'blocks', 'any']).and.not.include.members(['out', 'outs', 'none']);
    expect(fields).to.not.include('out').and.not.include('outs').and.not.include('none');
  });

  it('are left out of the answers of polymorphic relations and zones', async () => {
    const [{ body: query }] = await Promise.all([serving.call('GET', '/api/querys')]);
    const any = [{ __type: 'api::query.query', id: query.data[0].id }];
    const blocks = [
      { __component: 'shared.named', kind: 'a' },
      { __component: 'shared.card', ratio: '16:9' },
    ];
    const { body } = await serving.call('POST', '/api/pages', { data: { title: 'p', any, blocks, out: query.data[0].id } });
    const { data, errors } = await ask(
      `{ page(id: ${String(body.data.id)}) { data { attributes { any { __typename } blocks { __typename ... on ComponentSharedCard { ratio } } } } } }`,
    );
    expect(errors).to.equal(undefined);
    expect(data.page.data.attributes).to.deep.equal({
      any: [],
      blocks: [{ __typename: 'ComponentSharedCard', ratio: '_16_9' }],
    });
  });

  const items: readonly (readonly [item: string, ratio: string | null])[] = [
    ['{ __typename: "ComponentSharedCard", ratio: "16:9" }', '_16_9'],
    ['{ __component: "shared.card", ratio: "16:9" }', '_16_9'],
    ['{ __typename: "ComponentSharedCard", __component: "shared.card", ratio: "16:9" }', '_16_9'],
    ['{ __typename: "ComponentSharedCard", __component: "shared.named", ratio: "16:9" }', null],
    ['{ __component: "shared.named", kind: "a" }', null],
    ['{ __component: "no.such", ratio: "16:9" }', null],
    ['{ ratio: "16:9" }', null],
  ];
  for (const [item, ratio] of items)
    it(`have components in zones by ${item}`, async () => {
      const { data, errors } = await ask(
        `mutation { createPage(data: { blocks: [${item}] }) { data { attributes { blocks { ... on ComponentSharedCard { ratio } } } } } }`,
      );
      if (ratio !== null) expect(data.createPage.data.attributes.blocks).to.deep.equal([{ ratio }]);
      else expect(errors[0].message).to.contain('Component not found. expected one of: ComponentSharedCard');
    });

  it('have enumerations of components by made names; values without a name are null', async () => {
    const cards = [
      { year: '2021', ratio: '日本', land: '中国', count: 1 },
      { year: '2022', ratio: '16:9', count: '2' },
    ];
    const { body } = await serving.call('POST', '/api/pages?populate=cards', { data: { cards } });
    expect(body.data.attributes.cards.map((card: object) => ({ ...card, id: 0 }))).to.deep.equal([
      { id: 0, year: '2021', ratio: '日本', land: '中国', count: '1' },
      { id: 0, year: '2022', ratio: '16:9', land: null, count: '2' },
    ]);
    const { data } = await ask(`{ page(id: ${String(body.data.id)}) { data { attributes { cards { year ratio count } } } } }`);
    expect(data.page.data.attributes.cards).to.deep.equal([
      { year: '_2021', ratio: null, count: '_1' },
      { year: '_2022', ratio: '_16_9', count: '_2' },
    ]);
    const created = await ask(
      'mutation { createPage(data: { cards: [{ year: _2021, ratio: _16_9 }] }) { data { attributes { cards { year ratio } } } } }',
    );
    expect(created.data.createPage.data.attributes.cards).to.deep.equal([{ year: '_2021', ratio: '_16_9' }]);
    expect((await ask('{ __type(name: "ComponentSharedCard") { fields { name } } }')).data.__type.fields).to.not.deep.include({
      name: 'land',
    });
  });
});

describe('types whose names only GraphQL has other uses for', () => {
  it('have no warning without GraphQL', async () => {
    const log = await createLog();
    const config = { plugins: { graphql: { enabled: false } } };
    const serving = await serveModels({ models, config, logger: log.logger });
    expect((await serving.call('GET', '/api/querys')).status).to.equal(200);
    await serving.stop();
    expect(log.lines.filter(({ msg }) => String(msg).includes('GraphQL'))).to.deep.equal([]);
  });
});
