import type { MongoClient } from 'mongodb';
import { awaitIndexes } from './await-indexes.js';
import type { Contender, Contest, Sides, StartedContender } from './contest.js';
import { loadData, removeAdditions } from './load-data.js';
import { measureRow } from './measure-row.js';
import type { ContestResult, RowResult, SkippedRow } from './results.js';
import type { Settings } from './settings.js';
import { startTarget } from './target.js';

/** The environment of a contest. */
export interface Arena {
  readonly uri: string;
  readonly client: MongoClient;
}

/** Loads the data, starts both contenders, measures the rows of the contest, and leaves the data as they were. */
export async function runContest(contest: Contest, arena: Arena, settings: Settings): Promise<ContestResult> {
  await prepareData(contest, arena);
  const product = await startContender(contest.product, arena);
  const baseline = await startContender(contest.baseline, arena);
  try {
    const indexes = await awaitIndexes(product.db);
    if (baseline.database === undefined) await awaitIndexes(baseline.db);
    console.log(`indexes of articles: ${indexes.articles?.join(' | ') ?? 'none'}`);
    const names = { product: product.name, baseline: baseline.name };
    return { names, unit: contest.unit, indexes, ...(await measureRows(contest, { product, baseline }, settings)) };
  } finally {
    await Promise.all([product.target.stop(), baseline.target.stop()]);
    for (const { db, size, database } of [product, baseline]) if (database === undefined) await removeAdditions(db, size);
  }
}

const databaseOf = ({ size, database = `mangrove_bench_${size}` }: Contender, { client }: Arena) => client.db(database);

async function prepareData({ product, baseline, rows, prepare }: Contest, arena: Arena): Promise<void> {
  const contenders = product.size === baseline.size ? [product] : [product, baseline];
  for (const contender of contenders) {
    const db = databaseOf(contender, arena);
    await loadData(db, { size: contender.size, rows });
    await prepare?.(db);
  }
}

async function startContender(contender: Contender, arena: Arena): Promise<StartedContender> {
  const db = databaseOf(contender, arena);
  const target = await startTarget(contender.root, contender.program, [arena.uri, db.databaseName, ...contender.options]);
  return { ...contender, db, target };
}

async function measureRows(
  contest: Contest,
  sides: Sides<StartedContender>,
  settings: Settings,
): Promise<{ readonly rows: readonly RowResult[]; readonly skipped: readonly SkippedRow[] }> {
  const rows: RowResult[] = [];
  const skipped: SkippedRow[] = [];
  for (const row of contest.rows) {
    console.log(`measuring ${row.key}: ${row.title}`);
    try {
      const { refusal, difference } = await contest.verify(row, sides);
      if (refusal !== null) throw new Error(refusal);
      const goal = contest.findGoal ? await contest.findGoal(row, sides) : 1;
      for (const connections of settings.connections)
        rows.push(await measureRow({ row, goal, difference, connections }, sides, settings));
    } catch (error) {
      // An answer that fails, also under the load, fails this row alone. A process that has ended fails them all.
      for (const { target } of [sides.product, sides.baseline]) target.ensureRunning();
      skipped.push({ key: row.key, title: row.title, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { rows, skipped };
}
