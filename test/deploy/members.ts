import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { findBinary } from '#operate/embedded/find-binary.js';
import { launchMongod, type RunningMongod } from '#operate/embedded/launch-mongod.js';
import { compose } from './compose-file.js';

/** The members of compose.yaml on this machine. */
export interface Members {
  /** Host and port of each. */
  readonly hosts: readonly string[];
  readonly stop: () => Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number }; // it listens at a port
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the members as compose.yaml does: the first one has the user root, as the image of MongoDB creates it. */
export async function startMembers(rootPassword: string): Promise<Members> {
  const folder = mkdtempSync(join(tmpdir(), 'mangrove-members-'));
  const keyFile = join(folder, 'keyfile');
  writeFileSync(keyFile, randomBytes(567).toString('base64'), { mode: 0o400 });
  const { path } = await findBinary({ env: process.env, log: console.log });
  const names = ['mongo1', 'mongo2', 'mongo3'];
  const ports = await Promise.all(names.map(freePort));
  const placeOf = (index: number): readonly string[] => {
    const data = join(folder, names[index] ?? '');
    mkdirSync(data, { recursive: true });
    return [`--dbpath=${data}`, `--port=${String(ports[index])}`, '--bind_ip=127.0.0.1', '--wiredTigerCacheSizeGB=0.25'];
  };
  await createRoot(path, placeOf(0), { port: ports[0] ?? 0, password: rootPassword });
  const running = await Promise.all(names.map((name, index) => start(path, [...argumentsOf(name, keyFile), ...placeOf(index)])));
  return {
    hosts: ports.map((port) => `127.0.0.1:${String(port)}`),
    stop: async () => {
      await Promise.all(running.map((member) => member.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the arguments in compose.yaml, at this machine. */
function argumentsOf(name: string, keyFile: string): readonly string[] {
  const [program, ...args] = compose.services[name]?.command ?? [];
  if (program !== 'mongod') throw new Error(`${name} does not run mongod`);
  const own = args.filter((argument) => argument !== '--bind_ip_all');
  return own.map((argument) => (argument.startsWith('--keyFile=') ? `--keyFile=${keyFile}` : argument));
}

async function start(path: string, args: readonly string[]): Promise<RunningMongod> {
  const member = await launchMongod(path, args);
  if (member.kind !== 'running') throw new Error(`mongod has not started: ${JSON.stringify(member)}`);
  return member;
}

/** Creates the user root on a server without a password, and stops it. */
async function createRoot(
  path: string,
  args: readonly string[],
  { port, password }: { readonly port: number; readonly password: string },
): Promise<void> {
  const member = await start(path, args);
  const client = new MongoClient(`mongodb://127.0.0.1:${String(port)}/admin`);
  const roles = [{ role: 'root', db: 'admin' }];
  await client.db('admin').command({ createUser: 'root', pwd: password, roles });
  await client.close();
  await member.stop();
}
