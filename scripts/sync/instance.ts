import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { serveAccounts } from '../../test/auth/serve-accounts.js';
import { syncModels } from '../../test/sync/sync-models.js';

/*
 * A process of the service: `instance.ts ADDRESS` with the database in the address; `first` behind it stores the models. It tells its
 * parent its address, answers the message `settle` when it has noticed every write so far, and ends with its parent or after `stop`.
 */
const [uri = '', order] = process.argv.slice(2);
const client = await new MongoClient(uri, { monitorCommands: true }).connect();
const db = client.db();
const database = { uri, name: db.databaseName, client, db, drop: () => Promise.resolve() };
const config = {
  api: { sync: { pageSize: 5, connectionsPerCaller: 1_000 } } as object,
  database: { silence: 2_000, selectionTimeout: 30_000 },
};
const serving = await serveAccounts({ database, models: order === 'first' ? syncModels : [], config });

/** A stream that was interrupted may not report the mark, so another one is made. */
async function settle(): Promise<void> {
  for (;;) {
    const heard = serving.settled().then(
      () => true,
      () => false,
    );
    if (await Promise.race([heard, delay(2_000, false)])) return;
  }
}

let settling = Promise.resolve();
process.on('message', (message) => {
  if (message === 'stop') void serving.stop().then(() => process.exit(0));
  else settling = settling.then(settle).then(() => void process.send?.('settled'));
});
process.on('disconnect', () => process.exit(0));
process.send?.(serving.server.url);
