import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, type Document } from 'mongodb';
import { findBinary } from '../../../src/operate/embedded/find-binary.js';
import { launchMongod, type RunningMongod } from '../../../src/operate/embedded/launch-mongod.js';
import { commonArguments } from '../../../src/operate/embedded/open-data.js';
import { pickPort } from '../../../src/operate/embedded/open-data.js';
import { directLink, linkTo, type TcpLink } from './tcp-link.js';

/** One mongod of the set, and the link that everybody reaches it by, the other members too. */
export interface Member {
  readonly link: TcpLink;
  readonly start: () => Promise<void>;
  /** Sends a signal to the process. */
  readonly signal: (name: NodeJS.Signals) => void;
  /** Kills the process with SIGKILL. */
  readonly kill: () => Promise<void>;
  /** Shuts it down cleanly. */
  readonly stop: () => Promise<void>;
  readonly pid: () => number;
  /** Stalls all writes to the disk for a number of milliseconds. */
  readonly holdDisk: (milliseconds: number) => Promise<void>;
  /** Runs a command on this server, past the link. */
  readonly command: (command: Document) => Promise<Document>;
}

/** Three mongods that elect a primary within some two seconds. */
export interface ReplicaSet {
  readonly uri: string;
  readonly members: readonly Member[];
  /** Waits until there is one. */
  readonly primary: () => Promise<Member>;
  /** Waits until there is a primary and two members that follow it. */
  readonly whole: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface SetInput {
  /** The folder of the data. */
  readonly parent?: string;
  /** Whether the members are reached without links, which take processor time. */
  readonly isDirect?: boolean;
}

export async function startReplicaSet({ parent = tmpdir(), isDirect = false }: SetInput = {}): Promise<ReplicaSet> {
  const { path } = await findBinary({ env: process.env, log: console.log });
  const folder = await mkdtemp(join(parent, 'mangrove-faults-'));
  const open = (dbpath: string): Promise<Member> => openMember(path, dbpath, isDirect ? directLink : linkTo);
  const members = await Promise.all([0, 1, 2].map((index) => open(join(folder, String(index)))));
  const hosts = members.map(({ link }) => `127.0.0.1:${String(link.port)}`);
  const config = {
    _id: 'rs0',
    members: hosts.map((host, _id) => ({ _id, host })),
    // As docs/scaling.md recommends: a primary that hangs is replaced within seconds.
    settings: { electionTimeoutMillis: 1500, heartbeatIntervalMillis: 500, heartbeatTimeoutSecs: 1, catchUpTimeoutMillis: 500 },
  };
  await members[0]?.command({ replSetInitiate: config });
  const set: ReplicaSet = {
    uri: `mongodb://${hosts.join(',')}/faults?replicaSet=rs0`,
    members,
    primary: () => until(async () => (await states(members)).find(({ state }) => state === 1)?.member),
    whole: async () => {
      await until(async () => isWhole(await states(members)) || undefined);
    },
    stop: async () => {
      for (const { signal } of members) signal('SIGCONT');
      await Promise.all(members.map(({ kill }) => kill()));
      await Promise.all(members.map(({ link }) => link.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
  await set.whole();
  return set;
}

async function openMember(
  program: string,
  dbpath: string,
  connect: (port: number) => TcpLink | Promise<TcpLink>,
): Promise<Member> {
  await mkdir(dbpath);
  const port = await pickPort(0);
  const link = await connect(port);
  const args = [
    ...['--dbpath', dbpath, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', 'rs0', ...commonArguments(0.25)],
    // A member notices that the one that it follows hangs after half the time of an election and this second, and then asks another one.
    ...['--setParameter', 'enableTestCommands=1', '--setParameter', 'oplogNetworkTimeoutBufferSeconds=1'],
    ...['--setParameter', 'oplogFetcherSteadyStateMaxFetcherRestarts=0'],
  ];
  let running: RunningMongod | null = null;
  const start = async (): Promise<void> => {
    const launched = await launchMongod(program, args);
    if (launched.kind !== 'running') throw new Error(`mongod does not start: ${JSON.stringify(launched)}`);
    running = launched;
  };
  const pid = (): number => running?.pid ?? 0;
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(pid(), name);
    } catch {
      // It has already ended.
    }
  };
  await start();
  return {
    link,
    start,
    signal,
    pid,
    kill: async () => {
      signal('SIGKILL');
      await running?.ended;
    },
    stop: async () => running?.stop(),
    holdDisk: (milliseconds) => holdDisk(port, milliseconds),
    command: (command) => withClient(port, (client) => client.db('admin').command(command)),
  };
}

/** By one client: to close it writes, too. The lock outlives a client that has waited too long for it. */
const holdDisk = (port: number, milliseconds: number): Promise<void> =>
  withClient(port, async (client) => {
    const admin = client.db('admin');
    try {
      await admin.command({ fsync: 1, lock: true });
      await delay(milliseconds);
    } finally {
      await admin.command({ fsyncUnlock: 1 });
    }
  });

async function withClient<Result>(port: number, work: (client: MongoClient) => Promise<Result>): Promise<Result> {
  const client = new MongoClient(`mongodb://127.0.0.1:${String(port)}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1000,
    socketTimeoutMS: 20_000,
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

interface MemberState {
  readonly member: Member;
  /** As the member sees itself: 1 is a primary, 2 a secondary. */
  readonly state: number;
  /** Whether it has chosen another member to follow. A secondary that is just choosing one that stalls then follows nobody for 20 s. */
  readonly isFollowing: boolean;
}

const states = (members: readonly Member[]): Promise<MemberState[]> =>
  Promise.all(
    members.map(async (member) => {
      const status: Document = await member.command({ replSetGetStatus: 1 }).catch(() => ({ myState: -1 }));
      return { member, state: Number(status['myState']), isFollowing: Boolean(status['syncSourceHost']) };
    }),
  );

const isWhole = (found: readonly MemberState[]): boolean =>
  found.filter(({ state }) => state === 1).length === 1 &&
  found.every(({ state, isFollowing }) => state === 1 || (state === 2 && isFollowing));

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  const deadline = performance.now() + 60_000;
  for (; performance.now() < deadline; await delay(100)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error('the replica set does not recover');
}
