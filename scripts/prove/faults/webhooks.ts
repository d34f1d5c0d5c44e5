import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { pickPort } from '../../../src/operate/embedded/open-data.js';
import { balance } from './balancer.js';
import { createInstance } from './instance.js';
import { startReplicaSet } from './replica-set.js';
import type { ReceivedEvent } from './webhook-receiver.js';

/*
 * `npm run test:webhooks`: clients change 50 entries 10,000 times while instances, the receiver of a webhook and the primary are killed
 * one after the other. Each change that is stored must arrive at least once, in the order of the changes of its entry, always with the
 * same id, and no other. `--short`: 600 changes; `--changes N`: as many.
 */
const { values } = parseArgs({ options: { short: { type: 'boolean', default: false }, changes: { type: 'string' } } });
const changes = Number(values.changes ?? (values.short ? 600 : 10_000));
const entries = 50;

const model = {
  _id: 'api::item.item',
  ...{ kind: 'collectionType', collectionName: 'items' },
  info: { singularName: 'item', pluralName: 'items', displayName: 'Item' },
  attributes: { value: { type: 'integer' } },
};

const set = await startReplicaSet();
const client = await MongoClient.connect(set.uri);
await client.db().collection<{ _id: string }>('_models').insertOne(model);
// three attempts take longer than the receiver is away
const files = { 'config/webhooks.json': { retries: Array.from({ length: 20 }, () => 8) } };
const settings = { WEBHOOKS_ALLOW_PRIVATE: 'true' };
const instances = [await createInstance(set.uri, settings, files), await createInstance(set.uri, settings, files)] as const;
const receiverPort = await pickPort(0);
const received: ReceivedEvent[] = [];
let [receiver, secret]: [ChildProcess | null, string] = [null, ''];

const stop = async (): Promise<void> => {
  receiver?.kill('SIGKILL');
  await Promise.all(instances.map((instance) => instance.stop()));
  await client.close();
  await set.stop();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().then(() => process.exit(130)));
try {
  await Promise.all(instances.map(({ start }) => start()));
  process.exitCode = (await run()) > 0 ? 1 : 0;
} finally {
  await stop();
}

async function startReceiver(): Promise<void> {
  const program = path.join(import.meta.dirname, 'webhook-receiver.ts');
  const started = fork(program, [String(receiverPort), secret], { execArgv: ['--import', 'tsx'] });
  receiver = started;
  await once(started, 'message');
  started.on('message', (event: ReceivedEvent) => received.push(event));
}

async function run(): Promise<number> {
  const front = await balance(instances.map(({ port }) => port));
  const ids: number[] = [];
  for (let index = 0; index < entries; index++) ids.push(Number((await send(`${front.url}/api/items`, 'POST', { value: 0 })).id));
  secret = await createWebhook(front.url);
  await startReceiver();
  await delay(1_000); // all instances know the webhook
  const ledger = { acknowledged: new Set<string>(), left: changes };
  const killing = kill(() => ledger.left > 0);
  await Promise.all(ids.map((id) => change(id, front.url, ledger)));
  const kills = await killing;
  await drained();
  await front.close();
  const stored = await committed();
  const overtaken = await releasing();
  const problems = judge({ stored, acknowledged: ledger.acknowledged, overtaken });
  const again = received.length - new Set(received.map(({ id }) => id)).size;
  console.log(
    `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${String(stored.length)} changes of ${String(entries)} entries, ${String(kills)} kills, ` +
      `${String(received.length)} deliveries, ${String(again)} of them again, ${String(overtaken.size)} failed three times`,
  );
  for (const problem of problems.slice(0, 20)) console.log(`     ${problem}`);
  return problems.length;
}

interface Ledger {
  /** `<entry> <value>` of each change that was acknowledged. */
  readonly acknowledged: Set<string>;
  left: number;
}

/** Changes an entry again and again, each time to a new value. */
async function change(id: number, url: string, ledger: Ledger): Promise<void> {
  for (let value = 1; ledger.left > 0; value++) {
    ledger.left -= 1;
    if ((await send(`${url}/api/items/${String(id)}`, 'PUT', { value })).status === 200)
      ledger.acknowledged.add(`${String(id)} ${String(value)}`);
  }
}

interface LoggedWrite {
  readonly ns: string;
  readonly op: string;
  readonly o: { readonly applyOps?: readonly LoggedWrite[]; readonly diff?: { readonly u?: { readonly value?: number } } };
  readonly o2?: { readonly _id: number };
}

/** Returns `<entry> <value>` of each change in the log of the database, in the order of their commits. */
async function committed(): Promise<readonly string[]> {
  const log = client.db('local').collection('oplog.rs');
  const found = log.find(
    {
      $or: [
        { ns: 'faults.items', op: 'u' },
        { op: 'c', 'o.applyOps.ns': 'faults.items' },
      ],
    },
    { sort: { $natural: 1 } },
  );
  const keys: string[] = [];
  for await (const entry of found) {
    const { o, ...plain } = entry as unknown as LoggedWrite; // the form of the log
    for (const write of o.applyOps ?? [{ o, ...plain }]) {
      const value = write.o.diff?.u?.value;
      if (write.ns === 'faults.items' && value !== undefined) keys.push(`${String(write.o2?._id)} ${String(value)}`);
    }
  }
  return keys;
}

async function send(url: string, method: string, data: object): Promise<{ readonly status: number; readonly id?: number }> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method, headers, body: JSON.stringify({ data }), signal: AbortSignal.timeout(30_000) });
    const body = (await response.json()) as { readonly data?: { readonly id: number } };
    return { status: response.status, ...(body.data && { id: body.data.id }) };
  } catch {
    return { status: 0 };
  }
}

async function createWebhook(url: string): Promise<string> {
  const response = await fetch(`${url}/admin/api/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer the-admin-token-of-the-test-of-faults' },
    body: JSON.stringify({ name: 'run', url: `http://127.0.0.1:${String(receiverPort)}/`, events: ['entry.update'] }),
  });
  return ((await response.json()) as { readonly data: { readonly secret: string } }).data.secret;
}

/** Kills an instance, the receiver or the primary, in turn, and starts it again, as long as there are changes. Returns how often. */
async function kill(goesOn: () => boolean): Promise<number> {
  const restart = (index: 0 | 1) => async (): Promise<void> => {
    instances[index].signal('SIGKILL');
    await instances[index].ended();
    await instances[index].start();
  };
  const killReceiver = async (): Promise<void> => {
    receiver?.kill('SIGKILL');
    await startReceiver();
  };
  const killPrimary = async (): Promise<void> => {
    const primary = await set.primary();
    await primary.kill();
    await delay(2_000);
    await primary.start();
    await set.whole();
  };
  const victims = [restart(0), killReceiver, killPrimary, restart(1), killReceiver];
  let kills = 0;
  for (; goesOn(); kills++) {
    await victims[kills % victims.length]?.();
    await delay(3_000);
  }
  return kills;
}

/** Resolves when no delivery waits. */
async function drained(): Promise<void> {
  for (let isEmpty = false; !isEmpty; await delay(500)) {
    const pending = client.db().collection('_webhook_deliveries').findOne({ status: 'pending' });
    isEmpty = await pending.then(
      (found) => found === null,
      () => false,
    );
  }
}

/** Returns the ids of deliveries that have failed three times, so that later ones may arrive before them. */
async function releasing(): Promise<ReadonlySet<string>> {
  const deliveries = client.db().collection<{ _id: string }>('_webhook_deliveries');
  const found = await deliveries.find({ attempts: { $gt: 3 } }, { projection: { _id: 1 } }).toArray();
  return new Set(found.map(({ _id }) => _id));
}

interface Evidence {
  /** The changes in the order of their commits. */
  readonly stored: readonly string[];
  readonly acknowledged: ReadonlySet<string>;
  /** The ids of deliveries that may be overtaken. */
  readonly overtaken: ReadonlySet<string>;
}

/** Returns what is wrong with what was received. */
function judge({ stored, acknowledged, overtaken }: Evidence): string[] {
  const places = new Map(stored.map((key, index) => [key, index]));
  const idsOf = new Map<string, Set<string>>();
  const last = new Map<number, number>();
  const problems: string[] = [];
  for (const { id, entry, value } of received) {
    const key = `${String(entry)} ${String(value)}`;
    const known = idsOf.get(key);
    idsOf.set(key, (known ?? new Set()).add(id));
    if (known !== undefined || overtaken.has(id)) continue;
    const place = places.get(key) ?? Infinity;
    if (place < (last.get(entry) ?? 0)) problems.push(`${key} arrived after ${String(stored[last.get(entry) ?? 0])}`);
    last.set(entry, place);
  }
  return [
    ...problems,
    ...[...acknowledged].filter((key) => !places.has(key)).map((key) => `${key} was acknowledged and is not stored`),
    ...stored.filter((key) => !idsOf.has(key)).map((key) => `${key} is stored and did not arrive`),
    ...[...idsOf.keys()].filter((key) => !places.has(key)).map((key) => `${key} arrived and is not stored`),
    ...[...idsOf].filter(([, ids]) => ids.size > 1).map(([key, ids]) => `${key} has ${String(ids.size)} ids`),
  ];
}
