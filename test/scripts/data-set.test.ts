import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { dataSet } from '../../scripts/bench/data-set.js';
import type { MadeEntry } from '../../scripts/bench/make-entry.js';
import { models } from '../../scripts/bench/models.js';
import { sizeNames } from '../../scripts/bench/sizes.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';

/** Of the first three entries, the one in the middle and the last. Where one changes, `form` in load-data.ts must be raised. */
const fingerprints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '10k': {
    authors: 'b01003d54578662a',
    categories: 'd89aa19552ebba65',
    tags: 'b8afbc70338ee8fd',
    articles: '24a387f275e3dd7e',
    notes: '2638adb6e73503dc',
    comments: 'b6464cd17eb18276',
    places: 'ac46724de1559db7',
    files: 'ab59f70bf750276f',
    pages: 'b7896e43f19c25fb',
  },
  '1m': {
    authors: '493ec4e0b039e804',
    categories: 'd89aa19552ebba65',
    tags: 'b8afbc70338ee8fd',
    articles: 'c17395157019d849',
    notes: 'd418bb69cc8b73e1',
    comments: 'f7c76df60e19fb2b',
    places: '5f590fa10eb66e18',
    files: 'ab59f70bf750276f',
    pages: 'e443e83811b690f7',
  },
};

const fingerprint = (entries: readonly MadeEntry[]): string =>
  createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 16);

const counts = (size: (typeof sizeNames)[number]): Readonly<Record<string, number>> =>
  Object.fromEntries(dataSet(size).map(({ collection, count }) => [collection, count]));

describe('dataSet', () => {
  for (const size of ['10k', '1m'] as const)
    for (const { collection, count, make } of dataSet(size))
      it(`gives the same ${collection} at ${size} on every machine, in whatever order they are asked for`, () => {
        const ids = [1, 2, 3, count >> 1, count];
        const backwards = [...ids].reverse().map(make).reverse();
        expect(fingerprint(ids.map(make))).to.equal(fingerprints[size]?.[collection]);
        expect(ids.map(make)).to.deep.equal(backwards);
      });

  it('grows as the size says', () => {
    expect(sizeNames.map((size) => counts(size)['articles'])).to.deep.equal([10_000, 100_000, 1_000_000]);
    expect(sizeNames.map((size) => counts(size)['comments'])).to.deep.equal([30_000, 300_000, 3_000_000]);
    expect(sizeNames.map((size) => counts(size)['authors'])).to.deep.equal([100, 1_000, 10_000]);
    expect(sizeNames.map((size) => counts(size)['pages'])).to.deep.equal([1_000, 1_000, 1_000]);
  });

  it('leaves a tenth of the articles as drafts', () => {
    const make = dataSet('10k').find(({ collection }) => collection === 'articles')?.make;
    const drafts = Array.from({ length: 2_000 }, (_, index) => make?.(index + 1)).filter(
      (entry) => entry?.['publishedAt'] === null,
    );
    expect(drafts.length).to.be.within(160, 240);
  });

  it('has an author in 26 for each letter, and one in 60 for each letter with an a behind', () => {
    const make = dataSet('1m').find(({ collection }) => collection === 'authors')?.make;
    const names = Array.from({ length: 2_600 }, (_, index) => String(make?.(index + 1)['name']));
    expect(names.filter((name) => name.startsWith('B'))).to.have.length(100);
    expect(names.filter((name) => name.startsWith('Ba')).length).to.be.within(42, 44);
  });
});

describe('the models of the data set', () => {
  const { registry, problems } = buildRegistry(models);
  const limits = counts('10k');

  it('are accepted', () => {
    expect([...problems]).to.deep.equal([]);
  });

  for (const { collection, count, make } of dataSet('10k'))
    it(`describe the values of ${collection}; all linked entries exist`, () => {
      const type = [...registry.types.values()].find((known) => known.collection === collection);
      const problemsOf = (id: number): string[] => (type ? checkValues(make(id), type) : [`no type for ${collection}`]);
      expect([1, 2, 17, count].flatMap(problemsOf)).to.deep.equal([]);
    });

  const ownNames = new Set(['_id', 'id', '_ranks', '_group', '__component', 'createdAt', 'updatedAt', 'publishedAt']);

  function checkValues(values: Readonly<Record<string, unknown>>, type: ContentType): string[] {
    const unknown = Object.keys(values).filter((name) => !ownNames.has(name) && !type.attributes.has(name));
    const found = [...type.attributes].flatMap(([name, attribute]) => checkValue(values[name], attribute));
    return [...unknown.map((name) => `${type.uid}.${name}`), ...found];
  }

  function checkValue(value: unknown, attribute: Attribute): string[] {
    if (value === undefined || value === null) return [];
    if (attribute.kind === 'relation' || attribute.kind === 'media') {
      const target = registry.types.get(attribute.target);
      const last = limits[target?.collection ?? ''] ?? 0;
      const links = [value].flat().map(Number);
      return links
        .filter((id) => !(id >= 1 && id <= last))
        .map((id) => `${attribute.name}: no ${attribute.target} ${String(id)}`);
    }
    if (attribute.kind === 'component' || attribute.kind === 'dynamiczone') {
      // Parts as the data set makes them.
      return ([value].flat() as Readonly<Record<string, unknown>>[]).flatMap((part) => {
        const uid = attribute.kind === 'component' ? attribute.component : String(part['__component']);
        const component = registry.types.get(uid);
        return component ? checkValues(part, component) : [`${attribute.name}: no component ${uid}`];
      });
    }
    return [];
  }
});
