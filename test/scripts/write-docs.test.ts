import { expect } from 'chai';
import { type Bar, plotBars } from '../../scripts/bench/plot-bars.js';
import { sectionName } from '../../scripts/bench/settings.js';
import { replaceSection } from '../../scripts/bench/write-docs.js';

describe('the performance page', () => {
  const page = 'a\n<!-- bench growth -->\nold\n<!-- /bench growth -->\nb\n';

  it('has the section of one mode replaced', () => {
    const replaced = replaceSection(page, 'growth', 'new');
    expect(replaced).to.equal('a\n<!-- bench growth -->\n\nnew\n\n<!-- /bench growth -->\nb\n');
    expect(() => replaceSection(page, 'baseline', 'new')).to.throw('docs/performance.md has no <!-- bench baseline -->');
  });

  const sections = [
    ['baseline', '10k', 'baseline'],
    ['baseline', '100k', 'baseline-100k'],
    ['growth', '1m', 'growth'],
    ['peers', '100k', 'peers-100k'],
  ] as const;
  for (const [mode, size, name] of sections)
    it(`has the section ${name} for ${mode} with ${size} articles`, () => {
      expect(sectionName({ mode, size })).to.equal(name);
    });

  const bars: readonly (Bar & { readonly colour: string })[] = [
    { label: 'a <b>', value: 0.5, mark: 1, colour: '#2f7d5b' },
    { label: 'c', value: 2, mark: 1, colour: '#d9822b' },
    { label: 'd', value: 300, mark: null, colour: '#2f7d5b' },
  ];
  const plotted = plotBars({ title: 'CPU', unit: 'times', bars });

  it('plots a bar for each row, as long as its value', () => {
    const drawn = [...plotted.matchAll(/width="([\d.]+)" height="14" fill="(#\w+)"/g)];
    expect(drawn.map(([, , colour]) => colour)).to.deep.equal(bars.map(({ colour }) => colour));
    const lengths = drawn.map(([, length]) => Number(length));
    expect(lengths).to.deep.equal([...lengths].sort((a, b) => a - b));
    expect(plotted.match(/<path/g)).to.have.lengthOf(2);
  });

  it('writes labels as text', () => {
    expect(plotted).to.include('a &lt;b>').and.to.include('300.00');
  });
});
