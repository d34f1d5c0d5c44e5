import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { compileTargets, ownRoot } from '../compile-targets.js';
import { startDatabase } from '../start-database.js';
import { accessContest } from './access-contest.js';
import { baselineContest } from './baseline-contest.js';
import { buildsContest } from './builds-contest.js';
import type { Contest } from './contest.js';
import { formatResults } from './format-results.js';
import { growthContests } from './growth-contests.js';
import { formatHot, writeHotDocs } from './hot-table.js';
import { describeMachine, type Machine, machineLine } from './machine.js';
import { type HotResults, measureHot } from './measure-hot.js';
import type { ContestResult } from './results.js';
import { runContest, type Arena } from './run-contest.js';
import { peerContest } from './peers/peer-contest.js';
import { readSettings, usage, type Comparison, type Settings } from './settings.js';
import { writeDocs } from './write-docs.js';

const contestsOf: Readonly<Record<Comparison, (settings: Settings) => readonly Contest[]>> = {
  baseline: (settings) => [baselineContest(settings)],
  access: (settings) => [accessContest(settings)],
  growth: growthContests,
  builds: (settings) => [buildsContest(settings)],
  peers: (settings) => settings.peers.map((peer) => peerContest(peer, settings)),
};

process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
const settings = readCommandLine();
if (settings === null) console.log(usage);
else await runBenchmark(settings).catch(fail);

/** Answers mistakes itself. */
function readCommandLine(): Settings | null {
  try {
    return readSettings(process.argv.slice(2));
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${usage}`);
    process.exit(2);
  }
}

/** Ends the process, and with it the programs that it has started. */
function fail(error: unknown): never {
  console.error(messageOf(error));
  process.exit(1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function runBenchmark(settings: Settings): Promise<void> {
  const roots = settings.against === null ? [ownRoot] : [ownRoot, path.resolve(settings.against)];
  await Promise.all(roots.map(compileTargets));
  const mongo = await startDatabase({ keptIn: path.resolve('data/bench') });
  const client = await MongoClient.connect(mongo.uri);
  try {
    await runMode({ uri: mongo.uri, client }, settings);
  } finally {
    await client.close();
    await mongo.stop();
  }
}

async function runMode(arena: Arena, settings: Settings): Promise<void> {
  const machine = await describeMachine(arena.client.db());
  console.log(machineLine(machine));
  const { mode } = settings;
  const results =
    mode === 'hot' ? await runHot(arena, { settings, machine }) : await runContests(arena, { settings, machine, mode });
  if (settings.jsonFile === null) return;
  const written = { ...settings, rows: settings.rows.map(({ key }) => key), peers: settings.peers.map(({ name }) => name) };
  writeFileSync(settings.jsonFile, `${JSON.stringify({ machine, settings: written, ...results }, null, 2)}\n`);
}

interface Run {
  readonly settings: Settings;
  readonly machine: Machine;
}

async function runHot(arena: Arena, { settings, machine }: Run): Promise<{ readonly hot: HotResults }> {
  const hot = await measureHot(arena, settings);
  console.log(formatHot(hot));
  if (settings.docs !== null) await writeHotDocs({ hot, machine }, settings.docs);
  return { hot };
}

interface Comparing extends Run {
  readonly mode: Comparison;
}

async function runContests(
  arena: Arena,
  { settings, machine, mode }: Comparing,
): Promise<{ readonly contests: readonly ContestResult[] }> {
  const contests: ContestResult[] = [];
  for (const contest of contestsOf[mode](settings)) {
    const result = await runContest(contest, arena, settings);
    console.log(formatResults(result));
    contests.push(result);
  }
  if (settings.docs !== null) await writeDocs({ contests, machine, settings: { ...settings, mode } }, settings.docs);
  return { contests };
}
