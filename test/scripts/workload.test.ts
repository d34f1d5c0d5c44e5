import { expect } from 'chai';
import { workload } from '../../scripts/bench/workload.js';

const asker = { size: '10k' } as const;

describe('workload', () => {
  // these create entries or use keys, and never repeat either
  const unlike: ReadonlySet<string> = new Set(['e', 'key', 'batch', 'w', 'put-key', 'push', 'push-1']);
  for (const { key, ask } of workload.filter((row) => !unlike.has(row.key)))
    it(`${key}: the same question for the same number`, () => {
      expect([0, 1, 1_000].map((n) => ask(n, asker))).to.deep.equal([0, 1, 1_000].map((n) => ask(n, asker)));
    });

  it('asks for entries that exist', () => {
    const paths = workload
      .filter(({ key }) => 'dkf'.includes(key))
      .map(
        ({ ask }) =>
          (n: number) =>
            ask(n, asker).product.path,
      );
    const ids = paths.flatMap((path) => Array.from({ length: 300 }, (_, n) => Number(/\/(\d+)/.exec(path(n))?.[1])));
    expect(Math.min(...ids)).to.be.at.least(1);
    expect(Math.max(...ids)).to.be.at.most(10_000);
    expect(new Set(ids).size).to.be.above(500);
  });

  it('creates what differs in its slug between any two questions, also of one number', () => {
    const create = workload.find(({ key }) => key === 'e');
    const slugs = [0, 1, 1, 2].map((n) => {
      const { body = '' } = create?.ask(n, asker).product ?? {};
      return (JSON.parse(body) as { readonly data: { readonly slug: string } }).data.slug;
    });
    expect(new Set(slugs).size).to.equal(4);
  });

  it('sends both targets the same values', () => {
    for (const { ask } of workload.filter(({ key }) => key === 'e' || key === 'f')) {
      const { product, baseline } = ask(7, asker);
      expect(product.body).to.equal(baseline.body);
    }
  });
});
