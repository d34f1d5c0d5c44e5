import { parseArgs } from 'node:util';
import { Random } from '../../random.js';
import { startEphemeral } from '../../start-database.js';
import { Rounds } from './round.js';
import { World } from './world.js';

/*
 * `npm run test:kept`: random reads and writes over one instance and over three that keep answers. Callers of different rights read over
 * REST and GraphQL, with tags and HEAD, compressed or not, while entries, links, drafts, locales, rights and users change, also past the
 * API. Each answer is compared with that of another process over the same database, which keeps nothing: an instance never misses its own
 * write, no other write for longer than a second, and shows nobody the bytes of other rights. Memory must stay within its bound.
 * `--operations N` (1,000,000 by default), `--short` 20,000, `--seed N`.
 */

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    short: { type: 'boolean', default: false },
  },
});
const operations = values.short ? 20_000 : Number(values.operations);

/** Megabytes by which the memory of an instance may grow after the first part of a run: much less than the answers that it reads. */
const growth = 48;

/** The share of answers from memory below which a run proves nothing. */
const leastHits = 0.2;

const begun = performance.now();
const seconds = (): string => ((performance.now() - begun) / 1_000).toFixed(0);

/** Runs operations over a number of instances. Throws if something was wrong. */
async function prove(uri: string, instances: number, count: number): Promise<void> {
  const world = await World.start(uri, instances);
  try {
    const rounds = new Rounds(world, new Random(Number(values.seed) + instances));
    const { tally } = rounds;
    let [used, told]: [readonly number[], number] = [[], 0];
    while (tally.operations < count) {
      await rounds.run();
      if (used.length === 0 && tally.operations > count / 4) used = await world.memory();
      if (tally.operations - told < 100_000) continue;
      told = tally.operations;
      console.log(`  ${String(told)} operations, ${seconds()} s`);
    }
    const grown = (await world.memory()).map((bytes, index) => (bytes - (used[index] ?? 0)) / 2 ** 20);
    const share = tally.hits / tally.operations;
    console.log(
      `${String(instances)} instances: ${String(tally.operations)} operations, ${(100 * share).toFixed(0)} % from memory, ` +
        `${String(tally.compressed)} of them compressed, ` +
        `${String(tally.stale)} answers older than a write of another, by ${tally.lag.toFixed(0)} ms at most, ` +
        `memory grown by ${Math.max(...grown).toFixed(0)} MB, ${seconds()} s`,
    );
    if (share < leastHits) throw new Error('too few answers were from memory');
    if (tally.compressed === 0) throw new Error('no answer from memory was compressed');
    if (Math.max(...grown) > growth) throw new Error('memory has grown');
  } finally {
    await world.stop();
  }
}

const server = await startEphemeral(console.log);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.stop().then(() => process.exit(130)));
let isRight = true;
try {
  for (const instances of [1, 3]) await prove(server.uri, instances, operations / 2);
} catch (error) {
  isRight = false;
  console.error(error);
} finally {
  await server.stop();
}
process.exit(isRight ? 0 : 1);
