import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { fork } from 'node:child_process';
import path from 'node:path';
import { startDatabase } from '../../start-database.js';
import { accountAttacks } from './account-attacks.js';
import { judge, type Attack, type Damage, type Scale } from './attack.js';
import { batchAttacks } from './batch-attacks.js';
import { bodyAttacks } from './body-attacks.js';
import { connectionAttacks } from './connection-attacks.js';
import { fileAttacks } from './file-attacks.js';
import type { Watched, WatchOrder } from './others.js';
import { keyAttacks } from './key-attacks.js';
import { memoryAttacks } from './memory-attacks.js';
import { readAttacks } from './read-attacks.js';
import { panelBodyAttacks } from './panel-body-attacks.js';
import { panelContentAttacks } from './panel-content-attacks.js';
import { panelLoginAttacks } from './panel-login-attacks.js';
import { panelRightsAttacks } from './panel-rights-attacks.js';
import { pushAttacks } from './push-attacks.js';
import { ruleAttacks } from './rule-attacks.js';
import { openTarget, type Target } from './target.js';
import { webhookAttacks } from './webhook-attacks.js';
import { writeAttacks } from './write-attacks.js';

/**
 * Starts the service with 512 MB of heap and attacks it as the public, and as a client that may write. Prints a line per attack,
 * and fails if one did damage (see `judge`). `--short` sends less, and only prints waiting time and memory; `--only TEXT` picks
 * attacks by name.
 */
const { values } = parseArgs({ options: { short: { type: 'boolean', default: false }, only: { type: 'string', default: '' } } });
const scale: Scale = values.short ? 'short' : 'full';
const all = [
  ...readAttacks,
  ...memoryAttacks,
  ...writeAttacks,
  ...keyAttacks,
  ...batchAttacks,
  ...pushAttacks,
  ...fileAttacks,
  ...connectionAttacks,
  ...bodyAttacks,
  ...ruleAttacks,
  ...accountAttacks,
  ...panelLoginAttacks,
  ...panelRightsAttacks,
  ...panelContentAttacks,
  ...panelBodyAttacks,
  ...webhookAttacks,
];

/** Bytes of memory that a service may keep of the attacks before, so that what an attack needs is judged by itself. */
const mostKept = 100e6;

const attacks = all.filter(({ name }) => name.includes(values.only));

const mongo = await startDatabase('ephemeral');
let target = await openReady();
const others = fork(path.join(import.meta.dirname, 'others.ts'), { execArgv: ['--import', 'tsx'] });
let failures = 0;
try {
  let start = await target.memory();
  for (const attack of attacks) {
    const damage = await inflict(attack, start);
    const problems = judge(damage, scale);
    failures += problems.length > 0 ? 1 : 0;
    print(damage, problems);
    const kept = (await target.memory()) - start;
    if (damage.isAlive && (scale === 'short' || kept < mostKept)) continue;
    if (damage.isAlive) console.log(`     started again, because it has kept ${(kept / 1e6).toFixed(0)} MB`);
    await target.stop();
    target = await openReady();
    start = await target.memory();
  }
} finally {
  others.disconnect();
  await target.stop();
  await mongo.stop();
}
console.log(`${String(attacks.length - failures)} passed, ${String(failures)} failed`);
process.exitCode = failures > 0 ? 1 : 0;

/** Starts a service and warms it up, so that the first request of each kind costs no more than later ones. */
async function openReady(): Promise<Target> {
  const opened = await openTarget(mongo.uri, scale === 'full' ? 30_000 : 2_000);
  const headers = { authorization: `Bearer ${opened.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ data: { title: 'warm' } });
  const { status } = await fetch(`${opened.url}/api/articles`, { method: 'POST', headers, body });
  if (status !== 200) throw new Error(`a create was answered by ${String(status)}`);
  for (const path of ['/api/articles?populate=author', '/api/authors', '/graphql?query={tags{data{id}}}', '/_health'])
    await (await fetch(`${opened.url}${path}`)).arrayBuffer();
  return opened;
}

/** Runs an attack while another client sends harmless requests, one after the other. */
async function inflict(attack: Attack, start: number): Promise<Damage> {
  const prepared = (await attack.prepare?.(target)) ?? '';
  const before = await settledCounts();
  const watch = await watchOthers();
  const began = performance.now();
  const hits = await attack.run(target, scale, prepared);
  const seconds = (performance.now() - began) / 1_000;
  const { longestWait, peak, requests, failed } = await watch();
  const isAlive = await target.isAlive();
  const after = isAlive ? await target.counts() : before;
  const each = (total: number): number => total / Math.max(hits.length, 1);
  return {
    attack,
    hits,
    isAlive,
    commands: each(after.commands - before.commands - requests * 2),
    documents: each(after.documents - before.documents - requests),
    cpu: each(after.cpu - before.cpu),
    longestWait,
    others: requests,
    othersFailed: failed,
    memory: peak - start,
    seconds,
  };
}

/** Returns the counts once the service reads nothing more for the previous attack, or after 5 s. */
async function settledCounts(): ReturnType<Target['counts']> {
  let counts = await target.counts();
  for (let look = 0; look < 50; look += 1) {
    await delay(100);
    const later = await target.counts();
    if (later.documents === counts.documents) return later;
    counts = later;
  }
  return counts;
}

/** Watches from the first answer to the other client until the returned function is called. */
async function watchOthers(): Promise<() => Promise<Watched & { readonly peak: number }>> {
  others.send({ url: target.url } satisfies WatchOrder);
  await once(others, 'message');
  let [peak, watching] = [0, true];
  const weighed = (async () => {
    for (; watching; await delay(20)) peak = Math.max(peak, await target.memory());
  })();
  return async () => {
    watching = false;
    others.send('stop' satisfies WatchOrder);
    const [[watched]] = await Promise.all([once(others, 'message'), weighed]);
    return { ...(watched as Watched), peak }; // the process sends nothing else
  };
}

function print(damage: Damage, problems: readonly string[]): void {
  const { attack, hits, commands, documents, cpu, longestWait, others, othersFailed, memory, seconds } = damage;
  const statuses = new Map<string, number>();
  for (const { status } of hits) statuses.set(String(status ?? 'cut'), (statuses.get(String(status ?? 'cut')) ?? 0) + 1);
  const bytes = Math.max(0, ...hits.map((hit) => hit.bytes));
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${attack.name}`);
  console.log(
    `     ${[...statuses].map(([status, count]) => `${status} x${String(count)}`).join(', ')}, largest ${(bytes / 1e6).toFixed(2)} MB;` +
      ` ${Math.max(commands, 0).toFixed(1)} commands, ${Math.max(documents, 0).toFixed(0)} documents, ${cpu.toFixed(1)} ms each;` +
      ` others waited ${longestWait.toFixed(0)} ms${othersFailed > 0 ? `, ${String(othersFailed)} of ${String(others)} failed` : ''}; memory +${(memory / 1e6).toFixed(0)} MB; ${seconds.toFixed(1)} s`,
  );
  const [refusal] = hits.flatMap((hit) => (hit.refusal === undefined ? [] : [hit.refusal]));
  if (refusal !== undefined)
    console.log(`     ${/"message":"((?:[^"\\\\]|\\\\.)*)"/.exec(refusal)?.[1] ?? refusal.slice(0, 100)}`);
  for (const problem of problems) console.log(`     ${problem}`);
}
