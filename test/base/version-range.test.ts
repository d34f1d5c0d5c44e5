import { expect } from 'chai';
import { compareVersions, isInRange } from '#base/version-range.js';

describe('versions', () => {
  it('have the order of Semantic Versioning', () => {
    const ordered = ['3.0.0-alpha.26.2', '3.0.0-beta.2', '3.0.0-beta.17.4', '3.0.0-beta.17.5', '3.0.0', '3.6.10', '4.0.0-next.1'];
    const more = ['4.0.0', '4.9.2', '4.10.8', '4.26.2', '5.0.0'];
    const all = [...ordered, ...more];
    expect([...all].reverse().sort(compareVersions)).to.deep.equal(all);
    expect(compareVersions('v4.1.0+build', '4.1.0')).to.equal(0);
  });

  const cases: readonly (readonly [version: string, range: string, isIn: boolean])[] = [
    ['4.10.7', '>=4.0.0 <4.10.8', true],
    ['4.10.8', '>=4.0.0 <4.10.8', false],
    ['3.9.9', '>=4.0.0 <4.10.8', false],
    ['3.0.0-beta.17.4', '<3.0.0-beta.17.5', true],
    ['3.0.0-beta.17.5', '<3.0.0-beta.17.5', false],
    ['5.0.1', '<3.6.10 || >=4.0.0 <4.1.10 || 5.0.1', true],
    ['4.2.0', '<3.6.10 || >=4.0.0 <4.1.10 || 5.0.1', false],
    ['4.26.2', '<=4.26.2', true],
    ['4.26.2', '>4.26.2', false],
    ['4.24.4', '=4.24.4', true],
    ['1.0.0', '*', true],
    ['1.0.0', 'latest', false],
  ];
  for (const [version, range, isIn] of cases)
    it(`${version} is ${isIn ? '' : 'not '}in ${range}`, () => {
      expect(isInRange(version, range)).to.equal(isIn);
    });
});
