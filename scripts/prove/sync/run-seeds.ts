import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { startReplicaSet } from '../faults/replica-set.js';
import { World } from './world.js';

/** Runs the operations of one seed. Returns what was wrong. */
type RunSeed = (seed: number, world: World, log: (line: string) => void) => Promise<readonly string[]>;

/** Seeds that share a database. */
const shared = 100;

/** In memory where there is room, because the servers wait for no disk there. */
async function folderOfData(): Promise<string> {
  const room = await statfs('/dev/shm').catch(() => ({ bavail: 0, bsize: 0 }));
  return room.bavail * room.bsize > 3 * 2 ** 30 ? '/dev/shm' : tmpdir();
}

/**
 * Runs seeds over a replica set, and ends the process: with 1 if something was wrong. `--seed N` runs one seed, `--seeds N` several (1,000
 * by default), `--from N` beginning with that one, `--short` ten; `--verbose` prints operations.
 */
export async function runSeeds(runSeed: RunSeed): Promise<never> {
  const { first, count, log } = readOptions();
  const begun = performance.now();
  const seconds = (): string => ((performance.now() - begun) / 1000).toFixed(0);
  const set = await startReplicaSet({ parent: await folderOfData(), isDirect: true });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void set.stop().then(() => process.exit(130)));
  let [world, failed]: [World | null, number] = [null, 0];
  try {
    for (let done = 0; done < count;) {
      if (done % shared === 0) {
        await world?.stop();
        world = await World.start(set);
      }
      if (world === null) break;
      if (!(await isRight(runSeed(first + done, world, log), first + done))) failed += 1;
      done += 1;
      if (done % 25 === 0) console.log(`${String(done)} seeds, ${String(failed)} with differences, ${seconds()} s`);
    }
  } finally {
    await world?.stop();
    await set.stop();
  }
  console.log(`${String(count)} seeds from ${String(first)}, ${String(failed)} with differences, ${seconds()} s`);
  process.exit(failed === 0 ? 0 : 1);
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      from: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1000' },
      short: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  });
  const count = values.seed !== undefined ? 1 : values.short ? 10 : Number(values.seeds);
  return { first: Number(values.seed ?? values.from), count, log: values.verbose ? console.log : (): void => undefined };
}

/** Prints what was wrong with a seed. Returns whether nothing was. */
async function isRight(run: Promise<readonly string[]>, seed: number): Promise<boolean> {
  const differences = await run.catch((error: unknown) => [String((error as Error).stack ?? error)]);
  for (const difference of differences) console.log(`seed ${String(seed)}: ${difference}`);
  return differences.length === 0;
}
