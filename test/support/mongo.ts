import { randomBytes } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import { startEphemeral, type ScriptDatabase } from '../../scripts/start-database.js';

/** A database that no other test file uses, with a client of its own that reports its commands. */
export interface FreshDatabase {
  readonly uri: string;
  readonly name: string;
  readonly client: MongoClient;
  readonly db: Db;
  /** Deletes the database and closes the client. */
  readonly drop: () => Promise<void>;
}

let server: Promise<ScriptDatabase> | undefined;

/** The server of this test run, started when it is first asked for. */
export const testServer = (): Promise<ScriptDatabase> => (server ??= startEphemeral(console.log));

export const stopTestServer = async (): Promise<void> => {
  await (await server)?.stop();
  server = undefined;
};

/** Makes an empty database; for a `before` hook, with `drop` in the `after` hook. */
export const freshDatabase = async (): Promise<FreshDatabase> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const address = new URL((await testServer()).uri);
  address.pathname = `/${name}`;
  const client = await new MongoClient(address.href, { monitorCommands: true }).connect();
  const db = client.db(name);
  const drop = async (): Promise<void> => {
    await db.dropDatabase();
    await client.close();
  };
  return { uri: address.href, name, client, db, drop };
};
