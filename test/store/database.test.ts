import { expect } from 'chai';
import { type Binary, type CommandStartedEvent, type CommandSucceededEvent, Long } from 'mongodb';
import { createConfig } from '#settings/create-config.js';
import { connectDatabase } from '#store/send/connection.js';
import { type Database } from '#store/send/database.js';
import { readAll } from '#store/send/read-commands.js';
import { createBudget } from '#base/limits/budget.js';
import { defaultLimits } from '../support/default-limits.js';
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

  it('decodes a second reply in the same way as the first', async () => {
    expect((await read()).map(({ count }) => count as unknown)).to.deep.equal([1, 2, 3].map((id) => 2 ** 40 + id));
  });

  it('does not measure replies with ids as if they had whole documents', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => ({ _id: index, text: 'x'.repeat(2_000) }));
    await fresh.db.collection<{ _id: number }>('texts').insertMany(rows);
    const bounded = { ...database, budget: createBudget(defaultLimits, 'public') };
    const before = database.replies.batchSize('texts');
    const read = await readAll(bounded, { find: 'texts', projection: { _id: 1 }, batchSize: 150 });
    expect([read.length, database.replies.batchSize('texts')]).to.deep.equal([300, before]);
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

  it('has a session for each concurrent command, and reuses it', async () => {
    const sessions: string[] = [];
    const look = ({ command }: CommandStartedEvent): void => {
      const { id } = (command as { readonly lsid: { readonly id: Binary } }).lsid;
      sessions.push(id.toString('hex'));
    };
    const failing = () => readAll(database, { find: 'rows', filter: { $nothing: 1 } }).catch(() => []);
    fresh.client.on('commandStarted', look);
    await Promise.all([1, 2, 3].map(() => readAll(database, { find: 'rows' })));
    await failing();
    for (let turn = 0; turn < 3; turn += 1) await readAll(database, { find: 'rows' });
    fresh.client.off('commandStarted', look);
    const [together, failed, after] = [new Set(sessions.slice(0, 3)), sessions[3] ?? '', new Set(sessions.slice(4))];
    expect([together.size, together.has(failed), after.size]).to.deep.equal([3, true, 1]);
    expect([...after].every((id) => id !== failed && together.has(id))).to.equal(true);
  });

  it('reads from the primary and waits for a majority, even if the connection string says otherwise', async () => {
    const uri = new URL(fresh.uri);
    uri.searchParams.set('readPreference', 'secondaryPreferred');
    uri.searchParams.set('w', '1');
    const { client } = await connectDatabase(uri.href, createConfig({}).database, { collections: [] });
    const { readPreference, writeConcern } = client.options;
    await client.close();
    expect([readPreference.mode, writeConcern.w]).to.deep.equal(['primary', 'majority']);
  });
});
