import { expect } from 'chai';
import { formatResults } from '../../scripts/bench/format-results.js';
import type { Measurement } from '../../scripts/bench/measure.js';
import { concludeRow, type JudgedRow, type Round } from '../../scripts/bench/results.js';
import { workload } from '../../scripts/bench/workload.js';

const measurement = (cpuNode: number, cpuMongod: number, commands: Measurement['commands'] = { find: 1 }): Measurement => ({
  requests: 100,
  requestsPerSecond: 50,
  cpuNode,
  cpuMongod,
  p50: 1.25,
  p99: 9.5,
  commands,
  keysExamined: 25,
  documentsExamined: 26,
  memory: 100,
});

/** Ratios of 1, 3 and 1.5, while each side's figures are 100 to 400. */
const rounds: readonly Round[] = [
  { product: measurement(300, 100), baseline: measurement(200, 200) },
  { product: measurement(200, 100), baseline: measurement(50, 50) },
  { product: measurement(100, 200, { find: 1, count: 1 }), baseline: measurement(100, 100) },
];

const judge = (key: string, goal: number | null): JudgedRow => {
  const row = workload.find((known) => known.key === key);
  if (row === undefined) throw new Error(`no row ${key}`);
  return { row, goal, difference: null, connections: 32 };
};

describe('concludeRow', () => {
  it('takes the median of the ratios within each round, and of each figure', () => {
    const { ratio, product, baseline } = concludeRow(judge('a', 1.5), rounds);
    expect(ratio).to.equal(1.5);
    expect(product).to.include({ cpuNode: 200, cpuMongod: 100, requests: 100 });
    expect(baseline).to.include({ cpuNode: 100, cpuMongod: 100 });
  });

  it('counts a command that only some rounds sent as 0 in the others', () => {
    expect(concludeRow(judge('a', 1.5), rounds).product.commands).to.deep.equal({ find: 1, count: 0 });
  });

  it('takes the middle between the two in the middle of an even number of rounds', () => {
    expect(concludeRow(judge('a', 1.5), rounds.slice(0, 2)).ratio).to.equal(2);
  });

  const verdicts: readonly (readonly [goal: number | null, verdict: string])[] = [
    [1.6, 'met'],
    [1.5, 'met'],
    [1.4, 'missed'],
    [null, 'no goal'],
  ];
  for (const [goal, verdict] of verdicts)
    it(`1.5x of goal ${String(goal)}: ${verdict}`, () => {
      expect(concludeRow(judge('a', goal), rounds).verdict).to.equal(verdict);
    });
});

describe('formatResults', () => {
  const text = formatResults({
    names: { product: 'guarded', baseline: 'open' },
    unit: 'the CPU without authorization',
    indexes: {},
    rows: [
      concludeRow(judge('a', 1.1), rounds),
      { ...concludeRow(judge('n', null), rounds), difference: 'data.0.id: 1 from the product, 2 from the baseline' },
    ],
    skipped: [{ key: 'g', title: 'GraphQL, lists within lists', reason: 'POST /graphql -> 404' }],
  });
  const lines = text.split('\n');
  const table = lines.filter((line) => line.startsWith('|'));

  it('names the sides, and gives the ratio once per row', () => {
    const cells = table.slice(2).map((line) => line.split('|').map((cell) => cell.trim()));
    expect(cells.map((row) => [row[1], row[2], row.at(-2)])).to.deep.equal([
      ['a: 25 newest, with total', 'guarded', '1.50'],
      ['', 'open', ''],
      ['n: health check, the floor of the HTTP stack', 'guarded', '1.50'],
      ['', 'open', ''],
    ]);
  });

  it('aligns the columns', () => {
    expect(new Set(table.map((line) => line.length)).size).to.equal(1);
  });

  it('ends with what differs, what was not measured, and the verdicts', () => {
    expect(lines.slice(-4)).to.deep.equal([
      'n: same entries, other answers: data.0.id: 1 from the product, 2 from the baseline',
      'g: not measured (GraphQL, lists within lists): POST /graphql -> 404',
      'a, 32 at once: 1.50x the CPU without authorization, goal 1.1x: missed',
      'n, 32 at once: 1.50x the CPU without authorization (no goal)',
    ]);
  });
});
