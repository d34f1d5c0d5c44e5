import { expect } from 'chai';
import type { CommandStartedEvent, Document } from 'mongodb';
import { findMany } from '#content/find-many.js';
import { ensureIndexes } from '#store/models/indexes.js';
import { emptyQuery } from '#model/query/ast.js';
import { defaultLimits } from '../support/default-limits.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { parsePagination } from '#model/query/parse-list.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { explain } from '../support/explain.js';
import { isRecord } from '#base/values.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { contextOf, thingModels, typeOf } from '../support/things.js';

const index = { count: { type: 'integer', index: true }, price: { type: 'float', index: true } };
const { registry } = buildRegistry(
  thingModels.map((model) =>
    isRecord(model['attributes']) && model['uid'] === 'api::thing.thing'
      ? { ...model, attributes: { ...model['attributes'], ...index } }
      : model,
  ),
);
const thing = typeOf('api::thing.thing', registry);
const things = Array.from({ length: 10_000 }, (_, index) => ({
  _id: index + 1,
  owner: ((index * 7919) % 200) + 1,
  tags: [((index * 31) % 50) + 1, ((index * 17) % 50) + 1],
  count: (index * 7) % 2_000,
  price: index % 2,
  createdAt: new Date(),
}));
const persons = Array.from({ length: 200 }, (_, index) => ({ _id: index + 1, age: index }));
const tags = Array.from({ length: 50 }, (_, index) => ({
  _id: index + 1,
  name: `tag ${String(index)}`,
  publishedAt: new Date(),
}));

/** Filters in the order in which they are asked, the index that is named, and the most documents that their page may look at. */
const cases: readonly (readonly [title: string, filter: object, index: string | undefined, most: number])[] = [
  ...Array.from({ length: 3 }, () => ['one owner of 200', { owner: { age: 7 } }, 'mangrove_owner__id-', 50] as const),
  ['half of the owners', { owner: { age: { $lt: 100 } } }, '_id_', 110],
  [
    'half of the owners and of the tags',
    { owner: { age: { $lt: 100 } }, tags: { name: { $startsWith: 'tag 1' } } },
    'mangrove_tags__id-',
    100,
  ],
  ['one in sixteen of the owners', { owner: { age: { $lt: 13 } } }, 'mangrove_owner__id-', 50],
  ['half of the owners, and one count in fifty', { owner: { age: { $lt: 100 } }, count: { $lt: 40 } }, undefined, 200],
  ['half of the owners, and half of the prices', { owner: { age: { $lt: 100 } }, price: 1 }, undefined, 110],
  [
    'one in sixteen of the owners, created at any time',
    { owner: { age: { $lt: 13 } }, createdAt: { $gt: '2000-01-01' } },
    'mangrove_owner__id-',
    50,
  ],
  ['one in six of the owners, whose entries are merged in order', { owner: { age: { $lt: 32 } } }, 'mangrove_owner__id-', 50],
];

/** Milliseconds, more than a query may take by an index that is named. */
const longPause = 1_500;

describe('the index of a filter on related entries', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    const { db } = database;
    for (const [name, rows] of Object.entries({ things, persons, tags }))
      await db.collection<{ _id: number }>(name).insertMany(rows);
    await ensureIndexes(db, thing, registry);
  });
  after(() => database.drop());

  /** Returns the `find` of a page that was full when it was read before. */
  async function findOf(filter: object): Promise<Document> {
    const seen: Document[] = [];
    const listen = ({ command }: CommandStartedEvent): void => {
      if (command['find'] === 'things') seen.push(command as Document);
    };
    database.client.on('commandStarted', listen);
    const pagination = parsePagination({ start: '0', limit: '25', withCount: 'false' });
    const query = { ...emptyQuery, filter: parseFilters(filter, defaultLimits), pagination };
    for (let read = 1; read <= 2; read++) {
      const { entries } = await findMany(thing, query, contextOf(database, registry));
      expect(entries).to.have.length(25);
    }
    database.client.off('commandStarted', listen);
    return seen[0] ?? {};
  }

  for (const [title, filter, index, most] of cases)
    it(`${title}: at most ${String(most)} documents`, async () => {
      const command = await findOf(filter);
      expect(command['hint']).to.equal(index);
      expect((await explain(database.db, command)).documentsExamined).to.be.within(25, most);
    });

  it('does not make a request fail while the process is busy', async () => {
    const pause = ({ command }: CommandStartedEvent): void => {
      if (command['hint'] !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, longPause);
    };
    database.client.on('commandStarted', pause);
    expect((await findOf({ owner: { age: 9 } }))['hint']).to.equal('mangrove_owner__id-');
    database.client.off('commandStarted', pause);
  });

  it('is chosen by the server while it is not built, without repeated attempts', async () => {
    await database.db.collection('things').dropIndex('mangrove_owner__id-');
    const hints = [];
    for (const age of [11, 12]) hints.push((await findOf({ owner: { age } }))['hint'] as unknown);
    expect(hints).to.deep.equal(['mangrove_owner__id-', undefined]);
  });
});
