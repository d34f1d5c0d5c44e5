import { expect } from 'chai';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareWithFloor, countDecided, raiseFloor, readFloor, writeFloor } from '../../scripts/prove/conformance/floor.js';
import type { AreaResult } from '../../scripts/prove/conformance/replay.js';

const results = (passed: Readonly<Record<string, number>>): ReadonlyMap<string, AreaResult> =>
  new Map(Object.entries(passed).map(([area, count]) => [area, { passed: count, total: 100 }]));

const floor = { filters: 90, sort: 20 };

describe('compareWithFloor', () => {
  const cases: Readonly<Record<string, readonly [passed: Readonly<Record<string, number>>, areas: string[], fallen: string[]]>> =
    {
      'as many': [{ filters: 90, sort: 20 }, ['filters', 'sort'], []],
      more: [{ filters: 91, sort: 21 }, ['filters', 'sort'], []],
      'fewer in one area': [{ filters: 89, sort: 21 }, ['filters', 'sort'], ['filters: 89 passed, the floor is 90']],
      'an area that was not run': [{ filters: 90 }, ['filters', 'sort'], ['sort: 0 passed, the floor is 20']],
      'an area that is not judged': [{ filters: 90 }, ['filters'], []],
      'an area without a floor': [{ media: 0 }, ['media'], []],
    };
  for (const [title, [passed, areas, fallen]] of Object.entries(cases))
    it(title, () => {
      expect(compareWithFloor(floor, results(passed), areas)).to.deep.equal(fallen);
    });
});

describe('countDecided', () => {
  it('counts failed cases of decisions as passed, and no others', () => {
    const counted = countDecided(results({ filters: 88, sort: 20 }), ['filters/a', 'filters/b', 'sort/c'], {
      'filters/a': 'A row',
    });
    expect(counted).to.deep.equal(results({ filters: 89, sort: 20 }));
  });
});

describe('raiseFloor', () => {
  it('raises what is higher, lowers nothing, keeps what was not run, and sorts', () => {
    const raised = raiseFloor(floor, results({ sort: 25, filters: 80, access: 3 }));
    expect(Object.entries(raised)).to.deep.equal([
      ['access', 3],
      ['filters', 90],
      ['sort', 25],
    ]);
  });
});

describe('the file of the floor', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-floor-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is read as it was written', async () => {
    const file = join(folder, 'floor.json');
    writeFloor(file, floor);
    expect(readFloor(file)).to.deep.equal(floor);
    expect(await readFile(file, 'utf8')).to.equal('{\n  "filters": 90,\n  "sort": 20\n}\n');
  });

  it('is empty if there is none', () => {
    expect(readFloor(join(folder, 'none.json'))).to.deep.equal({});
  });
});
