import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { asyncHelpers } from '#strapi/packages/strapi-utils.js';

const { mapAsync, forEachAsync } = asyncHelpers;

/** Returns a function that doubles numbers, and counts how many it does at a time. */
function doubling() {
  const counts = { now: 0, most: 0, all: 0 };
  const double = async (value: unknown): Promise<number> => {
    counts.most = Math.max(counts.most, ++counts.now);
    counts.all++;
    await delay(5);
    counts.now--;
    if (value === 3) throw new Error('three');
    return Number(value) * 2;
  };
  return { counts, double };
}

describe('mapAsync and forEachAsync of @strapi/utils', () => {
  const cases: readonly (readonly [options: { readonly concurrency?: number } | undefined, most: number])[] = [
    [undefined, 4],
    [{}, 4],
    [{ concurrency: 2 }, 2],
    [{ concurrency: 1 }, 1],
  ];
  for (const [options, most] of cases)
    it(`run at most ${String(most)} at a time with ${JSON.stringify(options)}`, async () => {
      const { counts, double } = doubling();
      expect(await mapAsync([1, Promise.resolve(2), 4, 5], double, options)).to.deep.equal([2, 4, 8, 10]);
      expect(counts.most).to.equal(most);
      await forEachAsync(new Set([1, 2, 4, 5]), double, options);
      expect(counts).to.deep.equal({ now: 0, most, all: 8 });
    });

  it('take the function later', async () => {
    const later = mapAsync([1, 2]) as (map: (value: unknown) => unknown) => Promise<unknown>;
    expect(await later((value) => Number(value) + 1)).to.deep.equal([2, 3]);
  });

  for (const concurrency of [0, -1, 1.5, NaN, null])
    it(`refuse a concurrency of ${String(concurrency)}, with which no value would be taken`, async () => {
      const { counts, double } = doubling();
      const run = forEachAsync([1, 2], double, { concurrency: concurrency as number });
      const error: unknown = await run.catch((caught: unknown) => caught);
      expect(error).to.be.instanceOf(TypeError).with.property('message').that.includes('`concurrency`');
      expect(counts.all).to.equal(0);
    });

  it('begin no more values after an error', async () => {
    const { counts, double } = doubling();
    const error: unknown = await forEachAsync([1, 3, 4, 5], double, { concurrency: 1 }).catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'three');
    expect(counts.all).to.equal(2);
  });
});
