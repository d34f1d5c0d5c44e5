import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { startReplicaSet } from '../faults/replica-set.js';
import { runSeed } from './seed.js';
import { World } from './world.js';

/*
 * `npm run test:sync`: a randomised test of sync. Writers change entries, links, files, locales, rules, rights, tokens and models over two
 * instances and past the API, import, and hold transactions open, while instances, the writer of the log and the primary of a replica set
 * are killed. Clients of all kinds, with different rights, copy entries meanwhile. After each operation, no client may hold an entry that
 * its caller could not read at any moment since its last token. When it is quiet, each copy must equal the list that its caller is
 * answered. `--seed N` runs one seed, `--seeds N` several (1,000 by default), `--from N` beginning with that one, `--short` ten;
 * `--verbose` prints operations.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1000' },
    short: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

/** Seeds that share a database. */
const shared = 100;

/** In memory where there is room, because the servers wait for no disk there. */
async function folderOfData(): Promise<string> {
  const room = await statfs('/dev/shm').catch(() => ({ bavail: 0, bsize: 0 }));
  return room.bavail * room.bsize > 3 * 2 ** 30 ? '/dev/shm' : tmpdir();
}

// the client of Electric complains of streams that end because rights have changed
console.warn = () => undefined;

const begun = performance.now();
const seconds = (): string => ((performance.now() - begun) / 1000).toFixed(0);
const first = Number(values.seed ?? values.from);
const count = values.seed !== undefined ? 1 : values.short ? 10 : Number(values.seeds);
const log = values.verbose ? console.log : (): void => undefined;
const set = await startReplicaSet({ parent: await folderOfData(), isDirect: true });
let world: World | null = null;
let failed = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void set.stop().then(() => process.exit(130)));
try {
  for (let seed = first; seed < first + count; seed += 1) {
    if ((seed - first) % shared === 0) {
      await world?.stop();
      world = await World.start(set);
    }
    if (world === null) break;
    const differences = await runSeed(seed, world, log).catch((error: unknown) => [String((error as Error).stack ?? error)]);
    for (const difference of differences) console.log(`seed ${String(seed)}: ${difference}`);
    if (differences.length > 0) failed += 1;
    const done = seed - first + 1;
    if (done % 25 === 0) console.log(`${String(done)} seeds, ${String(failed)} with differences, ${seconds()} s`);
  }
} finally {
  await world?.stop();
  await set.stop();
}
console.log(`${String(count)} seeds from ${String(first)}, ${String(failed)} with differences, ${seconds()} s`);
process.exit(failed === 0 ? 0 : 1);
