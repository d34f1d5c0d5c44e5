import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { createInstance } from '../faults/instance.js';
import { createTargets, models } from '../faults/load.js';
import { startReplicaSet } from '../faults/replica-set.js';
import { Client } from './client.js';
import { judge, print, type Sample } from './figures.js';
import { Latencies } from './latencies.js';
import { watchMetrics } from './watch-metrics.js';
import { type Work, works } from './work.js';

/*
 * `npm run soak`: an instance as a process does everything at a steady pace for an hour: reads, writes, pushes, streams, webhooks, agents,
 * and changes of a model. Memory must be flat after the first tenth, no queue may grow, and requests may not become slower.
 * `--minutes N`: as long as that; `--pace N`: N times as many requests, such as 0.2 on a busy machine.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' }, pace: { type: 'string', default: '1' } } });
const minutes = Number(values.minutes);
const pace = Number(values.pace);
/** Samples are taken from parts of this many milliseconds. */
const part = Math.min(60_000, (minutes * 60_000) / 20);

const set = await startReplicaSet();
const database = await MongoClient.connect(set.uri);
const stored = models.map(({ uid, ...model }) => ({ _id: uid as string, ...model }));
await database.db().collection<{ _id: string }>('_models').insertMany(stored);
const settings = { MCP: 'true', METRICS: 'token', WEBHOOKS_ALLOW_PRIVATE: 'true' };
const instance = await createInstance(set.uri, settings, { 'config/api.json': { mcp: { enabled: true, public: true } } });
const authorization = 'Bearer the-admin-token-of-the-test-of-faults';
const stop = async (): Promise<void> => {
  await instance.stop();
  await database.close();
  await set.stop();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().then(() => process.exit(130)));
try {
  await instance.start();
  process.exitCode = (await run(`http://127.0.0.1:${String(instance.port)}`)) > 0 ? 1 : 0;
} finally {
  await stop();
}

async function run(origin: string): Promise<number> {
  const { owners } = await createTargets(origin);
  const latencies = new Latencies();
  const client = new Client({ origin, db: database.db(), owners, latencies });
  const webhooks = await receiveWebhooks(origin);
  const errors = new Map<string, number>();
  const state = { goesOn: true };
  await works.find(({ name }) => name === 'create')?.turn(client);
  const running = works.map((work) => repeat(work, client, { state, errors }));
  const samples: Sample[] = [];
  for (const begun = performance.now(); performance.now() - begun < minutes * 60_000;) {
    const { queued, ...memory } = await watchMetrics(origin, authorization, part);
    const sample = { ...memory, ...latencies.take(), waiting: queued + (await deliveries()) };
    samples.push({ ...sample, minute: (performance.now() - begun) / 60_000 });
    print(samples.at(-1) as Sample); // was just added
  }
  state.goesOn = false;
  await Promise.all(running);
  client.close();
  const problems = [...judge(samples), ...[...errors].map(([error, times]) => `${String(times)} times: ${error}`)];
  const requests = samples.reduce((sum, sample) => sum + sample.requests, 0);
  console.log(
    `${String(requests)} requests, ${String(webhooks.received())} events received, ${String(problems.length)} problems`,
  );
  for (const problem of problems.slice(0, 20)) console.log(`     ${problem}`);
  webhooks.close();
  return problems.length;
}

interface Course {
  readonly state: { readonly goesOn: boolean };
  /** How often each error was thrown. Numbers in it are left out. */
  readonly errors: Map<string, number>;
}

/** Begins a turn of work at its pace, and does not wait for earlier ones. Resolves when all have ended. */
async function repeat({ name, every, turn }: Work, client: Client, { state, errors }: Course): Promise<void> {
  const turns = new Set<Promise<unknown>>();
  while (state.goesOn) {
    const ended: Promise<unknown> = turn(client)
      .catch((error: unknown) => {
        const text = `${name}: ${String(error).replaceAll(/\d+/g, 'N').slice(0, 200)}`;
        errors.set(text, (errors.get(text) ?? 0) + 1);
      })
      .finally(() => turns.delete(ended));
    turns.add(ended);
    await delay(every / pace);
  }
  await Promise.all(turns);
}

/** Returns how many deliveries of webhooks wait. */
function deliveries(): Promise<number> {
  return database.db().collection('_webhook_deliveries').countDocuments({ status: 'pending' });
}

/** Starts a receiver of webhooks, to which the service sends each update. */
async function receiveWebhooks(origin: string) {
  let received = 0;
  const receiver = createServer((request, response) => {
    received += 1;
    request.resume().once('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/`;
  const created = await fetch(`${origin}/admin/api/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ name: 'soak', url, events: ['entry.update'] }),
  });
  if (created.status !== 201 && created.status !== 200) throw new Error(`no webhook: ${await created.text()}`);
  return { received: () => received, close: () => receiver.close() };
}
