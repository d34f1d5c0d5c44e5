import { expect } from 'chai';
import type { CommandStartedEvent } from 'mongodb';
import { is } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

interface Row {
  readonly _id: string;
  readonly kind: string;
  readonly count?: number;
  readonly at?: Date | null;
}

const rows = ownRows<Row>('_rows');
const stored: readonly Row[] = [
  { _id: 'a', kind: 'one', at: null },
  { _id: 'b', kind: 'one', count: 1, at: new Date(1) },
  { _id: 'c', kind: 'two', count: 1 },
];
const now = new Date(5);

/** What a call returns, whether the driver may repeat it, because it writes one document, and what is stored then. */
interface Case {
  readonly call: (database: Database) => Promise<unknown>;
  readonly returns: unknown;
  readonly isRepeated: boolean;
  readonly left: readonly Row[];
}

const [a, b, c] = stored as readonly [Row, Row, Row];
const increase = { increase: { count: 1 } };
const cases: Readonly<Record<string, Case>> = {
  put: {
    call: (database) => rows.put(database, { _id: 'd', kind: 'two' }),
    ...{ returns: 'd', isRepeated: true, left: [a, b, c, { _id: 'd', kind: 'two' }] },
  },
  'change by id': {
    call: (database) => rows.change(database, { _id: 'b' }, increase),
    ...{ returns: 1, isRepeated: true, left: [a, { ...b, count: 2 }, c] },
  },
  'change of several': {
    call: (database) => rows.change(database, { count: 1 }, increase),
    ...{ returns: 2, isRepeated: false, left: [a, { ...b, count: 2 }, { ...c, count: 2 }] },
  },
  'change that creates': {
    call: (database) => rows.change(database, { _id: 'd' }, { initial: { kind: 'new' } }, { creates: true }),
    ...{ returns: 0, isRepeated: true, left: [a, b, c, { _id: 'd', kind: 'new' }] },
  },
  'change of each': {
    call: (database) => rows.changeEach(database, [[{ _id: 'b' }, increase] as const, [{ _id: 'd' }, increase] as const]),
    ...{ returns: undefined, isRepeated: true, left: [a, { ...b, count: 2 }, c] },
  },
  'fill of null': {
    call: (database) => rows.fill(database, { _id: 'a' }, { at: now }),
    ...{ returns: a, isRepeated: true, left: [{ ...a, at: now }, b, c] },
  },
  'fill of a value': {
    call: (database) => rows.fill(database, { _id: 'b' }, { at: now, kind: '$count' }),
    ...{ returns: b, isRepeated: true, left: stored },
  },
  'fill of nothing': {
    call: (database) => rows.fill(database, { _id: 'd' }, { at: now }),
    ...{ returns: null, isRepeated: true, left: stored },
  },
  take: {
    call: (database) => rows.take(database, { kind: 'two' }),
    ...{ returns: c, isRepeated: true, left: [a, b] },
  },
  'remove by id': {
    call: (database) => rows.remove(database, { _id: 'a', kind: 'one' }),
    ...{ returns: undefined, isRepeated: true, left: [b, c] },
  },
  'remove of several': {
    call: (database) => rows.remove(database, { _id: is.noneOf(['c']) }, { isLong: true }),
    ...{ returns: undefined, isRepeated: false, left: [c] },
  },
  find: {
    call: (database) => rows.find(database, { match: { kind: 'one' }, without: ['at'], sort: { _id: -1 } }),
    returns: [
      { _id: 'b', kind: 'one', count: 1 },
      { _id: 'a', kind: 'one' },
    ],
    ...{ isRepeated: false, left: stored },
  },
  'find of a field': {
    call: (database) => rows.find(database, { match: { _id: 'c' }, fields: ['kind'], without: ['_id'] }),
    ...{ returns: [{ kind: 'two' }], isRepeated: false, left: stored },
  },
};

describe('the rows of an own collection', () => {
  let fresh: FreshDatabase;
  before(async () => {
    fresh = await freshDatabase();
  });
  after(() => fresh.drop());

  for (const [name, { call, returns, isRepeated, left }] of Object.entries(cases))
    it(`${name}: one command`, async () => {
      const collection = fresh.db.collection<Row>('_rows');
      await collection.deleteMany({});
      await collection.insertMany([...stored]);
      const sent: CommandStartedEvent[] = [];
      const listen = (event: CommandStartedEvent): void => void sent.push(event);
      fresh.client.on('commandStarted', listen);
      const returned = await call(databaseOf(fresh));
      fresh.client.off('commandStarted', listen);
      expect(returned).to.deep.equal(returns);
      expect(sent.map(({ command }) => command['txnNumber'] !== undefined)).to.deep.equal([isRepeated]);
      expect(await collection.find().sort({ _id: 1 }).toArray()).to.deep.equal(left);
    });
});
