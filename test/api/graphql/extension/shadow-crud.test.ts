import { expect } from 'chai';
import { pino } from 'pino';
import { isObjectType, isUnionType, printSchema, type GraphQLSchema } from 'graphql';
import { createConfig } from '#settings/create-config.js';
import { createExtension } from '#api/graphql/extension/create-extension.js';
import type { ExtensionService } from '#api/graphql/extension/extension.js';
import { buildSchema } from '#api/graphql/endpoint/build-schema.js';
import { noObserver } from '#base/observe/observer.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { models } from '../content.js';
import { withPlugins } from '../services.js';
import { serveExtended } from './serve-extended.js';

const { registry } = buildRegistry(models);
const create = () =>
  createExtension({
    config: createConfig({}),
    logger: pino({ level: 'silent' }),
    observer: noObserver,
    content: () => expect.fail('no content here'),
  });

const generate = (change: (extension: ExtensionService) => unknown): Promise<GraphQLSchema> => {
  const extension = create();
  change(extension.input.graphql.extension);
  return buildSchema(registry, { ...extension.schemaOptions(registry), ...withPlugins });
};

const article = 'api::article.article';

/** Lines `Type.field` of types and fields, and `Type` of types. */
function namesIn(schema: GraphQLSchema): Set<string> {
  const names = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    names.add(type.name);
    if ('getFields' in type) for (const name of Object.keys(type.getFields())) names.add(`${type.name}.${name}`);
    if (isUnionType(type)) for (const member of type.getTypes()) names.add(`${type.name}|${member.name}`);
    if (isObjectType(type) && type.name === 'Mutation') names.add('Mutation');
  }
  return names;
}

/** Calls, the parts that they remove, and the parts that remain. */
const effects: readonly (readonly [string, (extension: ExtensionService) => unknown, readonly string[], readonly string[]])[] = [
  [
    'disable()',
    (e) => e.shadowCRUD(article).disable(),
    [
      ...['Article', 'ArticleEntity', 'ArticleInput', 'ArticleFiltersInput', 'Query.article', 'Query.articles'],
      ...['Mutation.createArticle', 'Mutation.updateArticle', 'Mutation.deleteArticle'],
      ...['Author.articles', 'AuthorInput.articles', 'AuthorFiltersInput.articles', 'GenericMorph|Article'],
    ],
    ['Author', 'Author.name', 'Query.authors', 'Mutation.createAuthor'],
  ],
  [
    'disable() of a component',
    (e) => e.shadowCRUD('shared.seo').disable(),
    ['ComponentSharedSeo', 'ComponentSharedSeoInput', 'Article.seo', 'ArticleInput.seo', 'ArticleFiltersInput.seo'],
    ['Article.title', 'ComponentPageSection'],
  ],
  [
    'disable() of files',
    (e) => e.shadowCRUD('plugin::upload.file').disable(),
    ['UploadFile', 'Article.cover', 'Article.gallery', 'ArticleInput.cover', 'Mutation.upload', 'Query.uploadFiles'],
    ['Article.title'],
  ],
  [
    'disableQueries()',
    (e) => e.shadowCRUD(article).disableQueries(),
    ['Query.article', 'Query.articles'],
    ['Mutation.createArticle', 'Author.articles', 'Article'],
  ],
  [
    'disableMutations()',
    (e) => e.shadowCRUD(article).disableMutations(),
    ['Mutation.createArticle', 'Mutation.updateArticle', 'Mutation.deleteArticle'],
    ['Query.article', 'Query.articles'],
  ],
  [
    'disableMutations() of a localized type',
    (e) => e.shadowCRUD('api::page.page').disableMutations(),
    ['Mutation.createPage', 'Mutation.updatePage', 'Mutation.deletePage'],
    ['Mutation.createPageLocalization'],
  ],
  ...(['find', 'findOne', 'create', 'update', 'delete'] as const).map((action) => {
    const fields: Readonly<Record<string, string>> = {
      find: 'Query.articles',
      findOne: 'Query.article',
      create: 'Mutation.createArticle',
      update: 'Mutation.updateArticle',
      delete: 'Mutation.deleteArticle',
    };
    const { [action]: gone = '', ...others } = fields;
    const change = (e: ExtensionService) => e.shadowCRUD(article).disableAction(action);
    return [`disableAction('${action}')`, change, [gone], Object.values(others)] as const;
  }),
  [
    "disableAction('find') of a single type",
    (e) => e.shadowCRUD('api::homepage.homepage').disableAction('find'),
    ['Query.homepage'],
    ['Mutation.updateHomepage', 'Mutation.deleteHomepage'],
  ],
  [
    "disableActions(['find', 'delete'])",
    (e) => e.shadowCRUD(article).disableActions(['find', 'delete']),
    ['Query.articles', 'Mutation.deleteArticle'],
    ['Query.article', 'Mutation.createArticle'],
  ],
  [
    "disableActions(['*'])",
    (e) => e.shadowCRUD(article).disableActions(['*']),
    ['Query.article', 'Query.articles', 'Mutation.createArticle', 'Mutation.updateArticle', 'Mutation.deleteArticle'],
    ['Author.articles'],
  ],
  [
    'field().disable()',
    (e) => e.shadowCRUD(article).field('views').disable(),
    ['Article.views', 'ArticleInput.views', 'ArticleFiltersInput.views'],
    ['Article.title'],
  ],
  [
    'field().disableOutput()',
    (e) => e.shadowCRUD(article).field('views').disableOutput(),
    ['Article.views'],
    ['ArticleInput.views', 'ArticleFiltersInput.views'],
  ],
  [
    'field().disableInput()',
    (e) => e.shadowCRUD(article).field('views').disableInput(),
    ['ArticleInput.views'],
    ['Article.views', 'ArticleFiltersInput.views'],
  ],
  [
    'field().disableFilters()',
    (e) => e.shadowCRUD(article).field('views').disableFilters(),
    ['ArticleFiltersInput.views'],
    ['Article.views', 'ArticleInput.views'],
  ],
  [
    "field('author').disableOutput(), a relation",
    (e) => e.shadowCRUD(article).field('author').disableOutput(),
    ['Article.author'],
    ['ArticleInput.author', 'Author'],
  ],
  [
    "field('id').disable() of a component",
    (e) => e.shadowCRUD('shared.seo').field('id').disable(),
    ['ComponentSharedSeo.id', 'ComponentSharedSeoInput.id'],
    ['ComponentSharedSeo.metaTitle'],
  ],
  [
    "field('id') and field('createdAt') of a content type",
    (e) => {
      e.shadowCRUD(article).field('id').disableFilters();
      e.shadowCRUD(article).field('createdAt').disableOutput();
    },
    ['ArticleFiltersInput.id', 'Article.createdAt'],
    ['ArticleEntity.id', 'ArticleFiltersInput.createdAt', 'Article.updatedAt'],
  ],
];

describe('shadow CRUD', () => {
  let whole: Set<string>;
  before(async () => {
    whole = namesIn(await generate(() => undefined));
  });

  for (const [title, change, gone, kept] of effects)
    it(`${title} takes away ${gone.join(', ')}`, async () => {
      const names = namesIn(await generate(change));
      for (const name of [...gone, ...kept]) expect(whole, `${name} without it`).to.include(name);
      for (const name of gone) expect(names, name).not.to.include(name);
      for (const name of kept) expect(names, name).to.include(name);
    });

  it('returns the disabled parts of a content type, each flag by itself', () => {
    const control = create().input.graphql.extension.shadowCRUD(article);
    const state = () => [
      ...[control.isEnabled(), control.isDisabled(), control.areQueriesEnabled(), control.areQueriesDisabled()],
      ...[control.areMutationsEnabled(), control.areMutationsDisabled()],
      ...[control.isActionEnabled('find'), control.isActionDisabled('find'), control.isActionEnabled('update')],
    ];
    expect(state()).to.deep.equal([true, false, true, false, true, false, true, false, true]);
    control.disableQueries();
    expect(state()).to.deep.equal([true, false, false, true, true, false, true, false, true]);
    control.disableMutations();
    expect(state()).to.deep.equal([true, false, false, true, false, true, true, false, true]);
    control.disableAction('find');
    expect(state()).to.deep.equal([true, false, false, true, false, true, false, true, true]);
    control.disable();
    expect(state()).to.deep.equal([false, true, false, true, false, true, false, true, true]);
    control.disableActions(['*']);
    expect(control.isActionEnabled('update')).to.equal(false);
  });

  it('returns the disabled parts of a field', () => {
    const { extension } = create().input.graphql;
    const field = (name: string) => extension.shadowCRUD(article).field(name);
    const state = (name: string) => [
      ...[field(name).isEnabled(), field(name).isDisabled(), field(name).hasInputEnabled(), field(name).hasOutputEnabled()],
      ...[field(name).hasFiltersEnabled(), field(name).hasFiltersEnabeld()],
    ];
    expect(state('title')).to.deep.equal([true, false, true, true, true, true]);
    field('title').disableOutput();
    expect(state('title')).to.deep.equal([true, false, true, false, true, true]);
    field('title').disableInput();
    expect(state('title')).to.deep.equal([true, false, false, false, true, true]);
    field('title').disableFilters();
    expect(state('title')).to.deep.equal([true, false, false, false, false, false]);
    field('views').disable();
    expect(state('views')).to.deep.equal([false, true, false, false, false, false]);
    expect(state('slug')[0]).to.equal(true);
  });

  it('returns the parts that the service itself disables', () => {
    const { extension } = create().input.graphql;
    expect(extension.shadowCRUD('plugin::users-permissions.permission').areQueriesEnabled()).to.equal(false);
    expect(extension.shadowCRUD('plugin::users-permissions.user').isActionEnabled('create')).to.equal(false);
  });

  const mistakes: readonly (readonly [(extension: ExtensionService) => unknown, string | null])[] = [
    [
      (e) => e.shadowCRUD('api::artcle.article').disable(),
      'shadowCRUD: unknown content type or component "api::artcle.article"; did you mean api::article.article?',
    ],
    [
      (e) => e.shadowCRUD(article).field('titel').disable(),
      `shadowCRUD: unknown field "titel" of ${article}; did you mean title?`,
    ],
    [(e) => e.shadowCRUD(article).disableAction('fnd'), `shadowCRUD: unknown action "fnd" of ${article}; did you mean find?`],
    [(e) => e.shadowCRUD(article).disableActions(['find', 'remove']), `shadowCRUD: unknown action "remove" of ${article}`],
    [(e) => e.shadowCRUD(article).disableActions(['*']), null],
    [(e) => e.shadowCRUD('admin::user').disable(), null],
  ];
  for (const [change, message] of mistakes)
    it(`warns: ${message ?? 'nothing'}`, async () => {
      const server = await serveExtended({ register: ({ graphql }) => change(graphql.extension) });
      try {
        expect(server.reported).to.deep.equal([]);
        expect(server.lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).to.deep.equal(
          message === null ? [] : [message],
        );
        expect((await server.query('{ __typename }')).status).to.equal(200);
      } finally {
        await server.stop();
      }
    });

  it('an unknown action that is disabled stays disabled', () => {
    const control = create().input.graphql.extension.shadowCRUD(article);
    expect(control.disableAction('count').isActionEnabled('count')).to.equal(false);
    expect(control.isActionEnabled('find')).to.equal(true);
  });

  it('the schema is the same with an extension that adds nothing', async () => {
    const plain = await generate(() => undefined);
    const extended = await generate((e) => e.use({}).use(() => ({})));
    const lines = (schema: GraphQLSchema) => printSchema(schema).split('\n').sort();
    expect(lines(extended)).to.deep.equal(lines(plain));
  });
});
