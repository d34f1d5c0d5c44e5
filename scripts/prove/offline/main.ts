import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { startReplicaSet } from '../faults/replica-set.js';
import { World } from '../sync/world.js';
import { runSeed } from './seed.js';

/*
 * `npm run test:offline`: a randomised test of writes while offline. Three devices of two users create, change, count, link and delete
 * entries, with locales and drafts; they lose their network, and requests before and after they are carried out, are killed, and decide
 * about conflicts. Others write over REST meanwhile, rights, rules and models change, and instances and the primary are killed. No value
 * may be overwritten unseen, and no device may show an entry that its user may not read after a step. In the end all devices and the
 * service hold the same, sums are exact, and nothing is lost or there twice. `--seed N` runs one seed, `--seeds N` several (1,000 by
 * default), `--from N` beginning with that one, `--short` ten; `--verbose` prints operations.
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
