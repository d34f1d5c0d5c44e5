import { expect } from 'chai';
import { Long, type CommandSucceededEvent } from 'mongodb';
import { readAll, type Database } from '../../src/mongo/database.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

describe('mongo/database', () => {
  let fresh: FreshDatabase;
  let database: Database;
  before(async () => {
    fresh = await freshDatabase();
    database = databaseOf(fresh, 60_000);
    const rows = [1, 2, 3].map((_id) => ({ _id, count: Long.fromNumber(2 ** 40 + _id) }));
    await fresh.db.collection<{ _id: number }>('rows').insertMany(rows);
  });
  after(() => fresh.drop());

  const read = () => readAll(database, { find: 'rows', batchSize: 2 });

  it('reads the values of a second reply as those of the first', async () => {
    expect((await read()).map(({ count }) => count as unknown)).to.deep.equal([1, 2, 3].map((id) => 2 ** 40 + id));
  });

  // Ids of cursors are drawn at random: of a thousand, one is small enough to be a number here.
  it('reads further by a cursor id that is small enough to be a number', async () => {
    let isSmall = false;
    const look = ({ commandName, reply }: CommandSucceededEvent): void => {
      const { cursor } = reply as { readonly cursor?: { readonly id: unknown } };
      if (commandName === 'find' && typeof cursor?.id === 'number' && cursor.id !== 0) isSmall = true;
    };
    fresh.client.on('commandSucceeded', look);
    for (let tries = 0; !isSmall && tries < 20_000; tries += 1) expect((await read()).length).to.equal(3);
    fresh.client.off('commandSucceeded', look);
    expect(isSmall).to.equal(true);
  });
});
