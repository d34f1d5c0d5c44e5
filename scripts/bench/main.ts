import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { MongoClient, type Db } from 'mongodb';
import { startDatabase } from '../start-database.js';
import { awaitIndexes } from './await-indexes.js';
import { loadData, removeAdditions } from './load-data.js';
import { describeMachine, machineLine } from './machine.js';
import { measureRow, type Contest } from './measure-row.js';
import { printResults } from './print-results.js';
import type { RowResult, SkippedRow } from './results.js';
import { readSettings } from './settings.js';
import { compileTargets, startTarget } from './target.js';
import { workload } from './workload.js';

const settings = readSettings();
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

await compileTargets();
const mongo = await startDatabase({ keptIn: path.resolve('data/bench') });
const client = await MongoClient.connect(mongo.uri);
try {
  await runBenchmark(client.db(`mangrove_bench_${settings.size}`));
} finally {
  await client.close();
  await mongo.stop();
}

async function runBenchmark(db: Db): Promise<void> {
  const machine = await describeMachine(db);
  console.log(machineLine(machine));
  await loadData(db, settings.size);
  const product = await startTarget('product', mongo.uri, db.databaseName);
  const baseline = await startTarget('baseline', mongo.uri, db.databaseName);
  try {
    const indexes = await awaitIndexes(db);
    console.log(`indexes of articles: ${indexes.articles?.join(' | ') ?? 'none'}`);
    const { results, skipped } = await measureRows({ db, product, baseline });
    printResults(results, skipped);
    if (settings.jsonFile !== null) {
      writeFileSync(settings.jsonFile, `${JSON.stringify({ machine, settings, indexes, rows: results, skipped }, null, 2)}\n`);
    }
  } finally {
    await Promise.all([product.stop(), baseline.stop()]);
    await removeAdditions(db, settings.size);
  }
}

async function measureRows(
  contest: Contest,
): Promise<{ readonly results: readonly RowResult[]; readonly skipped: readonly SkippedRow[] }> {
  const results: RowResult[] = [];
  const skipped: SkippedRow[] = [];
  for (const row of workload.filter(({ key }) => settings.rows.includes(key))) {
    console.log(`measuring ${row.key}: ${row.title}`);
    const outcome = await measureRow(row, contest, settings);
    if ('ratio' in outcome) results.push(outcome);
    else skipped.push(outcome);
  }
  return { results, skipped };
}
