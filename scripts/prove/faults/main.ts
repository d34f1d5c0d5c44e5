import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { balance } from './balancer.js';
import { faults, type Fault, type Scene } from './faults.js';
import { createInstance } from './instance.js';
import { compareFiles, compareSides, compareStored, Ledger } from './ledger.js';
import { createTargets, models, startLoad, type Load, type LoadFigures } from './load.js';
import { startReplicaSet } from './replica-set.js';
import { sendSteadily } from './steady.js';

/*
 * `npm run test:faults`: three mongod and two instances as processes, a balancer in front, and clients that write without end while one
 * thing after the other goes wrong. After each, what was acknowledged must be there exactly once.
 * `--short`: the most important faults, without a judgement of times, which depend on what else the machine does; `--only PATTERN`: those
 * whose names match; `--times N`: N runs of all of them; `--writes N`: runs until N writes are acknowledged.
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    writes: { type: 'string', default: '0' },
    workers: { type: 'string', default: '24' },
    times: { type: 'string', default: '1' },
  },
});
const wanted = faults.filter(({ name, isShort }) => new RegExp(values.only).test(name) && (!values.short || isShort === true));
const chosen = Array.from({ length: Number(values.times) }, () => wanted).flat();
/** Longest pause of writes, and longest request, in milliseconds. */
const longestPause = 5_000;
const longestRequest = 2 * longestPause;

const set = await startReplicaSet();
const client = await MongoClient.connect(set.uri);
await client
  .db()
  .collection<{ _id: string }>('_models')
  .insertMany(models.map(({ uid, ...model }) => ({ _id: uid, ...model })));
const instances = [await createInstance(set.uri, {}), await createInstance(set.uri, {})] as const;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().then(() => process.exit(130)));
let failures = 0;
try {
  await Promise.all(instances.map(({ start }) => start()));
  failures = await runAll({ set, instances });
} finally {
  await stop();
}
process.exitCode = failures > 0 ? 1 : 0;

async function stop(): Promise<void> {
  await Promise.all(instances.map((instance) => instance.stop()));
  await client.close();
  await set.stop();
}

async function runAll(scene: Scene): Promise<number> {
  const front = await balance(instances.map(({ port }) => port));
  const ledger = new Ledger();
  const targets = await createTargets(front.url);
  const load = startLoad({ url: front.url, ledger, targets }, Number(values.workers));
  let failed = 0;
  const each = Number(values.writes) / chosen.length;
  for (const [index, fault] of chosen.entries()) {
    await delay(500);
    const files = ledger.files.length;
    const broken = await make(fault, { scene, url: front.url, load });
    await set.whole();
    await delay(500);
    const figures = load.take();
    const stuck = await reach(each * (index + 1), ledger);
    await load.hold();
    const problems = [
      ...broken,
      ...stuck,
      ...judge(fault, figures),
      ...ledger.problems.splice(0),
      ...(await compareStored(ledger, client.db())),
      ...(await compareSides(front.url).catch((error: unknown) => [String(error)])),
      ...(await compareFiles(front.url, ledger.files.slice(files))),
    ];
    load.resume();
    print(fault, figures, problems);
    if (problems.length > 0) failed += 1;
  }
  await load.stop();
  await front.close();
  console.log(
    `${String(chosen.length)} faults, ${String(failed)} failed; ${String(ledger.acknowledged)} writes acknowledged, ${String(ledger.files.length)} of them uploads`,
  );
  return failed;
}

/** Waits until a number of writes are acknowledged. Returns what was wrong if none is for half a minute. */
async function reach(writes: number, ledger: Ledger): Promise<string[]> {
  let [before, since] = [ledger.acknowledged, performance.now()];
  while (ledger.acknowledged < writes) {
    await delay(100);
    if (ledger.acknowledged > before) [before, since] = [ledger.acknowledged, performance.now()];
    else if (performance.now() - since > 30_000) return ['no write was acknowledged for 30 s after the fault'];
  }
  return [];
}

interface Stage {
  readonly scene: Scene;
  readonly url: string;
  readonly load: Load;
}

/** Makes a fault, under requests at a fixed rate if it asks for them. Returns what was wrong. */
async function make({ run, steadily }: Fault, { scene, url, load }: Stage): Promise<string[]> {
  if (steadily !== undefined) await load.hold();
  const end = steadily === undefined ? null : sendSteadily(url, steadily);
  const broken = await run(scene).then(
    () => [],
    (error: unknown) => [`the fault could not be made: ${String(error)}`],
  );
  if (end === null) return broken;
  const { sent, rate, failed, longest } = await end();
  load.resume();
  console.log(`     ${String(sent)} requests at ${rate.toFixed(1)} a second, the longest ${longest.toFixed(0)} ms`);
  return [...broken, ...[...failed].map(([status, count]) => `${String(count)} requests were answered by ${String(status)}`)];
}

function judge({ mayStop, isSmooth, isRefused }: Fault, { failed, pause, longest }: LoadFigures): string[] {
  const broken = [...failed.keys()].filter((status) => status !== 503 && status !== 502 && status !== 0);
  const answers = broken.map((status) => `requests were answered by ${String(status)}`);
  if (values.short) return answers;
  return [
    ...answers,
    ...(isSmooth === true && failed.size > 0 ? ['requests failed'] : []),
    ...(mayStop !== true && pause > longestPause ? [`no write was acknowledged for ${pause.toFixed(0)} ms`] : []),
    ...(longest.time > longestRequest
      ? [`${longest.name} was answered by ${String(longest.status)} after ${longest.time.toFixed(0)} ms`]
      : []),
    ...(isRefused === true && !failed.has(503) ? ['no write was refused'] : []),
  ];
}

function print({ name }: Fault, { acknowledged, failed, pause, longest }: LoadFigures, problems: readonly string[]): void {
  const statuses = [...failed].map(([status, count]) => `${status === 0 ? 'no answer' : String(status)} x${String(count)}`);
  console.log(
    `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(58)} ${String(acknowledged).padStart(6)} acknowledged, pause ${pause.toFixed(0).padStart(5)} ms, ` +
      `longest request ${longest.time.toFixed(0).padStart(5)} ms${statuses.length > 0 ? `, ${statuses.join(', ')}` : ''}`,
  );
  for (const problem of problems.slice(0, 8)) console.log(`     ${problem}`);
}
