import { expect } from 'chai';
import { findMany, type FoundPage } from '#content/find-many.js';
import { emptyQuery } from '#model/query/ast.js';
import { collectionType } from '../support/collection-type.js';
import { defaultLimits } from '../support/default-limits.js';
import { commandsDuring, explain } from '../support/explain.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { parsePagination, parseSort } from '#model/query/parse-list.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { contextOf, typeOf } from '../support/things.js';

const things = Array.from({ length: 3_000 }, (_, index) => ({
  _id: index + 1,
  name: `thing ${String(index % 11)}`,
  owner: index % 10 === 3 ? null : index === 77 ? 9_999 : ((index * 37) % 400) + 1, // 9999 is gone
}));
const persons = Array.from({ length: 400 }, (_, index) => ({
  _id: index + 1,
  name: index % 40 === 7 ? null : `person ${String((index * 7) % 120).padStart(3, '0')}`, // several have one name
}));

const names = new Map(persons.map(({ _id, name }) => [_id, name]));
const nameOf = ({ owner }: (typeof things)[number]): string => names.get(owner ?? 0) ?? '';

/**
 * Links to an entry that is gone come last, as those to nothing do in descending order. On far pages, which are joined, they come
 * first in ascending order.
 */
const groupOf = (thing: (typeof things)[number], order: number, isFar: boolean): number => {
  if (nameOf(thing) !== '') return 1;
  return order === -1 || (thing.owner === 9_999 && !isFar) ? 2 : 0;
};

function expectedIds(order: 1 | -1, byName: boolean, isFar: boolean): readonly number[] {
  const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  return [...things]
    .sort(
      (a, b) =>
        groupOf(a, order, isFar) - groupOf(b, order, isFar) ||
        order * compare(nameOf(a), nameOf(b)) ||
        (byName ? compare(a.name, b.name) : 0) ||
        a._id - b._id,
    )
    .map(({ _id }) => _id);
}

interface Examined<T> {
  readonly result: T;
  readonly examined: number;
  readonly keys: number;
  /** The names and collections of the reads. */
  readonly commands: readonly string[];
}

/** The result of some work, and how many documents and keys its reads examine; counts are left out. */
async function examinedBy<T>(database: FreshDatabase, work: () => Promise<T>): Promise<Examined<T>> {
  const { result, commands } = await commandsDuring(database.client, ['find', 'aggregate'], work);
  const explained = await Promise.all(commands.map((command) => explain(database.db, command)));
  return {
    result,
    examined: explained.reduce((sum, { documentsExamined }) => sum + documentsExamined, 0),
    keys: explained.reduce((sum, { keysExamined }) => sum + keysExamined, 0),
    commands: commands.map((command) => Object.entries(command)[0]?.join(' ') ?? ''),
  };
}

const idsOf = ({ entries }: FoundPage) => entries.map(({ document }) => document['_id']);

const expectedTail = things.slice(2_980).map(({ _id }) => _id);

describe('a sort through a relation to one entry', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await database.db.collection<{ _id: number }>('things').insertMany(things);
    await database.db.collection<{ _id: number }>('persons').insertMany(persons);
    await database.db.collection('things').createIndex({ owner: 1, _id: -1 });
    await database.db.collection('persons').createIndex({ name: -1, _id: -1 });
  });
  after(() => database.drop());

  const cases = [
    ['owner.name', '0', '25', 1, false],
    ['owner.name', '320', '25', 1, false],
    ['owner.name', '900', '100', 1, false],
    ['owner.name:desc', '0', '25', -1, false],
    ['owner.name:desc', '700', '100', -1, false],
    ['owner.name,name', '290', '60', 1, true],
    ['owner.name:desc,name', '0', '60', -1, true],
    ['owner.name', '1500', '100', 1, false],
    ['owner.name', '2990', '25', 1, false],
    ['owner.name', '3000', '25', 1, false],
    ['owner.name:desc', '1201', '7', -1, false],
    ['owner.name:desc', '2600', '100', -1, false],
    ['owner.name:desc,name', '1800', '60', -1, true],
  ] as const;

  for (const [sort, start, limit, order, byName] of cases)
    it(`sort=${sort}, ${limit} from ${start} on: in order, and few documents are examined`, async () => {
      const pagination = parsePagination({ start, limit, withCount: 'false' });
      const query = { ...emptyQuery, sort: parseSort(sort, defaultLimits), pagination };
      const type = typeOf('api::thing.thing');
      const { result, examined } = await examinedBy(database, () => findMany(type, query, contextOf(database)));
      const from = Number(start);
      expect(idsOf(result)).to.deep.equal(expectedIds(order, byName, from >= 1_000).slice(from, from + Number(limit)));
      if (from === 0) expect(examined).to.be.below(1_000);
    });

  it('a page near the end of a list without such a sort is read from the end', async () => {
    const query = { ...emptyQuery, pagination: parsePagination({ start: '2980', limit: '25', withCount: 'true' }) };
    const type = typeOf('api::thing.thing');
    const { result, keys } = await examinedBy(database, () => findMany(type, query, contextOf(database)));
    expect({ ids: idsOf(result), total: result.total }).to.deep.equal({ ids: expectedTail, total: 3_000 });
    expect(keys).to.be.within(1, 25);
  });

  it('behind the end: nothing is read', async () => {
    const context = contextOf(database);
    const type = typeOf('api::thing.thing');
    for (const sort of ['', 'name:desc', 'owner.name']) {
      const ask = (start: string) => {
        const pagination = parsePagination({ start, limit: '25', withCount: 'true' });
        const filter = parseFilters({ name: { $startsWith: 'thing' } }, defaultLimits);
        return examinedBy(database, () =>
          findMany(type, { ...emptyQuery, filter, sort: parseSort(sort, defaultLimits), pagination }, context),
        );
      };
      const { result, commands } = await ask('3000');
      expect({ ids: idsOf(result), total: result.total }, sort).to.deep.equal({ ids: [], total: 3_000 });
      expect(commands, sort).to.deep.equal([]);
    }
  });
});

/** Things with none to three tags, and persons with none to several things; some tags and things have no name. */
const tags = Array.from({ length: 300 }, (_, index) => ({
  _id: index + 1,
  name: index % 60 === 7 ? null : `tag ${String((index * 7) % 130).padStart(3, '0')}`,
}));
const tagged = Array.from({ length: 3_000 }, (_, index) => ({
  _id: index + 1,
  name: index % 70 === 5 ? null : `thing ${String((index * 11) % 2_500).padStart(4, '0')}`,
  count: index % 10,
  kind: index % 100 === 0 ? 'a' : 'b',
  owner: index % 9 === 2 ? null : 1 + ((index * 31) % 2_000),
  tags: index % 50 === 4 ? [] : [...new Set([0, 97, 211].slice(index % 3).map((step) => 1 + ((index * 13 + step) % 300)))],
}));
const owners = Array.from({ length: 2_500 }, (_, index) => ({
  _id: index + 1,
  name: `person ${String(index)}`,
  age: index % 10,
}));

interface Named {
  readonly _id: number;
  readonly name: string | null;
}

/** The ids in the order of the least or greatest name of what each entry is linked with; null counts as the least. */
function sortedIds(
  entries: readonly Named[],
  namesOf: (id: number) => readonly (string | null)[],
  order: 1 | -1,
): readonly number[] {
  const valueOf = ({ _id }: Named): string => {
    const sorted = namesOf(_id)
      .map((name) => name ?? '')
      .sort();
    return (order === 1 ? sorted[0] : sorted.at(-1)) ?? '';
  };
  const values = new Map(entries.map((entry) => [entry._id, valueOf(entry)]));
  const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  return entries.map(({ _id }) => _id).sort((a, b) => order * compare(values.get(a) ?? '', values.get(b) ?? '') || a - b);
}

describe('a sort through a relation, with a filter or to several entries', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    const { db } = database;
    for (const [name, documents] of Object.entries({ tags, things: tagged, persons: owners }))
      await db.collection<{ _id: number }>(name).insertMany([...documents]);
    await db
      .collection('things')
      .createIndexes([{ key: { owner: 1, _id: -1 } }, { key: { tags: 1, _id: -1 } }, { key: { name: -1, _id: -1 } }]);
    await db.collection('things').createIndexes([{ key: { count: -1, _id: -1 } }, { key: { kind: -1, _id: -1 } }]);
    await db.collection('tags').createIndex({ name: -1, _id: -1 });
    await db.collection('persons').createIndexes([{ key: { name: -1, _id: -1 } }, { key: { age: -1, _id: -1 } }]);
  });
  after(() => database.drop());

  const tagNames = new Map(tags.map(({ _id, name }) => [_id, name]));
  const ownerNames = new Map(owners.map(({ _id, name }) => [_id, name]));
  const namesOfTags = (id: number) => (tagged[id - 1]?.tags ?? []).map((tag) => tagNames.get(tag) ?? null);
  const namesOfOwner = (id: number) => [ownerNames.get(tagged[id - 1]?.owner ?? 0) ?? null];
  const thingsOf = new Map(owners.map(({ _id }) => [_id, tagged.filter(({ owner }) => owner === _id)]));
  const namesOfThings = (id: number) => (thingsOf.get(id) ?? []).map(({ name }) => name);

  const each = ['0 25', '40 100', '900 100', '1500 100'];
  const most = tagged.filter(({ count }) => count >= 2);
  const cases = [
    { type: 'thing', sort: 'tags.name', entries: tagged, names: namesOfTags },
    { type: 'thing', sort: 'tags.name', filters: { count: { $gte: 2 } }, entries: most, names: namesOfTags },
    { type: 'thing', sort: 'owner.name', filters: { count: { $gte: 2 } }, entries: most, names: namesOfOwner },
    {
      type: 'thing',
      sort: 'owner.name',
      filters: { kind: 'a' },
      entries: tagged.filter(({ kind }) => kind === 'a'),
      names: namesOfOwner,
    },
    { type: 'person', sort: 'things.name', entries: owners, names: namesOfThings },
    {
      type: 'person',
      sort: 'things.name',
      filters: { age: { $gte: 2 } },
      entries: owners.filter(({ age }) => age >= 2),
      names: namesOfThings,
    },
  ] as const;

  for (const { type, sort, entries, names, ...rest } of cases)
    for (const order of [1, -1] as const) {
      const filters = 'filters' in rest ? rest.filters : null;
      it(`${type}s by ${sort}, ${order === 1 ? 'ascending' : 'descending'}, with ${JSON.stringify(filters)}`, async () => {
        const expected = sortedIds(entries, names, order);
        for (const range of each) {
          const [start = '', limit = ''] = range.split(' ');
          const text = `${sort}${order === 1 ? '' : ':desc'}`;
          const query = {
            ...emptyQuery,
            ...(filters !== null && { filter: parseFilters(filters, defaultLimits) }),
            sort: parseSort(text, defaultLimits),
            pagination: parsePagination({ start, limit, withCount: 'false' }),
          };
          const asked = typeOf(`api::${type}.${type}`);
          const { result, examined } = await examinedBy(database, () => findMany(asked, query, contextOf(database)));
          const from = Number(start);
          expect(idsOf(result), range).to.deep.equal(expected.slice(from, from + Number(limit)));
          if (from === 0 && type === 'thing' && entries.length > 100) expect(examined).to.be.within(1, 1_000);
        }
      });
    }

  it('reads few of many entries without links, by two commands', async () => {
    expect(tagged.filter(({ owner }) => owner === null).length).to.be.above(300);
    const pagination = parsePagination({ limit: '25', withCount: 'false' });
    const query = { ...emptyQuery, sort: parseSort('owner.name', defaultLimits), pagination };
    const asked = typeOf('api::thing.thing');
    const { examined, commands } = await examinedBy(database, () => findMany(asked, query, contextOf(database)));
    expect(commands).to.deep.equal(['find persons', 'aggregate things']);
    expect(examined).to.be.within(25, 100);
  });
});

describe('a sort through two relations', () => {
  let database: FreshDatabase;
  /** Every seventh person has no boss, every fifth boss no name, and every ninth thing no owner. */
  const nameOfBoss = (id: number): string | null => (id % 5 === 0 ? null : `boss ${String((id * 7) % 30).padStart(2, '0')}`);
  const bossOf = (id: number): number | null => (id % 7 === 3 ? null : 1 + (id % 40));
  const ownerOf = (id: number): number | null => (id % 9 === 2 ? null : 41 + ((id * 31) % 600));
  const owned = Array.from({ length: 3_000 }, (_, index) => ({ _id: index + 1, name: null, owner: ownerOf(index + 1) }));
  before(async () => {
    database = await freshDatabase();
    const people = Array.from({ length: 700 }, (_, index) => ({
      _id: index + 1,
      name: nameOfBoss(index + 1),
      boss: index < 40 ? null : bossOf(index + 1),
    }));
    await database.db.collection<{ _id: number }>('things').insertMany(owned);
    await database.db.collection<{ _id: number }>('persons').insertMany(people);
    await database.db.collection('things').createIndex({ owner: 1, _id: -1 });
    await database.db.collection('persons').createIndexes([{ key: { name: -1, _id: -1 } }, { key: { boss: 1, _id: -1 } }]);
  });
  after(() => database.drop());

  const namesOf = (id: number): readonly (string | null)[] => {
    const owner = ownerOf(id);
    const boss = owner === null ? null : bossOf(owner);
    return [boss === null ? null : nameOfBoss(boss)];
  };

  for (const order of [1, -1] as const)
    for (const [start, limit] of [
      ['0', '25'],
      ['500', '100'],
      ['1400', '100'],
    ] as const)
      it(`${order === 1 ? 'ascending' : 'descending'}, ${limit} from ${start} on`, async () => {
        const sort = parseSort(`owner.boss.name${order === 1 ? '' : ':desc'}`, defaultLimits);
        const query = { ...emptyQuery, sort, pagination: parsePagination({ start, limit, withCount: 'false' }) };
        const asked = typeOf('api::thing.thing');
        const result = await findMany(asked, query, contextOf(database));
        const from = Number(start);
        expect(idsOf(result)).to.deep.equal(sortedIds(owned, namesOf, order).slice(from, from + Number(limit)));
      });
});

describe('a sort through a relation to many, and then to one', () => {
  const { registry } = buildRegistry([
    collectionType('item', { parts: { type: 'relation', relation: 'manyToMany', target: 'api::part.part' } }),
    collectionType('part', { maker: { type: 'relation', relation: 'manyToOne', target: 'api::maker.maker' } }),
    collectionType('maker', { name: { type: 'string', index: true } }),
  ]);
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  it('ignores parts without a maker beside others, on each page', async () => {
    const makers = Array.from({ length: 20 }, (_, index) => ({ _id: index + 1, name: `maker ${letterAt((index * 7) % 20)}` }));
    const parts = Array.from({ length: 60 }, (_, index) => ({ _id: index + 1, maker: index < 50 ? 1 + (index % 20) : null }));
    const partsOf = (id: number): number[] => (id % 2 === 0 ? [1 + (id % 50)] : [51 + (id % 10), 1 + (id % 50)]);
    const items = Array.from({ length: 3_000 }, (_, index) => ({ _id: index + 1, name: null, parts: partsOf(index + 1) }));
    for (const [name, documents] of Object.entries({ makers, parts, items }))
      await database.db.collection<{ _id: number }>(name).insertMany([...documents]);
    const namesOf = (id: number): readonly (string | null)[] =>
      partsOf(id).flatMap((part) => (part > 50 ? [] : [makers[(part - 1) % 20]?.name ?? null]));
    for (const start of [0, 900, 1_000, 2_900]) {
      const sort = parseSort('parts.maker.name', defaultLimits);
      const query = {
        ...emptyQuery,
        sort,
        pagination: parsePagination({ start: String(start), limit: '100', withCount: 'false' }),
      };
      const page = await findMany(typeOf('api::item.item', registry), query, contextOf(database, registry));
      expect(idsOf(page), String(start)).to.deep.equal(sortedIds(items, namesOf, 1).slice(start, start + 100));
    }
  });
});

/** Returns an empty database with the indexes of owners and names. */
async function indexedDatabase(): Promise<FreshDatabase> {
  const database = await freshDatabase();
  await database.db.collection('things').createIndex({ owner: 1, _id: -1 });
  await database.db.collection('persons').createIndex({ name: -1, _id: -1 });
  return database;
}

const letterAt = (index: number): string => String.fromCharCode(97 + index);

describe('a sort through a relation to few entries, with a filter', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await indexedDatabase();
  });
  after(() => database.drop());

  const busy = Array.from({ length: 3_000 }, (_, index) => ({
    _id: index + 1,
    count: index % 5,
    owner: index % 300 === 7 ? null : 1 + ((index * 7) % 20),
  }));
  const matching = busy.filter(({ count }) => count >= 1);
  const few = (step: number) =>
    Array.from({ length: 20 }, (_, index) => ({ _id: index + 1, name: letterAt((index * step) % 20) }));
  for (const [title, step, order, read] of [
    ['in the order of their ids', 1, 1, 'find'],
    ['in the order of their ids, read from the last one', 1, -1, 'find'],
    ['in another order', 13, 1, 'aggregate'],
  ] as const)
    it(`${title}: one ${read} reads their entries`, async () => {
      const documents = few(step);
      for (const [name, stored] of Object.entries({ things: busy, persons: documents })) {
        await database.db.collection(name).deleteMany({});
        await database.db.collection<{ _id: number }>(name).insertMany([...stored]);
      }
      const names = new Map(documents.map(({ _id, name }) => [_id, name]));
      const namesOfOwner = (id: number) => [names.get(busy[id - 1]?.owner ?? 0) ?? null];
      const entries = matching.map((thing) => ({ ...thing, name: null }));
      const query = {
        ...emptyQuery,
        filter: parseFilters({ count: { $gte: 1 } }, defaultLimits),
        sort: parseSort(`owner.name${order === 1 ? '' : ':desc'}`, defaultLimits),
        pagination: parsePagination({ limit: '25', withCount: 'false' }),
      };
      const asked = typeOf('api::thing.thing');
      const { result, examined, commands } = await examinedBy(database, () => findMany(asked, query, contextOf(database)));
      expect(idsOf(result)).to.deep.equal(sortedIds(entries, namesOfOwner, order).slice(0, 25));
      expect(commands).to.deep.equal(['find persons', `${read} things`]);
      expect(examined).to.be.within(1, 1_000);
    });
});

describe('a sort through a relation in a list of components', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  /** Every third thing has an element without a maker beside one with a maker; every fourth has no element. */
  const makers = (id: number): readonly (number | null)[] =>
    id % 4 === 0 ? [] : [...(id % 3 === 0 ? [null] : []), (id * 7) % 20];
  const makerName = (id: number | null): string | null =>
    id === null ? null : `maker ${String((id * 13) % 20).padStart(2, '0')}`;

  it('counts elements with a target', async () => {
    const entries = Array.from({ length: 2_500 }, (_, index) => ({ _id: index + 1, name: null }));
    const stored = entries.map(({ _id }) => ({ _id, parts: makers(_id).map((maker) => ({ maker })) }));
    await database.db.collection<{ _id: number }>('things').insertMany(stored);
    const persons = Array.from({ length: 20 }, (_, _id) => ({ _id, name: makerName(_id) }));
    await database.db.collection<{ _id: number }>('persons').insertMany(persons);
    const namesOf = (id: number) =>
      makers(id)
        .filter((maker) => maker !== null)
        .map(makerName);
    for (const order of [1, -1] as const) {
      const sort = parseSort(`parts.maker.name${order === 1 ? '' : ':desc'}`, defaultLimits);
      const query = { ...emptyQuery, sort, pagination: parsePagination({ start: '600', limit: '100', withCount: 'false' }) };
      const page = await findMany(typeOf('api::thing.thing'), query, contextOf(database));
      expect(idsOf(page)).to.deep.equal(sortedIds(entries, namesOf, order).slice(600, 700));
    }
  });
});
