import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { findBinary } from '../src/operate/embedded/find-binary.js';
import { commonArguments } from '../src/operate/embedded/open-data.js';
import { startEmbedded } from '../src/operate/embedded/start-embedded.js';
import { isRunning } from '../src/base/processes.js';

/** A MongoDB to work on. */
export interface ScriptDatabase {
  readonly uri: string;
  stop(): Promise<void>;
}

/** The server behind MONGODB_URI, else an embedded one: with data that are kept in a folder, or deleted when it stops. */
export async function startDatabase(data: { readonly keptIn: string } | 'ephemeral'): Promise<ScriptDatabase> {
  const uri = process.env.MONGODB_URI;
  if (uri) return { uri, stop: () => Promise.resolve() };
  const log = (line: string): void => {
    console.log(line);
  };
  return data === 'ephemeral' ? startEphemeral(log) : startEmbedded({ dataDir: data.keptIn, log, onLost: console.error });
}

/**
 * Starts a server of one node, tuned for speed, on any free port; its data are deleted when it stops. `args` are further arguments of
 * mongod.
 */
export async function startEphemeral(log: (line: string) => void, args: readonly string[] = []): Promise<ScriptDatabase> {
  const binary = await findBinary({ env: process.env, log });
  const { MongoMemoryReplSet } = await import('mongodb-memory-server');
  // A locale that is set but not installed keeps mongod from starting; a detached process does not hear Ctrl-C.
  const spawn = { detached: true, env: { ...process.env, LC_ALL: 'C' } };
  const server = await MongoMemoryReplSet.create({
    binary: { systemBinary: binary.path, version: binary.version },
    instanceOpts: [{ storageEngine: 'wiredTiger', launchTimeout: 120_000, dbPath: await makeFolder() }],
    replSet: { name: 'rs0', args: [...commonArguments(0.25), ...frequentNoops, ...noHistory, ...args], spawn },
  });
  const uri = server.getUri();
  await forgoJournal(uri);
  return { uri, stop: async () => void (await server.stop({ doCleanup: true, force: true })) };
}

/** A file system in memory, on Linux: a server there takes two thirds of the processor time, and waits for no disk. */
const memory = '/dev/shm';

/** In bytes: a run of all tests leaves 350 MB in the folder. */
const enoughRoom = 2 ** 30;

/** The folders of ephemeral servers; the id of the process that made one follows. */
const prefix = 'mangrove-ephemeral-';

/**
 * Makes an empty folder for data: in memory where there is room, else among the temporary files. Deletes those of processes that were
 * killed.
 */
async function makeFolder(): Promise<string> {
  const room = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  const parent = room.bavail * room.bsize >= enoughRoom ? memory : tmpdir();
  const left = (await readdir(parent)).filter((name) => name.startsWith(prefix) && !isRunning(Number(name.split('-')[2])));
  for (const name of left) await rm(path.join(parent, name), { recursive: true, force: true });
  return mkdtemp(path.join(parent, `${prefix}${String(process.pid)}-`));
}

/** A change stream that is resumed and a member that joins wait for the next write of anybody: where nobody writes, for up to 20 s. */
const frequentNoops = ['--setParameter', 'periodicNoopIntervalSecs=1'];

/**
 * The files of deleted collections are kept for this time. In the 300 s of the default a run of all tests leaves 20,000 files open,
 * which is more than a process may have.
 */
const noHistory = ['--setParameter', 'minSnapshotHistoryWindowInSeconds=5'];

/** Without the journal a majority write takes half the time, and an index on a filled collection 10 ms instead of 110. */
async function forgoJournal(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  const admin = client.db('admin');
  const { config } = (await admin.command({ replSetGetConfig: 1 })) as { config: { readonly version: number } };
  const changed = { ...config, version: config.version + 1, writeConcernMajorityJournalDefault: false };
  await admin.command({ replSetReconfig: changed });
  await client.close();
}
