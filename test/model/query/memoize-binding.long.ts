import { expect } from 'chai';
import { fullAccess, type RowRule } from '#model/query/access.js';
import type { Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import { bindPlan, markRepeated, weighPlan } from '#model/query/bind-plan.js';
import { unlimited } from '#base/limits/budget.js';
import { defaultLimits } from '../../support/default-limits.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { parseQuery } from '#model/query/parse-query.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { ContentType } from '#model/schema/content-type.js';

/** Sixty types, each with a polymorphic relation that leads to all of them. */
const models = Array.from({ length: 60 }, (_, n) => ({
  uid: `api::note-${String(n)}.note-${String(n)}`,
  kind: 'collectionType',
  info: { singularName: `note-${String(n)}`, pluralName: `notes-${String(n)}`, displayName: 'Note' },
  attributes: {
    ...Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, { type: 'string' }])),
    about: { type: 'relation', relation: 'morphToMany' },
    at: { type: 'datetime' },
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

  const timed: readonly (readonly [filters: object, isTimed: boolean])[] = [
    [{ at: { $lte: '$now' } }, true],
    [{ $or: [{ a: 'x' }, { $not: { at: { $in: ['2020-01-01', '$now'] } } }] }, true],
    [{ a: '$now' }, false],
    [{ at: { $lte: '2020-01-01' } }, false],
  ];
  for (const [filters, isTimed] of timed)
    it(`keeps ${JSON.stringify(filters)} ${isTimed ? 'while $now is the same' : 'for any time'}`, () => {
      const query = markRepeated(parseQuery({ filters }, context.limits), 100);
      const [first, same, later] = [1_000, 1_000, 2_000].map((time) => bindPlan(query, type, { ...context, now: () => time }));
      expect([same === first, later === first]).to.deep.equal([true, !isTimed]);
    });

  it('keeps a row rule that names $now, and one below populate, while $now is the same', () => {
    const rule = { filter: parseFilters({ at: { $lte: '$now' } }, context.limits), owner: {}, isOwnership: false } as RowRule;
    const ruled = { ...context, access: { ...fullAccess, rules: new Map([[type.uid, rule]]) } };
    const about = { filters: { at: { $gt: '$now' } } };
    for (const [input, of] of [
      [{}, ruled],
      [{ populate: { about: { on: { [type.uid]: about } } } }, context],
    ] as const) {
      const query = markRepeated(parseQuery(input, context.limits), 100);
      const [first, same, later] = [1_000, 1_000, 2_000].map((time) => bindPlan(query, type, { ...of, now: () => time }));
      expect([same === first, later === first]).to.deep.equal([true, false]);
    }
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
