import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { type Advisory, describeAdvisories, metAdvisories, readAdvisories, versionsIn } from '#admin/front-end/advisories.js';

const base = { severity: 'high', range: '>=1.0.0 <2.0.0', title: 'a flaw', source: 'https://example.org' } as const;
const advisory = (id: string, name: string, more: Partial<Advisory> = {}): Advisory => ({ ...base, id, package: name, ...more });

describe('advisories of the packages of the panel', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-advisories-'));
    const versions = { one: '1.5.0', 'one/node_modules/two': '1.0.0', two: '2.0.0', '@org/three': '1.9.9', unused: '1.1.0' };
    for (const [name, version] of Object.entries(versions)) {
      const file = join(folder, 'node_modules', name, 'package.json');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify({ version }));
    }
  });
  after(() => rm(folder, { recursive: true }));

  const inputs = (): string[] => [
    ...['one/index.js', 'one/lib/a.js', 'one/node_modules/two/index.js', 'two/index.js', '@org/three/dist/x.mjs'].map((path) =>
      join(folder, 'node_modules', path),
    ),
    'mangrove:clean-html',
    `(disabled):${folder}/node_modules/none/index.js`,
  ];
  const met = (...advisories: readonly Advisory[]) =>
    metAdvisories(advisories, folder, inputs()).map(({ advisory: { id }, version, closedBy }) => [id, version, closedBy]);

  it('are looked up for the versions of the modules in the bundle', () => {
    const found = [...versionsIn(inputs())].map(([name, versions]) => [name, ...versions]);
    expect(found).to.deep.equal([
      ['one', '1.5.0'],
      ['two', '1.0.0', '2.0.0'],
      ['@org/three', '1.9.9'],
    ]);
    expect(
      met(advisory('a', 'one'), advisory('b', 'two'), advisory('c', '@org/three'), advisory('d', 'one', { range: '<1.5.0' })),
    ).to.deep.equal([
      ['a', '1.5.0', null],
      ['b', '1.0.0', null],
      ['c', '1.9.9', null],
    ]);
  });

  it('are closed by what the bundle has or lacks, and stay without it', () => {
    const by = 'a replacement';
    expect(
      met(
        advisory('with', 'one', { closed: { by, with: 'mangrove:clean-html' } }),
        advisory('without', 'one', { closed: { by, without: 'one/lib/node.js' } }),
        advisory('not with', 'one', { closed: { by, with: 'mangrove:other' } }),
        advisory('not without', 'one', { closed: { by, without: 'one/lib/a.js' } }),
        advisory('unused', 'unused'),
        advisory('absent', 'absent'),
      ),
    ).to.deep.equal([
      ['with', '1.5.0', by],
      ['without', '1.5.0', by],
      ['not with', '1.5.0', null],
      ['not without', '1.5.0', null],
      ['unused', '1.1.0', 'the package is not part of the panel'],
    ]);
  });

  it('are told with what stays first, the severest before others', () => {
    const advisories = [
      advisory('low', 'one', { severity: 'low' }),
      advisory('closed', 'one', { severity: 'critical', closed: { by: 'x' } }),
      advisory('high', 'two'),
    ];
    const lines = describeAdvisories({ lookedUp: '2026-11-30', advisories }, metAdvisories(advisories, folder, inputs()));
    expect(lines).to.deep.equal([
      '3 advisories (2026-11-30) of the packages: 1 closed, 2 stay',
      '  stays  high     high two 1.0.0: a flaw',
      '  stays  low      low one 1.5.0: a flaw',
      '  closed critical closed one 1.5.0: a flaw; x',
    ]);
  });

  it('are in a list with a day, sources, severities and ranges', () => {
    const { lookedUp, advisories } = readAdvisories();
    expect(lookedUp).to.match(/^20\d\d-\d\d-\d\d$/);
    expect(advisories.map(({ id }) => id)).to.include('CVE-2026-90561');
    for (const { id, source, severity, range } of advisories) {
      expect(source, id).to.match(/^https:\/\//);
      expect(['critical', 'high', 'moderate', 'low'], id).to.include(severity);
      expect(range, id).to.match(/^((>=|<=|>|<|=|)\d[\w.-]*( |$|\|\| ?))+$/);
    }
  });
});
