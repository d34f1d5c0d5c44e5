import { expect } from 'chai';
import { printSchema } from 'graphql';
import { buildSchema } from '#api/graphql/endpoint/build-schema.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { draftsOption } from '#model/schema/drafts-beside.js';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';

const models = (options: object) => [
  collectionType('page', { title: { type: 'string', required: true } }, { options: { draftAndPublish: true, ...options } }),
  {
    ...collectionType('home', { title: { type: 'string' } }, { options: { draftAndPublish: true, ...options } }),
    kind: 'singleType',
  },
  collectionType('note', { title: { type: 'string' } }, { options: { draftAndPublish: true } }),
];

describe('a draft beside the published entry over GraphQL', () => {
  let serving: Serving;
  before(async () => {
    const localized = { pluginOptions: { i18n: { localized: true } } };
    const inLocales = { pluginOptions: { i18n: { localized: true } }, options: { draftAndPublish: true, drafts: 'beside' } };
    const spot = { ...collectionType('spot', { title: { type: 'string', ...localized } }, inLocales), kind: 'singleType' };
    const i18n_locales = ['en', 'fr', 'de'].map((code, index) => ({ _id: index + 1, code, name: code }));
    serving = await serveModels({ models: [...models({ drafts: 'beside' }), spot], documents: { i18n_locales } });
  });
  after(() => serving.stop());

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  const graphql = async (query: string, variables: object = {}): Promise<any> =>
    (await serving.call('POST', '/graphql', { query, variables })).body;
  const create = async (title: string): Promise<string> =>
    (await graphql('mutation($t: String) { createPage(data: { title: $t }, status: PUBLISHED) { data { id } } }', { t: title }))
      .data.createPage.data.id as string;
  const update = (id: string, data: object, status: string | null) =>
    graphql(
      `
        mutation ($id: ID!, $data: PageInput!, $status: PublicationStatus) {
          updatePage(id: $id, data: $data, status: $status) {
            data {
              id
              attributes {
                title
                publishedAt
              }
            }
          }
        }
      `,
      { id, data, status },
    );
  const titles = async (id: string): Promise<unknown> => {
    const one = (state: string) => `page(id: $id, publicationState: ${state}) { data { attributes { title } } }`;
    const list = (state: string) =>
      `pages(filters: { id: { eq: $id } }, publicationState: ${state}) { data { attributes { title } } }`;
    const { data, errors } = await graphql(
      `query($id: ID) { plain: page(id: $id) { data { attributes { title } } }
        live: ${one('LIVE')} draft: ${one('PREVIEW')} lives: ${list('LIVE')} drafts: ${list('PREVIEW')} }`,
      { id },
    );
    expect(errors).to.equal(undefined);
    const shown = (answer: { data: unknown }) => [answer.data].flat().map((entry) => (entry as never)['attributes']['title']);
    return ['plain', 'live', 'lives', 'draft', 'drafts'].flatMap((name) => shown(data[name]));
  };

  it('is saved by the status DRAFT, and changed, published and shown as over REST', async () => {
    const id = await create('live');
    const saved = await update(id, { title: 'draft' }, 'DRAFT');
    expect(saved.errors).to.equal(undefined);
    expect(saved.data.updatePage.data).to.deep.include({ id });
    expect(saved.data.updatePage.data.attributes.title).to.equal('draft');
    expect(await titles(id)).to.eql(['live', 'live', 'live', 'draft', 'draft']);
    const refused = await update(id, { title: 'other' }, null);
    expect([refused.errors[0].extensions.error.name, refused.data.updatePage]).to.eql(['ConflictError', null]);
    expect((await update(id, { title: 'newer' }, 'PUBLISHED')).errors).to.equal(undefined);
    expect(await titles(id)).to.eql(['newer', 'newer', 'newer', 'draft', 'draft']);
    const dated = await update(id, { publishedAt: new Date().toISOString() }, 'DRAFT');
    expect(dated.errors[0].extensions.error.details.errors[0].path).to.eql(['publishedAt']);
    const published = await update(id, { publishedAt: new Date().toISOString() }, null);
    expect(published.data.updatePage.data.attributes.title).to.equal('draft');
    expect(await titles(id)).to.eql(['draft', 'draft', 'draft', 'draft', 'draft']);
    const unpublished = await update(id, { publishedAt: null }, null);
    expect(unpublished.data.updatePage.data.attributes.publishedAt).to.equal(null);
  });

  it('is what a create makes, unless the status says PUBLISHED', async () => {
    const publishedAt = async (args: string): Promise<unknown> => {
      const { data, errors } = await graphql(
        `mutation { createPage(data: { title: "new" }${args}) { data { attributes { publishedAt } } } }`,
      );
      expect(errors).to.equal(undefined);
      return data.createPage.data.attributes.publishedAt;
    };
    expect(await publishedAt('')).to.equal(null);
    expect(await publishedAt(', status: DRAFT')).to.equal(null);
    expect(await publishedAt(', status: PUBLISHED')).to.be.a('string');
    const dated =
      'mutation { createPage(data: { title: "new", publishedAt: "2026-01-01T00:00:00.000Z" }, status: DRAFT) { data { id } } }';
    expect((await graphql(dated)).errors[0].extensions.error.name).to.equal('ValidationError');
    const untitled = await graphql('mutation { createPage(data: {}, status: PUBLISHED) { data { id } } }');
    expect(untitled.errors[0].extensions.error.details.errors[0].path).to.eql(['title']);
  });

  it('is that of a single type too', async () => {
    const put = (title: string, status: string) =>
      graphql(`mutation { updateHome(data: { title: "${title}" }, status: ${status}) { data { attributes { title } } } }`);
    const home = async (state: string): Promise<unknown> =>
      (await graphql(`{ home(publicationState: ${state}) { data { attributes { title } } } }`)).data.home.data?.attributes.title;
    expect((await put('first', 'PUBLISHED')).errors).to.equal(undefined);
    expect((await put('second', 'DRAFT')).errors).to.equal(undefined);
    expect([await home('LIVE'), await home('PREVIEW')]).to.eql(['first', 'second']);
  });

  it('is made or not by the status of an update that makes a localization of a single type', async () => {
    const put = async (locale: string, args: string, data = ''): Promise<unknown> => {
      const mutation = `updateSpot(locale: "${locale}", data: { title: "t"${data} }${args}) { data { attributes { publishedAt } } }`;
      const { data: answer, errors } = await graphql(`mutation { ${mutation} }`);
      return errors?.[0].extensions.error.name ?? answer.updateSpot.data.attributes.publishedAt;
    };
    expect(await put('en', ', status: PUBLISHED')).to.be.a('string');
    const dated = ', publishedAt: "2026-01-01T00:00:00.000Z"';
    expect(await put('fr', ', status: DRAFT', dated)).to.equal('ValidationError');
    expect(await put('fr', ', status: PUBLISHED')).to.match(/^2/);
    expect(await put('de', ', status: DRAFT')).to.equal(null);
  });

  it('is in the schema of types with the option alone', async () => {
    const schema = async (options: object) => {
      const built = buildRegistry(models(options), { ...defaultModelSettings, options: [draftsOption] });
      return printSchema(await buildSchema(built.registry));
    };
    const [plain, beside] = [await schema({}), await schema({ drafts: 'beside' })];
    const added = beside.split('\n').filter((line) => !plain.split('\n').includes(line));
    expect(added.map((line) => line.trim())).to.eql([
      'page(id: ID, publicationState: PublicationState): PageEntityResponse',
      'createPage(data: PageInput!, status: PublicationStatus): PageEntityResponse',
      'updatePage(id: ID!, data: PageInput!, status: PublicationStatus): PageEntityResponse',
      'updateHome(data: HomeInput!, status: PublicationStatus): HomeEntityResponse',
      'enum PublicationStatus {',
      'DRAFT',
      'PUBLISHED',
    ]);
    const named = { ...collectionType('publication-status', {}), collectionName: 'others' };
    const conflicts = (options: object) =>
      JSON.stringify([
        ...buildRegistry([...models(options), named], { ...defaultModelSettings, options: [draftsOption] }).warnings,
      ]);
    expect(conflicts({})).to.not.contain('PublicationStatus');
    expect(conflicts({ drafts: 'beside' })).to.contain('type PublicationStatus is taken by the service itself');
  });
});
