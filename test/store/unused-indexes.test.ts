import { expect } from 'chai';
import { findUnused, unusedAmong } from '#store/models/index-builds.js';
import { freshDatabase } from '../support/mongo.js';
import { contextOf, typeOf } from '../support/things.js';

const now = Date.UTC(2030, 5, 1);
const use = (name: string, ops: number, days: number, unique = false) => ({
  name,
  spec: { unique },
  accesses: { ops, since: new Date(now - days * 86_400_000) },
});

/** Statistics of an index, and whether it counts as unused. */
const cases = [
  [use('mangrove_rank-__id-', 0, 31), true],
  [use('mangrove_rank-__id-', 1, 31), false],
  [use('mangrove_rank-__id-', 0, 29), false],
  [use('mangrove_slug_unique', 0, 31, true), false],
  [use('_id_', 0, 31), false],
  [use('made_by_an_operator', 0, 31), false],
] as const;

describe('unused indexes', () => {
  for (const [index, isUnused] of cases)
    it(`${JSON.stringify(index)}: ${isUnused ? 'unused' : 'of use'}`, () => {
      expect(unusedAmong([index], now)).to.deep.equal(isUnused ? [index.name] : []);
    });

  it('are found by the statistics of the server', async () => {
    const database = await freshDatabase();
    await database.db.collection('things').createIndex({ rank: -1 }, { name: 'mangrove_rank-' });
    const later = Date.now() + 40 * 86_400_000;
    expect(await findUnused(typeOf('api::thing.thing'), contextOf(database).store.database, later)).to.deep.equal([
      'mangrove_rank-',
    ]);
    await database.drop();
  });
});
