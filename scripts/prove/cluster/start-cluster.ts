import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MongoClient } from 'mongodb';
import { findBinary } from '../../../src/operate/embedded/find-binary.js';
import { launchMongod, type RunningMongod } from '../../../src/operate/embedded/launch-mongod.js';
import { commonArguments } from '../../../src/operate/embedded/open-data.js';
import { pickPort } from '../../../src/operate/embedded/open-data.js';

/** A sharded cluster of this machine. */
export interface Cluster {
  /** The address of mongos. */
  readonly uri: string;
  stop(): Promise<void>;
}

/** A replica set of one server. */
interface Node {
  readonly name: string;
  readonly host: string;
}

/** Starts two shards, a config server and a mongos, the programs of the embedded MongoDB. Their data are deleted at the stop. */
export async function startCluster(log: (line: string) => void): Promise<Cluster> {
  const { path: mongod } = await findBinary({ env: process.env, log });
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-cluster-'));
  const servers: RunningMongod[] = [];
  const stop = async (): Promise<void> => {
    for (const server of servers.reverse()) await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const start = (program: string, args: readonly string[]) => launch(program, args, servers);
    const [config, ...shards] = await Promise.all([
      startNode(start, { mongod, folder, name: 'config', role: '--configsvr' }),
      startNode(start, { mongod, folder, name: 'shard0', role: '--shardsvr' }),
      startNode(start, { mongod, folder, name: 'shard1', role: '--shardsvr' }),
    ]);
    const port = await pickPort(0);
    const address = ['--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'];
    await start(join(dirname(mongod), 'mongos'), [...address, '--configdb', `${config.name}/${config.host}`]);
    const uri = `mongodb://127.0.0.1:${String(port)}/`;
    await command(uri, ...shards.map(({ name, host }) => ({ addShard: `${name}/${host}`, name })));
    return { uri, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Start = (program: string, args: readonly string[]) => Promise<RunningMongod>;

async function launch(program: string, args: readonly string[], servers: RunningMongod[]): Promise<RunningMongod> {
  const launched = await launchMongod(program, args);
  if (launched.kind !== 'running') throw new Error(`${program} does not start: ${JSON.stringify(launched)}`);
  servers.push(launched);
  return launched;
}

interface NodeInput {
  readonly mongod: string;
  readonly folder: string;
  readonly name: string;
  readonly role: string;
}

async function startNode(start: Start, { mongod, folder, name, role }: NodeInput): Promise<Node> {
  const port = await pickPort(0);
  const host = `127.0.0.1:${String(port)}`;
  const dbpath = await mkdtemp(join(folder, `${name}-`));
  const address = ['--dbpath', dbpath, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', name];
  const server = await start(mongod, [...address, role, ...commonArguments(0.25)]);
  const members = [{ _id: 0, host }];
  await command(`mongodb://${host}/?directConnection=true`, {
    replSetInitiate: { _id: name, ...(role === '--configsvr' && { configsvr: true }), members },
  });
  await server.primary;
  return { name, host };
}

async function command(uri: string, ...commands: readonly object[]): Promise<void> {
  const client = await MongoClient.connect(uri);
  try {
    for (const one of commands) await client.db('admin').command(one);
  } finally {
    await client.close();
  }
}
