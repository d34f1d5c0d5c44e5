import { expect } from 'chai';
import { GraphQLSchema, parse, printSchema, validate, validateSchema } from 'graphql';
import { hasParts, partsOf } from '#api/graphql/endpoint/document-parts.js';
import { buildSchema } from '#api/graphql/endpoint/build-schema.js';
import { buildRegistry, type RegistryBuild } from '#model/schema/build-registry.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import type { Model } from '#model/schema/model.js';
import { models as conformanceModels } from './content.js';
import { withPlugins } from './services.js';

type Models = readonly Model[];

const models = conformanceModels as Models;

const change = (uid: string, attributes: Model['attributes']) => (all: Models) =>
  all.map((model) => (model.uid === uid ? { ...model, attributes: { ...model.attributes, ...attributes } } : model));
const without = (uid: string, name: string) => (all: Models) =>
  all.map((model) => {
    const attributes = Object.entries(model.attributes).filter(([other]) => model.uid !== uid || other !== name);
    return { ...model, attributes: Object.fromEntries(attributes) };
  });

const ship: Model = {
  uid: 'api::ship.ship',
  kind: 'collectionType',
  info: { singularName: 'ship', pluralName: 'ships', displayName: 'Ship' },
  attributes: {
    name: { type: 'string' },
    photo: { type: 'media' },
    home: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
  },
};
const sail: Model = { uid: 'parts.sail', info: { displayName: 'Sail' }, attributes: { area: { type: 'decimal' } } };

/** Changes of models, and the types that are rebuilt or reused. */
const changes: readonly {
  readonly what: string;
  readonly apply: (all: Models) => Models;
  readonly anew: readonly string[];
  readonly kept: readonly string[];
}[] = [
  {
    what: 'nothing',
    apply: (all) => all,
    anew: ['Query'],
    kept: ['Article', 'UploadFile', 'GenericMorph', 'AuthorFiltersInput'],
  },
  { what: 'a new type', apply: (all) => [...all, ship], anew: [], kept: ['Article', 'AuthorEntityResponse', 'UploadFile'] },
  { what: 'a new component', apply: (all) => [...all, sail], anew: [], kept: ['Article', 'UploadFileEntity'] },
  {
    what: 'another attribute',
    apply: change('api::tag.tag', { shade: { type: 'string' } }),
    anew: ['Tag', 'TagInput', 'Article', 'ArticleFiltersInput'],
    kept: ['Banner', 'UploadFile'],
  },
  {
    what: 'an attribute less',
    apply: without('api::author.author', 'age'),
    anew: ['Author', 'Article', 'ArticleEntityResponseCollection'],
    kept: ['Banner'],
  },
  {
    what: 'other values of an enumeration',
    apply: change('api::article.article', { status: { type: 'enumeration', enum: ['new', 'old'] } }),
    anew: ['ENUM_ARTICLE_STATUS', 'ArticleInput'],
    kept: ['UploadFile'],
  },
  {
    what: 'a component that a component holds',
    apply: change('shared.link', { title: { type: 'string' } }),
    anew: ['ComponentSharedLink', 'Article'],
    kept: ['UploadFile'],
  },
  {
    what: 'a type less',
    apply: (all) => without('api::article.article', 'dossier')(all).filter(({ uid }) => uid !== 'api::vault.vault'),
    anew: ['Article'],
    kept: ['UploadFile'],
  },
];

const rootsOf = (schema: GraphQLSchema) => ({ query: schema.getQueryType(), mutation: schema.getMutationType() });

describe('types of the previous schema', () => {
  const build = async (build: RegistryBuild, previous?: GraphQLSchema) =>
    buildSchema(build.registry, { ...withPlugins, previous });

  for (const { what, apply, anew, kept } of changes)
    it(`are reused as far as possible: ${what}`, async () => {
      const before = buildRegistry(models);
      const first = await build(before);
      const after = buildRegistry(apply(models), defaultModelSettings, before);
      expect([...after.problems]).to.deep.equal([]);
      const next = await build(after, first);
      expect(printSchema(next)).to.equal(printSchema(await build(after)));
      const checked = new GraphQLSchema({ ...rootsOf(next), directives: next.getDirectives() });
      expect(validateSchema(checked)).to.deep.equal([]);
      expect(Object.entries(next.getTypeMap())).to.deep.equal(Object.entries(checked.getTypeMap()));
      for (const name of Object.keys({ ...first.getTypeMap(), ...checked.getTypeMap() }))
        expect(next.getType(name), name).to.equal(checked.getType(name));
      for (const name of anew) expect(next.getType(name), name).not.to.equal(first.getType(name));
      for (const name of kept) expect(next.getType(name), name).to.equal(first.getType(name)).and.not.to.equal(undefined);
    });

  const documents = {
    articles: '{ articles { data { attributes { tags { data { id } } } } } }',
    files: '{ uploadFiles { data { attributes { related { __typename ... on Banner { __typename } } } } } }',
    banner: 'query ($id: ID) { ...found } fragment found on Query { banner { data { id } } uploadFile(id: $id) { data { id } } }',
    write: 'mutation ($data: TagInput!) { createTag(data: $data) { data { id } } }',
    introspection: '{ __schema { types { name } } __typename }',
  } as const;
  const all = Object.keys(documents);
  const allButArticles = all.filter((name) => name !== 'articles');

  const stillValid: Readonly<Record<string, readonly string[]>> = {
    nothing: all,
    'a new type': all,
    'a new component': all,
    'another attribute': ['files', 'banner', 'introspection'],
    'an attribute less': allButArticles,
    'other values of an enumeration': allButArticles,
    'a component that a component holds': allButArticles,
    'a type less': allButArticles,
  };

  for (const { what, apply } of changes)
    it(`leave documents valid that name no other: ${what}`, async () => {
      const before = buildRegistry(models);
      const first = await build(before);
      const next = await build(buildRegistry(apply(models), defaultModelSettings, before), first);
      const held = Object.entries(documents).filter(([, text]) => {
        expect(validate(first, parse(text))).to.deep.equal([]);
        return hasParts(next, partsOf(parse(text), first));
      });
      for (const [name, text] of held) expect(validate(next, parse(text)), name).to.deep.equal([]);
      expect(held.map(([name]) => name)).to.deep.equal(stillValid[what]);
    });

  it('leave the root fields of other types as they are', async () => {
    const before = buildRegistry(models);
    const first = await buildSchema(before.registry);
    const after = buildRegistry([...models, ship], defaultModelSettings, before);
    const next = await buildSchema(after.registry, { previous: first });
    const fieldsOf = (schema: GraphQLSchema) =>
      [schema.getQueryType(), schema.getMutationType()].flatMap((type) => Object.values(type?.getFields() ?? {}));
    const known = new Set(fieldsOf(first).map(({ resolve }) => resolve));
    const made = fieldsOf(next).filter(({ resolve }) => !known.has(resolve));
    expect(made.map(({ name }) => name)).to.have.members(['ship', 'ships', 'createShip', 'updateShip', 'deleteShip']);
  });

  it('are the same after any number of changes', async () => {
    let registry = buildRegistry(models);
    let schema = await build(registry);
    let current: Models = models;
    for (const { apply } of [...changes, ...changes.slice(3)]) {
      current = apply(current);
      registry = buildRegistry(current, defaultModelSettings, registry);
      schema = await build(registry, schema);
    }
    expect(printSchema(schema)).to.equal(printSchema(await build(registry)));
  });
});
