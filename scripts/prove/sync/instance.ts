import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { serveAccounts } from '../../../test/content/rights/serve-accounts.js';
import { syncModels } from '../../../test/api/sync/sync-models.js';

/*
 * A process of the service: `instance.ts ADDRESS SETTINGS` with the database in the address and the settings of the API as JSON; `first`
 * behind them stores the models. It tells its parent its address, answers the message `settle` when it has noticed every write so far,
 * and `memory` with what it uses. It ends with its parent or after `stop`.
 */
const [uri = '', settings = '{}', order] = process.argv.slice(2);
const client = await new MongoClient(uri, { monitorCommands: true }).connect();
const db = client.db();
const database = { uri, name: db.databaseName, client, db, drop: () => Promise.resolve() };
const config = {
  api: JSON.parse(settings) as object,
  server: { maxConnections: 100_000 },
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

const answers: Readonly<Record<string, () => unknown>> = {
  settle,
  memory: () => {
    globalThis.gc?.();
    return process.memoryUsage();
  },
  stop: () => serving.stop().then(() => process.exit(0)),
};

let answered = Promise.resolve();
process.on('message', (message) => {
  answered = answered.then(async () => void process.send?.((await answers[String(message)]?.()) ?? 'done'));
});
process.on('disconnect', () => process.exit(0));
process.send?.(serving.server.url);
