import { randomBytes } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import type { Database } from '#store/send/database.js';
import { allCollections } from '#declarations.js';
import { Replies } from '#store/send/command-turns.js';
import { AbandonedTransactions } from '#store/send/abandoned.js';
import { Sessions } from '#store/send/calls.js';
import { FieldMoves } from '#store/send/field-moves.js';
import { SearchIndexes, UniqueBuilds } from '#store/send/index-state.js';
import { endless } from '#base/limits/clock.js';
import { workTime } from '#store/send/calls.js';
import { ownCollections } from '#store/send/own-collections.js';
import { WriteQueues } from '#store/send/write-queues.js';
import { Jobs } from '#base/jobs.js';
import { leasesIn } from '#store/stores/claim.js';
import { noObserver } from '#base/observe/observer.js';
import { unlimited } from '#base/limits/budget.js';
import { Queue } from '#base/limits/queue.js';

/** A database that no other test file uses, with a client of its own that reports its commands. */
export interface FreshDatabase {
  readonly uri: string;
  readonly name: string;
  readonly client: MongoClient;
  readonly db: Db;
  /** Deletes the database and closes the client. */
  readonly drop: () => Promise<void>;
}

/** The environment variable that holds the address of the server of the test run. */
export const serverVariable = 'TEST_MONGODB_URI';

const serverUri = (): string => {
  const uri = process.env[serverVariable];
  if (uri === undefined) throw new Error(`${serverVariable} is not set: run tests with --require test/support/hooks.ts`);
  return uri;
};

/** Makes an empty database on the server of the run or the given one; for a `before` hook, with `drop` in the `after` hook. */
export const freshDatabase = async (server = serverUri()): Promise<FreshDatabase> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const address = new URL(server);
  address.pathname = `/${name}`;
  const client = await new MongoClient(address.href, { monitorCommands: true }).connect();
  const db = client.db(name);
  const drop = async (): Promise<void> => {
    await db.dropDatabase();
    await client.close();
  };
  return { uri: address.href, name, client, db, drop };
};

/** The database of the service over a fresh one. `limit`: milliseconds that a command may take. */
export const databaseOf = ({ client, db }: Pick<FreshDatabase, 'client' | 'db'>, limit = 120_000): Database => ({
  client,
  db,
  maxTimeMS: { read: limit, write: limit },
  isReplicated: true,
  isSharded: false,
  ownCollections: ownCollections(allCollections),
  session: null,
  budget: unlimited,
  time: endless,
  turns: null,
  sender: null,
  reads: null,
  sessions: new Sessions(client),
  searches: new SearchIndexes(),
  moves: new FieldMoves(),
  uniques: new UniqueBuilds(),
  abandoned: new AbandonedTransactions({ client, isSharded: false, longest: workTime(limit) }),
  writers: new WriteQueues(),
  scans: new Queue({ atOnce: 10 }),
  replies: new Replies(new Queue({ atOnce: 4 })),
});

/** The background work of a service without an observer. */
export const jobsOf = (fresh: Pick<FreshDatabase, 'client' | 'db'>): Jobs => new Jobs(noObserver, leasesIn(databaseOf(fresh)));
