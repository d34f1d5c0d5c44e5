import { expect } from 'chai';
import { isObjectType, printSchema } from 'graphql';
import { buildSchema } from '#api/graphql/endpoint/build-schema.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import { withPlugins } from './services.js';

/** Types with every kind of attribute, each related to the one before it. */
const manyModels = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const name = `kind${'abcdefghij'.charAt(index % 10)}-${String(index)}`;
    const previous = index === 0 ? name : `kind${'abcdefghij'.charAt((index - 1) % 10)}-${String(index - 1)}`;
    return {
      uid: `api::${name}.${name}`,
      kind: 'collectionType',
      collectionName: name.replace('-', '_'),
      info: { singularName: name, pluralName: `${name}-list`, displayName: name },
      options: { draftAndPublish: index % 2 === 0 },
      pluginOptions: { i18n: { localized: index % 3 === 0 } },
      attributes: {
        title: { type: 'string', required: true },
        slug: { type: 'uid', targetField: 'title' },
        body: { type: 'richtext' },
        views: { type: 'integer' },
        rating: { type: 'decimal' },
        featured: { type: 'boolean' },
        day: { type: 'date' },
        at: { type: 'datetime' },
        extra: { type: 'json' },
        status: { type: 'enumeration', enum: ['draft', 'done'] },
        cover: { type: 'media' },
        gallery: { type: 'media', multiple: true },
        before: { type: 'relation', relation: 'oneToOne', target: `api::${previous}.${previous}` },
        others: { type: 'relation', relation: 'manyToMany', target: `api::${previous}.${previous}` },
      },
    };
  });

describe('GraphQL schema of 500 content types', () => {
  const { registry } = buildRegistry(manyModels(500));
  const build = () => buildSchema(registry, withPlugins);

  it('has them all', async () => {
    const schema = await build();
    const query = schema.getQueryType();
    expect(isObjectType(query) && Object.keys(query.getFields()).length).to.be.greaterThan(1000);
    expect(schema.getType('Kinda490EntityResponseCollection')).not.to.equal(undefined);
  });

  it('makes the types of one that is added, and no other', async () => {
    const before = buildRegistry(manyModels(500));
    const first = await buildSchema(before.registry, withPlugins);
    const after = buildRegistry(manyModels(501), defaultModelSettings, before);
    const next = await buildSchema(after.registry, { ...withPlugins, previous: first });
    const made = Object.values(next.getTypeMap()).filter((type) => first.getType(type.name) !== type);
    expect(made.map(({ name }) => name.replace('Kinda500', ''))).to.have.members([
      ...['Query', 'Mutation', '', 'Entity', 'EntityResponse', 'EntityResponseCollection'],
      ...['FiltersInput', 'Input', 'ENUM_KINDA500_STATUS', 'Kindj499RelationResponseCollection'],
    ]);
  });

  it('has all types after many additions, and names none of them to a former schema', async () => {
    let before = buildRegistry(manyModels(20));
    let schema = await buildSchema(before.registry, withPlugins);
    const first = schema;
    for (let count = 21; count <= 90; count++) {
      before = buildRegistry(manyModels(count), defaultModelSettings, before);
      schema = await buildSchema(before.registry, { ...withPlugins, previous: schema });
    }
    expect(first.getType('Kinda20')).to.equal(undefined);
    for (const [name, type] of Object.entries(schema.getTypeMap())) expect(schema.getType(name), name).to.equal(type);
    expect(printSchema(schema)).to.equal(printSchema(await buildSchema(before.registry, withPlugins)));
  });

  it('is built in slices', async () => {
    // a clock that advances a millisecond each time it is read, so that the number of slices does not depend on the machine
    let milliseconds = 0;
    const clock = performance.now;
    performance.now = () => ++milliseconds;
    let turns = 0;
    let building = true;
    const count = () => {
      if (!building) return;
      turns++;
      setImmediate(count);
    };
    setImmediate(count);
    try {
      await build();
    } finally {
      building = false;
      performance.now = clock;
    }
    expect(turns).to.be.greaterThan(100);
  });
});
