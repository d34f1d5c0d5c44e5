import { expect } from 'chai';
import { compileCondition } from '#store/read/compile-condition.js';
import { planIndexes } from '#store/read/plan-indexes.js';
import { bindFilter } from '#model/query/bind-filter.js';
import { defaultLimits } from '../support/default-limits.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { TestModel } from '../support/serve.js';
import { bindContext, typeOf } from '../support/things.js';

describe('mongo/read/compile-condition', () => {
  const thing = typeOf('api::thing.thing');

  /** Filters of things, and the query documents that they are compiled to. */
  const filters: readonly (readonly [filters: object, query: object])[] = [
    [{ count: 1 }, { count: { $eq: 1 } }],
    [{ count: { $ne: 1 } }, { count: { $ne: 1, $gte: -Infinity } }],
    [{ count: { $notIn: [1, 2] } }, { count: { $nin: [1, 2], $gte: -Infinity } }],
    [{ count: { $between: [1, 2] } }, { count: { $gte: 1, $lte: 2 } }],
    [{ count: { $not: { $gt: 1 } } }, { count: { $not: { $gt: 1 }, $gte: -Infinity } }],
    [{ name: { $containsi: 'a.' } }, { name: { $regex: 'a\\.', $options: 'i' } }],
    [{ name: { $startsWith: 'a' } }, { name: { $regex: '^a', $options: '' } }],
    [{ name: { $in: [] } }, { _id: { $in: [] } }],
    [
      { count: 1, name: 'a' },
      { count: { $eq: 1 }, name: { $eq: 'a' } },
    ],
    [{ $and: [{ count: { $gt: 1 } }, { count: { $lt: 3 } }] }, { $and: [{ count: { $gt: 1 } }, { count: { $lt: 3 } }] }],
    [{ $or: [{ count: 1 }, { name: 'a' }] }, { $or: [{ count: { $eq: 1 } }, { name: { $eq: 'a' } }] }],
    [
      { $not: { $or: [{ count: 1 }, { count: 2 }] } },
      { $and: [{ count: { $ne: 1, $gte: -Infinity } }, { count: { $ne: 2, $gte: -Infinity } }] },
    ],
    [{ parts: { size: 1 } }, { parts: { $elemMatch: { size: { $eq: 1 } } } }],
  ];
  for (const [given, query] of filters)
    it(JSON.stringify(given), () => {
      const filter = parseFilters(given, defaultLimits);
      if (filter === null) throw new Error('no filter');
      expect(compileCondition(bindFilter(filter, thing, bindContext), new Map())).to.deep.equal(query);
    });
});

describe('mongo/read/plan-indexes', () => {
  const info = { singularName: 'page', pluralName: 'pages', displayName: 'Page' };
  const model: TestModel = { uid: 'api::page.page', kind: 'collectionType', collectionName: 'pages', info };
  const pages = (attributes: object): TestModel => ({ ...model, attributes });
  const own = (name: string): string => `mangrove_${name}`;
  const i18n = { pluginOptions: { i18n: { localized: true } } };

  /** Attributes and options of a type, and the names of its indexes besides those by its times. */
  const types: Readonly<Record<string, readonly [model: object, names: readonly string[]]>> = {
    'plain scalars': [{ attributes: { title: { type: 'string' } } }, []],
    'draft & publish': [{ options: { draftAndPublish: true }, attributes: {} }, ['publishedAt-__id-']],
    localization: [{ ...i18n, attributes: {} }, ['_group_locale_unique', 'locale__id-']],
    'a unique value': [{ attributes: { slug: { type: 'uid', unique: true } } }, ['slug_unique']],
    'a unique value of each locale': [
      { ...i18n, attributes: { slug: { type: 'string', unique: true, ...i18n } } },
      ['_group_locale_unique', 'slug_locale_unique', 'locale__id-'],
    ],
    'a unique value that all locales share': [
      { ...i18n, attributes: { slug: { type: 'string', unique: true } } },
      ['_group_locale_unique', 'slug__leads_unique', 'slug_locale_unique', 'locale__id-'],
    ],
    'such a value in a single type, whose entries are one group': [
      { ...i18n, kind: 'singleType', attributes: { slug: { type: 'string', unique: true } } },
      ['_group_locale_unique', 'slug_locale_unique', 'locale__id-'],
    ],
    'an indexed value': [{ attributes: { title: { type: 'string', index: true } } }, ['title-__id-']],
    'a relation to one': [
      {
        attributes: {
          parent: { type: 'relation', relation: 'manyToOne', target: model.uid, inversedBy: 'children' },
          children: { type: 'relation', relation: 'oneToMany', target: model.uid, mappedBy: 'parent' },
        },
      },
      ['parent__id-', 'parent__ranks.parent__id'],
    ],
  };
  for (const [name, [parts, names]] of Object.entries(types))
    it(name, () => {
      const { registry, problems } = buildRegistry([{ ...model, ...parts }]);
      expect([...problems]).to.deep.equal([]);
      const plans = planIndexes(typeOf(model.uid, registry), registry);
      const found = plans
        .map((plan) => plan.name)
        .filter((plan) => ![own('createdAt-__id-'), own('updatedAt-__id-')].includes(plan));
      expect(found).to.have.members(names.map(own));
    });

  it('plans the index of a unique attribute six components deep', () => {
    const nested = Array.from({ length: 6 }, (_, at) => ({
      uid: `deep.part${String(at)}`,
      collectionName: `components_deep_part${String(at)}s`,
      info: { displayName: 'Part' },
      attributes:
        at < 5
          ? { part: { type: 'component', component: `deep.part${String(at + 1)}` } }
          : { code: { type: 'string', unique: true } },
    }));
    const { registry } = buildRegistry([pages({ part: { type: 'component', component: 'deep.part0' } }), ...nested]);
    const names = planIndexes(typeOf(model.uid, registry), registry).map(({ name }) => name);
    expect(names).to.include(own('part.part.part.part.part.part.code_unique'));
  });

  it('plans no more indexes than a collection may have, unique ones first', () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 80 }, (_, index) => [`a${String(index)}`, { type: 'string', index: true }]),
    );
    const { registry } = buildRegistry([pages({ ...attributes, slug: { type: 'string', unique: true } })]);
    const plans = planIndexes(typeOf(model.uid, registry), registry);
    expect(plans.length).to.be.below(64);
    expect(plans[0]?.name).to.equal(own('slug_unique'));
  });
});
