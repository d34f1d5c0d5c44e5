import { expect } from 'chai';
import { findMany } from '../../src/content/find-many.js';
import type { Loaded, Related } from '../../src/mongo/form/loaded.js';
import { emptyQuery } from '../../src/query/ast.js';
import { defaultLimits } from '../support/default-limits.js';
import { parsePopulate } from '../../src/query/parse-populate.js';
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

  it('counts related entries from a start on', async () => {
    const query = {
      ...emptyQuery,
      populate: parsePopulate({ tags: { count: 'true', start: '1', publicationState: 'preview' } }, defaultLimits),
    };
    const { entries } = await findMany(typeOf('api::thing.thing'), query, contextOf(database));
    const tagged = entries.filter(({ document }) => Array.isArray(document['tags']) && document['tags'].length === 2);
    expect(tagged.map(({ children }) => children)).to.deep.equal(tagged.map(() => [1]));
    expect(tagged).not.to.be.empty;
  });
});

function countByType(entries: readonly Loaded[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { selection } of collect(entries, new Set())) {
    const name = selection.type.uid.replace(/^.*\./, '');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function collect(related: Related, found: Set<Loaded>): Set<Loaded> {
  if (typeof related === 'number') return found;
  for (const entry of related) {
    found.add(entry);
    for (const child of entry.children) collect(child, found);
  }
  return found;
}
