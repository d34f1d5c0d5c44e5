import { MongoClient, type MongoClientOptions, MongoServerError } from 'mongodb';
import { messageOf } from '#base/errors.js';
import type { DatabaseConfig } from '#settings/config.js';
import { readAddress } from '#settings/database-address.js';
import { ConfigError } from '#settings/setting.js';
import { collections } from '#model/schema/collections.js';
import { noObserver, type Observer } from '#base/observe/observer.js';
import { Queue } from '#base/limits/queue.js';
import { type Database, ofNoRequest } from './database.js';
import { ensureCollections } from './ensure-collections.js';
import { observeCommands } from './observe-commands.js';
import { type OwnCollection, ownCollections } from './own-collections.js';
import { AbandonedTransactions } from './abandoned.js';
import { Sessions, workTime } from './calls.js';
import { FieldMoves } from './field-moves.js';
import { SearchIndexes, UniqueBuilds } from './index-state.js';
import { Replies } from './command-turns.js';
import { WriteQueues } from './write-queues.js';

/** What a connection has besides its settings. */
interface ConnectParts {
  /** The collections of features, for what changes, copies or deletes them. */
  readonly collections: readonly OwnCollection[];
  readonly observer?: Observer;
}

/** Does the same as `connectForReads`, and creates the collections of the service on a sharded cluster. */
export async function connectDatabase(uri: string, config: DatabaseConfig, parts: ConnectParts): Promise<Database> {
  const database = await connectForReads(uri, config, parts);
  try {
    await ensureCollections(Object.values(collections), database);
    return database;
  } catch (error) {
    await database.client.close();
    throw explainRefusal(error, { uri, name: config.name });
  }
}

/**
 * Connects to MongoDB with the guarantees of the service: writes acknowledged by a majority and in the journal, retried once.
 * Rejects if no server answers within the selection timeout, and with a ConfigError if the address or its user can never work.
 */
export async function connectForReads(
  uri: string,
  config: DatabaseConfig,
  { collections: ofFeatures, observer = noObserver }: ConnectParts,
): Promise<Database> {
  const client = createClient(uri, config, observer);
  try {
    if (observer.hasConsumer('command ended')) observeCommands(client, observer);
    await client.connect();
    const db = client.db(config.name ?? (hasDatabase(uri) ? undefined : 'mangrove'));
    const { setName, msg } = await db.command({ hello: 1 });
    const isSharded = msg === 'isdbgrid';
    const isReplicated = setName !== undefined || isSharded;
    const database = {
      client,
      db,
      maxTimeMS: config.maxTimeMS,
      isReplicated,
      isSharded,
      ownCollections: ownCollections(ofFeatures),
      ...ofNoRequest,
      sessions: new Sessions(client),
      scans: new Queue({ ...waitBounds, atOnce: Math.max(Math.floor(config.poolSize / 4), 1) }),
      replies: new Replies(new Queue({ ...waitBounds, atOnce: 2 })),
      searches: new SearchIndexes(),
      moves: new FieldMoves(),
      uniques: new UniqueBuilds(),
      abandoned: new AbandonedTransactions({ client, isSharded, longest: workTime(config.maxTimeMS.write) }),
      writers: new WriteQueues(),
    };
    observer.observe({ kind: 'queue opened', name: 'scans', size: () => database.scans.size });
    return database;
  } catch (error) {
    await client.close();
    throw explainRefusal(error, { uri, name: config.name });
  }
}

const createClient = (uri: string, config: DatabaseConfig, observer: Observer): MongoClient =>
  createClientOf(uri, {
    ...(observer.hasConsumer('command ended') && { monitorCommands: true }),
    appName: 'mangrove',
    // override the connection string, so that acknowledged writes are durable and visible to all reads
    readPreference: 'primary',
    writeConcern: { w: 'majority', j: true },
    retryWrites: true,
    retryReads: true,
    maxPoolSize: config.poolSize,
    waitQueueTimeoutMS: config.waitQueueTimeout,
    serverSelectionTimeoutMS: config.selectionTimeout,
    // The connections to a server that hangs stay open. Without a heartbeat they are closed, and their commands go to another
    // server.
    heartbeatFrequencyMS: config.heartbeat,
    connectTimeoutMS: config.silence,
    ignoreUndefined: true,
  });

/**
 * Maximum number of commands that wait in a queue of all requests, in total and per client. Further ones are answered by a 503.
 */
const waitBounds = { waiting: 400, ofClient: 200 };

/** Returns host, port and database for display, without credentials. */
export const describeDatabase = ({ client, db }: Database): string =>
  `${client.options.hosts.map(String).join(',') || (client.options.srvHost ?? '')}/${db.databaseName}`;

/** Resolves if the server answers; for the readiness check. */
export async function ping({ db }: Database): Promise<boolean> {
  await db.command({ ping: 1, maxTimeMS: 2000 });
  return true;
}

const setting = 'the address of the database (database.uri, MONGODB_URI)';

/**
 * Creates a client of an address. Throws a ConfigError, which says what to do and contains no part of the password, if the address
 * cannot be read.
 */
export function createClientOf(written: string, options: MongoClientOptions): MongoClient {
  const { uri, problems } = readAddress(written);
  const [problem] = problems;
  if (problem !== undefined) throw new ConfigError(`${setting} ${problem}`);
  const reason = parse(uri, options);
  if (typeof reason !== 'string') return reason;
  // The driver's message of an address with another password cannot contain the password.
  const safe = parse(uri.replace(/^([^:]+:\/\/)[^/?]*@/, '$1user:password@'), options);
  throw new ConfigError(`${setting} cannot be read: ${typeof safe === 'string' ? safe : 'check the user name and the password'}`);
}

/** Returns a client, or the message of the driver. */
function parse(uri: string, options: MongoClientOptions): MongoClient | string {
  try {
    return new MongoClient(uri, options);
  } catch (error) {
    return messageOf(error);
  }
}

/** Error codes of MongoDB and Atlas for a user that does not exist, or has another password. */
const notLoggedIn: readonly unknown[] = [18, 8000];
const notAllowed = 13;

/** Returns the ConfigError for an error that no further attempt can mend: the user is refused. Returns other errors unchanged. */
export function explainRefusal(error: unknown, { uri, name }: { readonly uri: string; readonly name: string | null }): unknown {
  if (!(error instanceof MongoServerError)) return error;
  if (notLoggedIn.includes(error.code))
    return new ConfigError(
      `MongoDB refuses the user name or the password of ${setting}. If they are right, name the database in which the user was ` +
        'created, as in ?authSource=admin',
      { cause: error },
    );
  if (error.code !== notAllowed) return error;
  const isNamed = name !== null || hasDatabase(uri);
  return new ConfigError(
    isNamed
      ? `the user of ${setting} may not read and write the database that it names: grant the role readWrite on it`
      : `the user of ${setting} may not use the database mangrove, which is the default, since the address names none: add its ` +
          'name to the address, as in mongodb://HOST/NAME, or set database.name (MONGODB_DATABASE)',
    { cause: error },
  );
}

/** Returns whether an address names a database. */
const hasDatabase = (uri: string): boolean => /^mongodb(\+srv)?:\/\/[^/]+\/[^?]/.test(uri);
