import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#base/package-root.js';
import { readPublishedFlaws } from '#operate/doctor/strapi/published-flaws.js';

const { lookedUp, flaws } = readPublishedFlaws();
const textOf = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');

describe('the table of published flaws of Strapi', () => {
  it('names each flaw once, with a source and a day before that of the look-up, in their order', () => {
    const ids = flaws.flatMap(({ id, also = [] }) => [id, ...also]);
    expect(ids).to.have.length(new Set(ids).size);
    for (const { id, source, published, affected } of flaws) {
      expect(source, id).to.match(/^https:\/\//);
      expect(published <= lookedUp && published >= '2019-01-01', id).to.equal(true);
      expect(affected.length, id).to.be.greaterThan(0);
      for (const { range } of affected)
        for (const comparison of range.split(/\s+\|\|\s+|\s+/))
          expect(comparison, id).to.match(/^(>=|<=|>|<|)\d+\.\d+\.\d+[\w.-]*$/);
    }
  });

  for (const { id, test } of flaws)
    it(`names a test of ${id} that exists`, () => {
      const titles = [...textOf(test.file).matchAll(/^\s*(?:it\(|\[|\[?title: )?\s*'((?:[^'\\]|\\.)*)'/gm)].map(
        ([, title]) => title,
      );
      const called = [...textOf(test.file).matchAll(/\bit\('((?:[^'\\]|\\.)*)'/g)].map(([, title]) => title);
      expect([...titles, ...called]).to.include(test.title);
      if (test.file.startsWith('test/security/')) expect(test.title).to.match(new RegExp(`^${id}: `));
    });

  it('names every test of these flaws', () => {
    const named = new Set(flaws.map(({ test }) => test.title));
    for (const file of new Set(flaws.map(({ test }) => test.file)))
      for (const [, title] of textOf(file).matchAll(/'(CVE-[\d-]+: (?:[^'\\]|\\.)*)'/g))
        expect([...named], file).to.include(title);
  });
});
