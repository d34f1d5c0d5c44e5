import { type Document, type MongoClient, Timestamp } from 'mongodb';
import { withinTime } from '#base/limits/clock.js';
import type { Database } from '#store/send/database.js';
import { itemsOf, mapValues, textOrNull } from '#base/values.js';

/** How far the log of a replica set reaches back. */
interface OplogFacts {
  readonly hours: number;
  /** Whether it has reached its size, so that its oldest entries are deleted. A log that has not still grows. */
  readonly isFull: boolean;
}

/** What a server says about itself. Facts that the user of the connection may not read are null. */
export interface ServerFacts {
  readonly version: string;
  /** The version whose data format is used, such as `8.0`. */
  readonly featureVersion: string | null;
  readonly topology: 'standalone' | 'replica set' | 'sharded cluster';
  /** Members that hold data, and arbiters, by host and port. */
  readonly members: readonly string[];
  readonly arbiters: readonly string[];
  /** Members that neither lead nor follow, with their state. */
  readonly unhealthy: readonly string[] | null;
  /** Whether `majority` includes the journal for clients that do not say so. */
  readonly isJournaled: boolean | null;
  /** Settings of the replica set with which a primary that hangs is replaced late, with their values. */
  readonly slowElections: readonly string[] | null;
  /** Parameters of the server with which a secondary leaves a primary that hangs late, with their values. */
  readonly slowFollowing: readonly string[] | null;
  /** Milliseconds that the clock of the server is ahead of that of this machine. */
  readonly ahead: number;
  /** Names of the roles of the user; none if the connection has no user. */
  readonly roles: readonly string[];
  /** Whether the user may write to the database; null if the connection has no user. */
  readonly mayWrite: boolean | null;
  /** Whether the user may change options of collections (`collMod`); null if the connection has no user. */
  readonly mayModify: boolean | null;
  /** Bytes of the file system that holds the data. */
  readonly disk: { readonly total: number; readonly free: number } | null;
  readonly oplog: OplogFacts | null;
}

/** Longest time of one command, in milliseconds. */
const patience = 3_000;

/** Reads the facts of a server by a few commands, none of which changes anything. Rejects if it does not answer. */
export async function readServerFacts(database: Database): Promise<ServerFacts> {
  const { client, db, isReplicated, isSharded } = database;
  const ask = (command: Document, name = 'admin'): Promise<Document> =>
    withinTime(patience, () => client.db(name).command({ ...command, maxTimeMS: patience }));
  const tryTo = (command: Document, name?: string): Promise<Document | null> => ask(command, name).catch(() => null);
  const [{ hello, ahead }, { version }, parameter, connection, config, status, stats, oplog] = await Promise.all([
    readClock(() => ask({ hello: 1 })),
    ask({ buildInfo: 1 }),
    tryTo({ getParameter: 1, featureCompatibilityVersion: 1, ...mapValues(quickFollowing, () => 1) }),
    tryTo({ connectionStatus: 1, showPrivileges: true }),
    tryTo({ replSetGetConfig: 1 }),
    tryTo({ replSetGetStatus: 1 }),
    tryTo({ dbStats: 1 }, db.databaseName),
    isReplicated && !isSharded ? withinTime(patience, () => readOplog(client, patience)).catch(() => null) : null,
  ]);
  const { authenticatedUserRoles: roles, authenticatedUserPrivileges: privileges } = documentOf(connection?.['authInfo']);
  const may = (action: string): boolean | null =>
    itemsOf(roles).length === 0 ? null : itemsOf(privileges).some((one) => lets(action, documentOf(one), db.databaseName));
  return {
    version: String(version),
    featureVersion: textOrNull(documentOf(parameter?.['featureCompatibilityVersion'])['version']),
    topology: isSharded ? 'sharded cluster' : isReplicated ? 'replica set' : 'standalone',
    members: [...itemsOf(hello['hosts']), ...itemsOf(hello['passives'])].map(String),
    arbiters: itemsOf(hello['arbiters']).map(String),
    unhealthy: status && itemsOf(status['members']).map(documentOf).filter(isUnhealthy).map(describeMember),
    isJournaled: config && documentOf(config['config'])['writeConcernMajorityJournalDefault'] !== false,
    slowElections: config && slower(quickElections, documentOf(documentOf(config['config'])['settings'])),
    slowFollowing: parameter && slower(quickFollowing, parameter),
    ahead,
    roles: itemsOf(roles).map((role) => String(documentOf(role)['role'])),
    mayWrite: may('insert'),
    mayModify: may('collMod'),
    disk: stats && diskOf(stats),
    oplog,
  };
}

/** The settings of a replica set with which writes are acknowledged again after about 2.5 seconds. */
export const quickElections = {
  electionTimeoutMillis: 1_500,
  heartbeatIntervalMillis: 500,
  heartbeatTimeoutSecs: 1,
  catchUpTimeoutMillis: 500,
} as const;

/** The parameters of each server with which a secondary leaves a primary that hangs after less than two seconds. */
export const quickFollowing = { oplogNetworkTimeoutBufferSeconds: 1, oplogFetcherSteadyStateMaxFetcherRestarts: 0 } as const;

/** Returns the settings that are slower than the quick ones. A negative time is none at all. */
const slower = (quick: Readonly<Record<string, number>>, settings: Document): readonly string[] =>
  Object.entries(quick)
    .map(([name, most]) => ({ name, most, value: Number(settings[name] ?? NaN) }))
    .filter(({ most, value }) => value < 0 || value > most)
    .map(({ name, value }) => `${name}: ${String(value)}`);

/** Returns the reply of `hello`, and how far its clock is ahead of the middle of the wait for it. */
async function readClock(ask: () => Promise<Document>): Promise<{ readonly hello: Document; readonly ahead: number }> {
  await ask(); // the next one has a connection
  const [begun, started] = [Date.now(), performance.now()];
  const hello = await ask();
  const middle = begun + (performance.now() - started) / 2;
  return { hello, ahead: Number(hello['localTime']) - middle };
}

/** Returns whether a privilege lets a user do an action, such as `insert`, on all collections of a database. */
function lets(action: string, { resource, actions }: Document, name: string): boolean {
  const { anyResource, db, collection } = documentOf(resource);
  return itemsOf(actions).includes(action) && (anyResource === true || (collection === '' && (db === name || db === '')));
}

const diskOf = ({ fsTotalSize, fsUsedSize }: Document) =>
  typeof fsTotalSize === 'number' && typeof fsUsedSize === 'number'
    ? { total: fsTotalSize, free: fsTotalSize - fsUsedSize }
    : null;

/** The states of members that work: primary, secondary, arbiter. */
const working: readonly unknown[] = [1, 2, 7];

const isUnhealthy = ({ state, health }: Document): boolean => health === 0 || !working.includes(state);

const describeMember = ({ name, stateStr }: Document): string => `${String(name)} (${String(stateStr)})`;

const documentOf = (value: unknown): Document => (typeof value === 'object' && value !== null ? value : {});

/** The share of its size from which on a log counts as full. */
const fullFrom = 0.9;

/** Reads the first and the last entry of the log. Rejects if the user of the connection may not. */
async function readOplog(client: MongoClient, maxTimeMS: number): Promise<OplogFacts | null> {
  const oplog = client.db('local').collection('oplog.rs');
  const end = async (order: 1 | -1): Promise<number | null> => {
    const [entry] = await oplog
      .find({}, { projection: { ts: 1 }, maxTimeMS })
      .sort({ $natural: order })
      .limit(1)
      .toArray();
    const time: unknown = entry?.['ts'];
    return time instanceof Timestamp ? time.getHighBits() : null;
  };
  const [first, last, [stats]] = await Promise.all([
    end(1),
    end(-1),
    oplog.aggregate([{ $collStats: { storageStats: {} } }], { maxTimeMS }).toArray(),
  ]);
  if (first === null || last === null) return null;
  const { size = 0, maxSize = Infinity } = (stats?.['storageStats'] ?? {}) as {
    readonly size?: number;
    readonly maxSize?: number;
  };
  return { hours: (last - first) / 3_600, isFull: size > fullFrom * maxSize };
}
