import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { createInstance } from './instance.js';
import { createTargets, models } from './load.js';
import { startReplicaSet } from './replica-set.js';

/*
 * `node --import tsx scripts/prove/faults/overload.ts`: one instance before a database whose reads take 300 ms each, and more and more
 * connections that ask for a list without pause for 10 s. Prints what they are answered.
 */

const seconds = 10;
const blockTimeMS = 300;

const set = await startReplicaSet();
const instance = await createInstance(set.uri, {});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().then(() => process.exit(130)));
try {
  await measureAll();
} finally {
  await stop();
}

async function stop(): Promise<void> {
  await instance.stop();
  await set.stop();
}

async function measureAll(): Promise<void> {
  const client = await MongoClient.connect(set.uri);
  const documents = models.map(({ uid, ...model }) => ({ _id: uid, ...model }));
  await client.db().collection<{ _id: string }>('_models').insertMany(documents);
  await client.close();
  await instance.start();
  const url = `http://127.0.0.1:${String(instance.port)}`;
  await createTargets(url);
  const primary = await set.primary();
  const data = { appName: 'mangrove', failCommands: ['find', 'aggregate'], blockConnection: true, blockTimeMS };
  await primary.command({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
  for (const connections of [100, 1_000, 5_000]) await measure(`${url}/api/badges?pagination[withCount]=false`, connections);
  await primary.command({ configureFailPoint: 'failCommand', mode: 'off' });
}

interface Answered {
  readonly status: number;
  /** Milliseconds. */
  readonly took: number;
}

async function measure(url: string, connections: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers: Answered[] = [];
  const end = performance.now() + 1000 * seconds;
  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      const answer = await ask(url, agent);
      answers.push(answer);
      // a client that was refused waits for the second that it is told to wait
      if (answer.status !== 200) await delay(1000);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
  print(connections, answers);
  console.log(`  memory of the instance at most ${await memoryOf(instance.pid())} MB`);
}

function print(connections: number, answers: readonly Answered[]): void {
  console.log(`${String(connections)} connections`);
  for (const status of [...new Set(answers.map((answer) => answer.status))].sort()) {
    const times = answers.filter((answer) => answer.status === status).map(({ took }) => took);
    times.sort((one, other) => one - other);
    const at = (part: number): string => (times[Math.floor(part * (times.length - 1))] ?? 0).toFixed(0);
    const rate = (times.length / seconds).toFixed(0);
    console.log(
      `  ${status === 0 ? 'no answer' : String(status)}: ${rate}/s, half within ${at(0.5)} ms, all but one in 100 within ${at(0.99)} ms`,
    );
  }
}

async function memoryOf(pid: number): Promise<string> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024).toFixed(0);
}

function ask(url: string, agent: Agent): Promise<Answered> {
  return new Promise((resolve) => {
    const begun = performance.now();
    const done = (status: number): void => {
      resolve({ status, took: performance.now() - begun });
    };
    const outgoing = request(url, { agent, timeout: 30_000 }, (answer) => {
      answer.on('end', () => {
        done(answer.statusCode ?? 0);
      });
      answer.on('error', () => {
        done(0);
      });
      answer.resume();
    });
    outgoing.on('error', () => {
      done(0);
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.end();
  });
}
