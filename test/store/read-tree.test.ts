import { expect } from 'chai';
import { findMany } from '#content/find-many.js';
import type { LoadedEntry, RelatedEntries } from '#store/form/loaded.js';
import { emptyQuery } from '#model/query/ast.js';
import { defaultLimits } from '../support/default-limits.js';
import { parsePopulate } from '#model/query/parse-populate.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { contextOf, insertDocuments, thingDocuments, typeOf } from '../support/things.js';

/** Populates of things and people, and how many objects of each type the tree has: entries with many parents are one object. */
const cases: readonly (readonly [type: string, populate: unknown, objects: Readonly<Record<string, number>>])[] = [
  ['thing', 'owner', { thing: 5, person: 2 }],
  ['thing', 'owner.boss,owner.staff', { thing: 5, person: 5 }],
  ['thing', 'tags', { thing: 5, tag: 2 }],
  ['thing', 'owner.things', { thing: 8, person: 2 }],
  ['thing', { owner: { count: true } }, { thing: 5 }],
];

/** Counts of related entries, which their own side or the other one stores; only those in the window count. */
const counts: readonly (readonly [type: string, populate: unknown, expected: readonly number[]])[] = [
  ['thing', { tags: { count: 'true', start: '1' } }, [1, 0, 0, 0, 0]],
  ['thing', { tags: { count: 'true', limit: '1' } }, [1, 1, 1, 1, 0]],
  ['person', { things: { count: 'true' } }, [2, 1, 0]],
  ['person', { things: { count: 'true', start: '1' } }, [1, 0, 0]],
  ['person', { things: { count: 'true', limit: '1' } }, [1, 1, 0]],
  ['tag', { things: { count: 'true', start: '1', limit: '5' } }, [1, 1, 0]],
];

describe('the tree of loaded entries', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await insertDocuments(database, thingDocuments);
  });
  after(() => database.drop());

  for (const [name, populate, expected] of cases)
    it(`${name} with ${JSON.stringify(populate)}: ${JSON.stringify(expected)}`, async () => {
      const query = { ...emptyQuery, populate: parsePopulate(populate, defaultLimits) };
      const { entries } = await findMany(typeOf(`api::${name}.${name}`), query, contextOf(database));
      expect(countByType(entries)).to.deep.equal(expected);
    });

  for (const [name, populate, expected] of counts)
    it(`${name} counts ${JSON.stringify(populate)}: ${JSON.stringify(expected)}`, async () => {
      const query = { ...emptyQuery, populate: parsePopulate(populate, defaultLimits), publicationState: 'preview' as const };
      const { entries } = await findMany(typeOf(`api::${name}.${name}`), query, contextOf(database));
      expect(entries.map(({ children }) => children[0])).to.deep.equal(expected);
    });
});

function countByType(entries: readonly LoadedEntry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { selection } of collect(entries, new Set())) {
    const name = selection.type.uid.replace(/^.*\./, '');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function collect(related: RelatedEntries, found: Set<LoadedEntry>): Set<LoadedEntry> {
  if (typeof related === 'number') return found;
  for (const entry of related) {
    found.add(entry);
    for (const child of entry.children) collect(child, found);
  }
  return found;
}
