import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { withoutLines } from '#admin/front-end/drop-enterprise.js';
import { enterpriseShare } from '#admin/front-end/enterprise-sources.js';

const [open, closed] = ['../../admin/src/a.ts', '../../ee/admin/src/b.ts'];
const map = (sources: readonly string[], mappings: string): string => JSON.stringify({ version: 3, sources, mappings });

describe('code of folders called ee', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-ee-'));
  });
  after(() => rm(folder, { recursive: true }));

  const cases: readonly (readonly [name: string, sources: readonly string[], mappings: string, share: unknown])[] = [
    ['without any', [open], 'AAAA', { kind: 'none' }],
    ['of other names', ['../../admin/src/fee/a.ts', '../coffee/b.ts'], 'AAAA', { kind: 'none' }],
    ['without sources', [], '', { kind: 'none' }],
    ['of such a folder alone', [closed], 'AAAA', { kind: 'whole' }],
    // the second line changes to the second source, the fourth one back to the first
    ['of both', [open, closed], 'AAAA,EAAE;ACAA,EACA;;ADFA', { kind: 'part', lines: new Set([2]) }],
    ['with far columns', [closed, open], 'AAAA;gqjxBCAgqjxB', { kind: 'part', lines: new Set([1]) }],
  ];
  for (const [name, sources, mappings, share] of cases)
    it(`is found in a module ${name}`, async () => {
      const file = join(folder, 'module.mjs');
      await writeFile(`${file}.map`, map(sources, mappings));
      expect(await enterpriseShare(file)).to.deep.equal(share);
    });

  for (const [name, text] of [
    ['is missing', null],
    ['is no source map', '{}'],
  ] as const)
    it(`may be anywhere if the map ${name}, which ends the build`, async () => {
      const file = join(folder, `${name}.mjs`);
      if (text !== null) await writeFile(`${file}.map`, text);
      const error: unknown = await enterpriseShare(file).catch((failure: unknown) => failure);
      expect(String(error)).to.include('not known which code of the panel is under which license');
    });

  it('leaves empty declarations of the same names', () => {
    const lines = ['import a from "a";', 'function gone() { return a; }', 'const kept = 1, other = gone;'];
    const more = ['class Gone {}', 'const one = a, two = a;', 'a.touch();', 'export { gone, kept, Gone as G, one, two };'];
    const rest = withoutLines([...lines, ...more].join('\n'), new Set([1, 2, 4, 5, 6]));
    expect(rest.split('\n')).to.deep.equal([
      ...['import a from "a";', 'function gone() { return {}; }', 'const kept = 1, other = gone;'],
      ...['const Gone = () => ({});', 'const one = () => ({}), two = () => ({});', '', more[3]],
    ]);
  });
});
