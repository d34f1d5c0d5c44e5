import { expect } from 'chai';
import type { CommandStartedEvent, Document } from 'mongodb';
import type { LinkEstimates } from '../../src/mongo/read/choose-index.js';
import { countLinked, listParts } from '../../src/mongo/read/linked-parts.js';
import { scanParts } from '../../src/mongo/read/scan-page.js';
import { ensureIndexes } from '../../src/mongo/models/ensure-indexes.js';
import { planIndexes } from '../../src/mongo/read/plan-indexes.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { contextOf, thingRegistry, typeOf } from '../support/things.js';

const thing = typeOf('api::thing.thing');
const count = 12_000;
const things = Array.from({ length: count }, (_, index) => ({
  _id: index + 1,
  owner: ((index * 7919) % 200) + 1,
  tags: [((index * 31) % 50) + 1, ((index * 17) % 50) + 1],
  name: index % 3 === 0 ? 'third' : 'other',
}));
const half = Array.from({ length: 100 }, (_, index) => index + 1);
const indexOf = (path: string) => planIndexes(thing, thingRegistry).find(({ key }) => Object.keys(key)[0] === path) ?? null;
const byOwner = (all: number, share: number): LinkEstimates => ({ all, links: [{ index: indexOf('owner'), share, ids: 1 }] });
const owned = { owner: { $in: half } };
const filtered = { ...owned, tags: { $in: [1, 2, 3] }, name: 'third' };

/** What is known of the data, and how often entries are counted by ids and by ranges of ids. */
const cases: readonly (readonly [title: string, match: Document, estimates: LinkEstimates, ids: number, ranges: number])[] = [
  ['few entries by one command', filtered, byOwner(count, 0.01), 0, 0],
  ['values of the index by one command', owned, byOwner(10 * count, 0.1), 0, 0],
  ['many entries by their ids', filtered, byOwner(10 * count, 0.1), 2, 0],
  ['a large share of a collection in ranges', filtered, byOwner(100_000, 0.5), 0, 8],
  [
    'entries by the relation whose condition the fewest meet',
    filtered,
    { all: 60_000, links: [{ index: null, share: 0.01, ids: 1 }, ...byOwner(0, 0.1).links] },
    2,
    0,
  ],
  [
    'entries by one command without an index of the relation',
    filtered,
    { all: 60_000, links: [{ index: null, share: 0.1, ids: 1 }] },
    0,
    0,
  ],
  ['entries with large gaps between their ids by one command', filtered, byOwner(60_000, 0.5), 0, 0],
];

describe('the count of a filter on related entries', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await database.db.collection<{ _id: number }>('things').insertMany(things);
    await database.db.collection<{ _id: number }>('things').insertOne({ _id: 400_000 });
    await ensureIndexes(database.db, thing, thingRegistry);
  });
  after(() => database.drop());

  async function countsOf(run: () => Promise<number>): Promise<{ readonly total: number; readonly counts: readonly Document[] }> {
    const counts: Document[] = [];
    const listen = ({ command }: CommandStartedEvent): void => {
      if (command['count'] === 'things') counts.push(command as Document);
    };
    database.client.on('commandStarted', listen);
    const total = await run();
    database.client.off('commandStarted', listen);
    return { total, counts };
  }

  for (const [title, match, estimates, ids, ranges] of cases)
    it(`reads ${title}`, async () => {
      const { database: read } = contextOf(database).store;
      const { total, counts } = await countsOf(() => countLinked({ collection: 'things', match }, estimates, read));
      expect(total).to.equal(await database.db.collection('things').countDocuments(match));
      const parts = counts
        .filter(({ hint }) => hint === '_id_')
        .map(({ query }) => ((query as Document)['$and'] as Document[])[0]);
      expect(parts.filter((part) => '$in' in (part?.['_id'] as Document))).to.have.length(ids);
      expect(parts.filter((part) => '$gte' in (part?.['_id'] as Document))).to.have.length(ranges);
      expect(counts).to.have.length(Math.max(ids + ranges, 1));
    });

  it('uses the conditions of the index, also with others on the same attributes', async () => {
    const { database: read } = contextOf(database).store;
    const match = { $and: [owned, { name: 'third' }, { name: { $ne: 'other' } }] };
    const parts = await listParts({ collection: 'things', match }, byOwner(10 * count, 0.1), read);
    const ids = (parts ?? []).flatMap((part) => (part['_id'] as { readonly $in: readonly number[] }).$in);
    const expected = await database.db
      .collection('things')
      .find(owned, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .toArray();
    expect(ids).to.deep.equal(expected.map(({ _id }) => _id as unknown));
  });

  it('reads ranges if an index leads to many more ids than estimated', async () => {
    const crowded = await freshDatabase();
    const list = { ids: { $range: [1, 210_000] } };
    const stages = [{ $documents: [list] }, { $unwind: '$ids' }, { $project: { _id: '$ids', owner: { $literal: 1 } } }];
    await crowded.db.aggregate([...stages, { $out: 'things' }]).toArray();
    await ensureIndexes(crowded.db, thing, thingRegistry);
    const { database: read } = contextOf(crowded).store;
    const parts = await listParts({ collection: 'things', match: { owner: { $in: [1] } } }, byOwner(210_000, 0.05), read);
    await crowded.drop();
    expect(parts?.map(({ _id }) => Object.keys(_id as Document))).to.deep.equal(Array(5).fill(['$gte', '$lt']));
  });

  it('reads all entries by one command if there would be too many ranges', async () => {
    const far = { _id: 20_000_000 };
    await database.db.collection<{ _id: number }>('things').insertOne(far);
    const { database: read } = contextOf(database).store;
    const parts = await listParts({ collection: 'things', match: filtered }, byOwner(20_000_000, 0.5), read);
    await database.db.collection<{ _id: number }>('things').deleteOne(far);
    expect(parts).to.equal(null);
  });

  for (const [skip, order] of [
    [0, 1],
    [975, 1],
    [975, -1],
  ] as const)
    it(`reads a page behind ${String(skip)} entries in parts, with few ids in each command (${String(order)})`, async () => {
      const parts = Array.from({ length: 12 }, (_, part) => ({ _id: { $gt: part * 1_000, $lte: (part + 1) * 1_000 } }));
      const sort = [{ links: [], path: 'name', lists: [], order }] as const;
      const window = { skip, limit: 25 };
      const page = { collection: 'things', match: { owner: { $gte: 1 } }, sort, window, projection: {} };
      let largest = 0;
      const listen = ({ command }: CommandStartedEvent): void => {
        const pipeline = command['pipeline'] as readonly Document[] | undefined;
        const filter = (command['filter'] ?? pipeline?.[0]?.['$match']) as Document | undefined;
        for (const { _id } of (filter?.['$and'] ?? []) as readonly { readonly _id?: { readonly $in?: readonly number[] } }[])
          largest = Math.max(largest, _id?.$in?.length ?? 0);
      };
      database.client.on('commandStarted', listen);
      const { documents, total } = await scanParts(page, parts, contextOf(database).store.database);
      database.client.off('commandStarted', listen);
      const all = database.db.collection('things').find(page.match).sort({ name: order, _id: order });
      const expected = await all.skip(skip).limit(25).toArray();
      expect(documents).to.deep.equal(expected);
      expect(total).to.equal(count);
      expect(largest).to.be.within(25, 5_000);
    });
});
