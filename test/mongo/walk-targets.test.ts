import { expect } from 'chai';
import type { CommandStartedEvent, Document } from 'mongodb';
import { findMany } from '../../src/content/find-many.js';
import { emptyQuery } from '../../src/query/ast.js';
import { defaultLimits } from '../support/default-limits.js';
import { parsePagination, parseSort } from '../../src/query/parse-list.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
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

/** Links to an entry that is gone come last, as those to nothing do in descending order. */
const groupOf = (thing: (typeof things)[number], order: number): number => {
  if (nameOf(thing) !== '') return 1;
  return order === -1 || thing.owner === 9_999 ? 2 : 0;
};

function expectedIds(order: 1 | -1, byName: boolean): readonly number[] {
  const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  return [...things]
    .sort(
      (a, b) =>
        groupOf(a, order) - groupOf(b, order) ||
        order * compare(nameOf(a), nameOf(b)) ||
        (byName ? compare(a.name, b.name) || a._id - b._id : order * (a._id - b._id)),
    )
    .map(({ _id }) => _id);
}

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
  ] as const;

  /** Documents that the commands of some work examine. */
  async function examinedBy(work: () => Promise<unknown>): Promise<number> {
    const seen: Document[] = [];
    const listen = ({ commandName, command }: CommandStartedEvent): void => {
      if (commandName === 'find' || commandName === 'aggregate') seen.push(command as Document);
    };
    database.client.on('commandStarted', listen);
    await work();
    database.client.off('commandStarted', listen);
    const parts = ['find', 'filter', 'sort', 'projection', 'skip', 'limit', 'aggregate', 'pipeline', 'cursor'];
    const explained = await Promise.all(
      seen.map((command) => {
        const explain = Object.fromEntries(Object.entries(command).filter(([key]) => parts.includes(key)));
        return database.db.command({ explain, verbosity: 'executionStats' });
      }),
    );
    const counts = explained.map((one) => /"totalDocsExamined":(\d+)/.exec(JSON.stringify(one))?.[1]);
    return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
  }

  for (const [sort, start, limit, order, byName] of cases)
    it(`sort=${sort}, ${limit} from ${start} on: in order, and few documents are examined`, async () => {
      const pagination = parsePagination({ start, limit, withCount: 'false' });
      const query = { ...emptyQuery, sort: parseSort(sort, defaultLimits), pagination };
      const found: unknown[] = [];
      const examined = await examinedBy(async () => {
        const { entries } = await findMany(typeOf('api::thing.thing'), query, contextOf(database));
        found.push(...entries.map(({ document }) => document['_id']));
      });
      const from = Number(start);
      expect(found).to.deep.equal(expectedIds(order, byName).slice(from, from + Number(limit)));
      if (from === 0) expect(examined).to.be.within(1, 1_000);
    });
});
