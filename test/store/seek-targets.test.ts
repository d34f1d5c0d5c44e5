import { expect } from 'chai';
import { findMany } from '#content/find-many.js';
import { withDatabase } from '#content/content-context.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import { parseCursors } from '#model/query/parse-cursors.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { parseSort } from '#model/query/parse-list.js';
import { defaultLimits } from '../support/default-limits.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { contextOf, typeOf } from '../support/things.js';

const things = Array.from({ length: 3_000 }, (_, index) => ({
  _id: index + 1,
  name: index % 13 === 0 ? null : `thing ${String(index % 11)}`,
  count: index % 3,
  owner: index % 10 === 3 ? null : index % 500 === 77 ? 9_999 : ((index * 37) % 400) + 1, // 9999 is gone
}));
const persons = Array.from({ length: 400 }, (_, index) => ({
  _id: index + 1,
  name: index % 40 === 7 ? null : `person ${String((index * 7) % 120).padStart(3, '0')}`, // several have one name
}));

const ownerName = ({ owner }: (typeof things)[number]): string => persons.find(({ _id }) => _id === owner)?.name ?? '';
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The ids of a list in its order. Entries without a named owner are first, in descending order last. */
const idsIn = (order: 1 | -1, byName: boolean, isListed: (thing: (typeof things)[number]) => boolean): readonly number[] =>
  things
    .filter(isListed)
    .map((thing) => ({ ...thing, owner: ownerName(thing), name: byName ? (thing.name ?? '') : '' }))
    .sort((a, b) => order * compare(a.owner, b.owner) || compare(a.name, b.name) || a._id - b._id)
    .map(({ _id }) => _id);

interface Walked {
  readonly ids: readonly number[];
  readonly ways: ReadonlySet<string>;
  readonly end: string | null;
}

const all = (): boolean => true;
const walked = ['targets from a cursor'];

/** The sort, the filter, the expected order, and the ways in which the pages are read. */
const lists = [
  ['owner.name', {}, idsIn(1, false, all), walked],
  ['owner.name:desc', {}, idsIn(-1, false, all), walked],
  ['owner.name,name', {}, idsIn(1, true, all), walked],
  ['owner.name:desc,name', {}, idsIn(-1, true, all), walked],
  ['owner.name', { count: 1 }, idsIn(1, false, ({ count }) => count === 1), walked],
  // few entries meet the filter, so that all are joined
  ['owner.name', { id: { $lt: 30 } }, idsIn(1, false, ({ _id }) => _id < 30), ['computed order']],
] as const;

describe('pages by cursors of a list that is sorted by a value of one related entry', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await database.db.collection<{ _id: number }>('things').insertMany(things);
    await database.db.collection<{ _id: number }>('persons').insertMany(persons);
    await database.db.collection('things').createIndex({ owner: 1, _id: -1 });
    await database.db.collection('persons').createIndex({ name: -1, _id: -1 });
  });
  after(() => database.drop());

  /** Reads all pages after or before a cursor. */
  async function walk(query: Query, direction: 'after' | 'before', from: string | null): Promise<Walked> {
    const ways = new Set<string>();
    const ids: number[] = [];
    const context = contextOf(database);
    const traced = withDatabase(context, { ...context.store.database, trace: { onRead: (way) => void ways.add(way) } });
    for (let cursor = from; ;) {
      const pagination = parseCursors({
        limit: '170',
        withCount: 'false',
        ...(cursor === null ? { cursors: 'true' } : { [direction]: cursor }),
      });
      const { entries, cursors } = await findMany(typeOf('api::thing.thing'), { ...query, pagination }, traced);
      const page = entries.map(({ document }) => Number(document['_id']));
      ids.splice(direction === 'after' ? ids.length : 0, 0, ...page);
      cursor = (direction === 'after' ? cursors?.end : cursors?.start) ?? null;
      const hasMore = direction === 'after' ? cursors?.hasNext : cursors?.hasPrevious;
      if (hasMore !== true) return { ids, ways, end: cursor };
    }
  }

  for (const [sort, filters, ids, ways] of lists)
    it(`sort=${sort} ${JSON.stringify(filters)}`, async () => {
      const filter = parseFilters(filters, defaultLimits);
      const query = { ...emptyQuery, filter, fields: ['id'], sort: parseSort(sort, defaultLimits) };
      const forwards = await walk(query, 'after', null);
      expect([forwards.ids, [...forwards.ways]]).to.deep.equal([ids, ways]);
      const backwards = await walk(query, 'before', forwards.end);
      expect([backwards.ids, [...backwards.ways]]).to.deep.equal([ids.slice(0, -1), ways]);
    });
});
