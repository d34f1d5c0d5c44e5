import { expect } from 'chai';
import { planRanks } from '#content/write-inverse.js';

describe('planRanks', () => {
  const cases: readonly (readonly [ranks: readonly (number | null)[], changed: readonly number[]])[] = [
    [[1, 2, 3], []],
    [[1, null, 3], [2]],
    [[30, 10, 20], [1]],
    [
      [10, 20, null, null],
      [3, 4],
    ],
    [[null, 10], [1]],
    [
      [30, 20, 10],
      [1, 2],
    ],
    // nothing fits in between
    [
      [1, null, 1 + Number.EPSILON],
      [1, 2, 3],
    ],
    [[5, 5], [1]],
  ];
  for (const [ranks, changed] of cases)
    it(`of ${JSON.stringify(ranks)} changes ${JSON.stringify(changed)}`, () => {
      const list = ranks.map((rank, index) => ({ id: index + 1, rank }));
      const planned = planRanks(list);
      expect([...planned.keys()].sort()).to.deep.equal(changed);
      const then = list.map(({ id, rank }) => planned.get(id) ?? rank ?? 0);
      expect(then.every((rank, index) => index === 0 || rank > (then[index - 1] ?? 0))).to.equal(true);
    });
});
