import { expect } from 'chai';
import { fullAccess } from '../../src/query/access.js';
import type { Query } from '../../src/query/ast.js';
import type { BindContext } from '../../src/query/bind-context.js';
import { bindPlan, markRepeated } from '../../src/query/bind-plan.js';
import { unlimited } from '../../src/query/budget.js';
import { defaultLimits } from '../support/default-limits.js';
import { parseQuery } from '../../src/query/parse-query.js';
import { weighPlan } from '../../src/query/weigh-plan.js';
import { buildRegistry } from '../../src/schema/build-registry.js';
import type { ContentType } from '../../src/schema/content-type.js';

/** Sixty types, each with a polymorphic relation that leads to all of them. */
const models = Array.from({ length: 60 }, (_, n) => ({
  uid: `api::note-${String(n)}.note-${String(n)}`,
  kind: 'collectionType',
  info: { singularName: `note-${String(n)}`, pluralName: `notes-${String(n)}`, displayName: 'Note' },
  attributes: {
    ...Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, { type: 'string' }])),
    about: { type: 'relation', relation: 'morphToMany' },
  },
}));

/** `{ about: { populate: { about: { populate: … '*' } } } }` */
const nested = (levels: number): unknown => (levels === 0 ? '*' : { about: { populate: nested(levels - 1) } });

describe('query/memoize-binding', () => {
  let type: ContentType;
  let context: BindContext;
  before(() => {
    const { registry } = buildRegistry(models);
    const found = registry.types.get('api::note-1.note-1');
    if (found === undefined) throw new Error('a model is wrong');
    type = found;
    const figures = { defaultLimit: 25, maxLimit: 100, maxNested: 1000, populateDeep: 0 };
    const settings = { ...figures, withCount: true, strict: false, roleUsers: false };
    const limits = { ...defaultLimits, boundSelections: 10_000, populateDepth: 18 };
    context = { registry, access: fullAccess, limits, budget: unlimited, settings, defaultLocale: 'en', locales: ['en'] };
  });

  const queryOf = (levels: number): Query => parseQuery({ populate: nested(levels) }, context.limits);
  const isKept = (query: Query): boolean => bindPlan(query, type, context) === bindPlan(query, type, context);

  it('caches the binding of a repeated query', () => {
    expect(isKept(markRepeated(queryOf(0), 100))).to.equal(true);
  });

  it('caches the plans of the latest queries, up to 32 MB', () => {
    const queries = Array.from({ length: 100 }, () => markRepeated(queryOf(1), 100));
    const plans = queries.map((query) => bindPlan(query, type, context));
    const [first, last] = [0, 99].map((index) => bindPlan(queries[index] ?? queryOf(1), type, context) === plans[index]);
    expect(weighPlan(plans[0] ?? bindPlan(queryOf(1), type, context)) * 100).to.be.greaterThan(32_000_000);
    expect([first, last]).to.deep.equal([false, true]);
  });

  it('does not cache a plan of more than a tenth of that', () => {
    expect(isKept(markRepeated(queryOf(16), 100))).to.equal(false);
  });
});
