import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { ownRoot } from '../compile-targets.js';
import { collections } from '../../src/model/schema/collections.js';
import type { Model } from '../../src/model/schema/model.js';
import { benchSecrets } from './bench-secrets.js';
import { hotType, listField, pluralName } from './hot-types.js';
import { median } from './results.js';
import type { Arena } from './run-contest.js';
import type { Settings } from './settings.js';
import { startTarget, type Target } from './target.js';

/** A way to add a type to a service that runs. */
export interface HotRow {
  readonly title: string;
  readonly store: (model: Model, service: HotService) => Promise<unknown>;
  /** Whether the type is asked for by GraphQL as soon as it is served. */
  readonly asksGraphql: boolean;
}

/** The service with the types, and its database. */
interface HotService {
  readonly target: Target;
  readonly db: Db;
}

/** What types cost that were added in one way. CPU of the service and pauses of its event loop in milliseconds. */
export interface HotResult {
  readonly title: string;
  readonly added: number;
  /** For each type: median, and the most. */
  readonly cpu: Spread;
  /** The longest pause for each type: median, and the longest of all. */
  readonly pause: Spread;
}

interface Spread {
  readonly median: number;
  readonly most: number;
}

/** The results of a run. */
export interface HotResults {
  /** Types that are served at the beginning. */
  readonly types: number;
  /** Milliseconds from the start of the process to the first answer, without any collection, and with all of them. */
  readonly starts: { readonly first: number; readonly later: number };
  readonly rows: readonly HotResult[];
}

const insert: HotRow['store'] = ({ uid, ...model }, { db }) =>
  db.collection<{ readonly _id: string }>(collections.models).insertOne({ _id: uid, ...model });

const put: HotRow['store'] = (model, { target }) =>
  ask(`${target.url}/admin/api/models/${model.uid}`, 'PUT', model, { authorization: `Bearer ${benchSecrets.adminToken}` });

const hotRows: readonly HotRow[] = [
  { title: 'stored by another program or instance', store: insert, asksGraphql: false },
  { title: 'the same, then queried by GraphQL', store: insert, asksGraphql: true },
  { title: 'stored by `PUT /admin/api/models/:uid`', store: put, asksGraphql: false },
  { title: 'the same, then queried by GraphQL', store: put, asksGraphql: true },
];

/** Starts the product with that many content types, and measures what further ones cost. */
export async function measureHot({ uri, client }: Arena, { types, rounds }: Settings): Promise<HotResults> {
  const db = client.db('mangrove_bench_hot');
  const start = () => startTarget(ownRoot, 'hot-product', [uri, db.databaseName]);
  await db.dropDatabase();
  const stored = Array.from({ length: types }, (_, n) => hotType(n));
  await db.command({ insert: collections.models, documents: stored.map(({ uid, ...model }) => ({ _id: uid, ...model })) });
  const first = await timeStart(start, types);
  await first.target.stop();
  const later = await timeStart(start, types);
  try {
    const rows = await measureRows({ target: later.target, db }, { types, rounds });
    return { types, starts: { first: first.elapsed, later: later.elapsed }, rows };
  } finally {
    await later.target.stop();
    await db.dropDatabase();
  }
}

/** Starts a service until it has answered for its last type, and lets it finish what it does after that. */
async function timeStart(start: () => Promise<Target>, types: number) {
  const began = performance.now();
  const target = await start();
  await ask(`${target.url}/api/${pluralName(types - 1)}`, 'GET');
  const elapsed = performance.now() - began;
  await rest(target);
  return { target, elapsed };
}

async function measureRows(service: HotService, { types, rounds }: Pick<Settings, 'types' | 'rounds'>): Promise<HotResult[]> {
  const results: HotResult[] = [];
  let next = types;
  for (const row of hotRows) {
    console.log(`measuring: ${row.title}`);
    // what is compiled and asked for the first time is no part of the result
    for (let warmUp = 0; warmUp < 3; warmUp++) await addType(row, service, next++);
    const idle = median(await repeat(5, () => used(service.target, () => Promise.resolve()).then(({ cpu }) => cpu)));
    const added = await repeat(rounds, () => used(service.target, () => addType(row, service, next++)));
    const cpu = spread(added.map((usage) => usage.cpu - idle));
    results.push({ title: row.title, added: rounds, cpu, pause: spread(added.map(({ pause }) => pause)) });
  }
  return results;
}

async function repeat<Result>(times: number, run: () => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let time = 0; time < times; time++) results.push(await run());
  return results;
}

const spread = (values: readonly number[]): Spread => ({ median: median(values), most: Math.max(...values) });

/** Milliseconds from the beginning of an action until its effects are measured: indexes are built after a type is served. */
const span = 1_500;

/** Milliseconds of CPU in a span that begins with the action, and the longest pause in it. */
async function used({ readUsage }: Target, act: () => Promise<void>): Promise<{ readonly cpu: number; readonly pause: number }> {
  const before = await readUsage();
  const end = performance.now() + span;
  await act();
  await delay(Math.max(end - performance.now(), 0));
  const { cpu, pause } = await readUsage();
  return { cpu: (cpu - before.cpu) / 1_000, pause };
}

/** Adds the `n`th type. Resolves when it is served, and answered for by GraphQL if the row asks for it. */
async function addType({ store, asksGraphql }: HotRow, service: HotService, n: number): Promise<void> {
  const model = hotType(n);
  await store(model, service);
  while ((await stateOf(model, service.db)) !== 'active') await delay(10);
  if (!asksGraphql) return;
  const query = `{ ${listField(n)} { data { id attributes { title } } meta { pagination { total } } } }`;
  await ask(`${service.target.url}/graphql`, 'POST', { query });
}

/** Read from the database: to ask the service would cost it CPU. */
const stateOf = async ({ uid }: Model, db: Db): Promise<unknown> =>
  (await db.collection(collections.modelStatus).findOne({ uid, state: { $exists: true } }))?.['state'];

/** Throws an Error unless the answer is a success without errors of GraphQL. */
async function ask(url: string, method: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, ...sent });
  const text = await response.text();
  if (!response.ok || text.startsWith('{"errors"'))
    throw new Error(`${method} ${url} -> ${String(response.status)} ${text.slice(0, 300)}`);
}

/** Waits until a service takes less than 20 ms of CPU in half a second. */
async function rest({ readUsage }: Target): Promise<void> {
  for (let before = 0, { cpu } = await readUsage(); cpu - before > 20_000; { cpu } = await readUsage()) {
    before = cpu;
    await delay(500);
  }
}
