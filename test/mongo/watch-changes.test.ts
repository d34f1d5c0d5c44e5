import { once } from 'node:events';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { linkTo } from '../../scripts/faults/tcp-link.js';
import { ChangeBus } from '../../src/mongo/changes.js';
import { follow } from '../../src/mongo/watch-changes.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

/** Watches the changes of a database, and counts the reports. */
function following(fresh: FreshDatabase, token: unknown = null) {
  const changes = new ChangeBus();
  const heard = { rows: 0, others: 0 };
  changes.onChange(['rows'], () => (heard.rows += 1));
  // nobody writes to it: it is heard of only when everything is read again
  changes.onChange(['others'], () => (heard.others += 1));
  const stopped = new AbortController();
  const ended = follow(databaseOf(fresh), changes, stopped.signal, token);
  return {
    changes,
    heard,
    stop: async () => {
      stopped.abort();
      await ended;
    },
  };
}

describe('a change stream', () => {
  let fresh: FreshDatabase;
  before(async () => {
    fresh = await freshDatabase();
  });
  after(() => fresh.drop());

  const insert = () => fresh.db.collection('rows').insertOne({});
  const until = async (isSo: () => boolean): Promise<void> => {
    for (const deadline = performance.now() + 20_000; !isSo() && performance.now() < deadline;)
      await fresh.db.command({ ping: 1 });
    expect(isSo()).to.equal(true);
  };
  async function tokenOf(): Promise<{ readonly _data: string }> {
    const stream = fresh.db.watch();
    await stream.tryNext();
    const token = stream.resumeToken as { readonly _data: string };
    await stream.close();
    return token;
  }

  it('resumes from a token, without reading everything again', async () => {
    const token = await tokenOf();
    await insert();
    const { changes, heard, stop } = following(fresh, token);
    await until(() => changes.isListening);
    expect(heard).to.deep.equal({ rows: 1, others: 0 });
    await stop();
  });

  it('starts anew if the server cannot resume from its token, and has everything read again', async () => {
    const { changes, heard, stop } = following(fresh, { _data: 'no place' });
    await until(() => changes.isListening);
    expect(heard).to.deep.equal({ rows: 1, others: 1 });
    await insert();
    await until(() => heard.rows === 2);
    await stop();
  });

  it('reports writes made while it was disconnected', async () => {
    const link = await linkTo(fresh.client.options.hosts[0]?.port ?? 0);
    const client = await MongoClient.connect(`mongodb://127.0.0.1:${String(link.port)}/?directConnection=true`, {
      heartbeatFrequencyMS: 500,
      monitorCommands: true,
    });
    const { changes, heard, stop } = following({ ...fresh, client, db: client.db(fresh.name) });
    await until(() => changes.isListening);
    await insert();
    await until(() => heard.rows === 2);
    link.block();
    await insert();
    await once(client, 'commandStarted');
    link.unblock();
    await until(() => !changes.isListening);
    await until(() => changes.isListening);
    expect(heard).to.deep.equal({ rows: 3, others: 1 });
    await stop();
    await client.close();
    await link.close();
  });
});
