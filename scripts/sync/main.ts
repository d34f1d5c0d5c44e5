import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Copy } from '../../test/sync/copy.js';
import { listOf } from '../../test/sync/serve-sync.js';
import { startEphemeral } from '../start-database.js';
import { Instances } from './instances.js';
import { endOpen, operate, type World } from './operations.js';
import { Random } from './random.js';

/*
 * `npm run test:sync`: a randomised test of sync. Writers change entries, links, rules, rights and models over two instances and past the
 * API, hold transactions open, and instances are restarted. Clients with different rights copy entries meanwhile. When it is quiet, each
 * copy must equal the list that its caller is answered. `--seed N` runs one seed, `--seeds N` several, `--from N` beginning with that one, `--short` ten.
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

const shapes = [
  'posts',
  'posts?publicationState=preview&locale=all',
  'posts?filters[rating][$gte]=3&locale=all',
  'posts?filters[author][name]=Ann&fields=title',
  'posts?filters[notes][approved]=true',
  'posts?filters[tags][name]=red',
  'authors',
  'authors?filters[posts][rating]=5',
];

/** Operations of one seed. */
const length = 40;

interface Client {
  readonly name: string;
  readonly shape: string;
  readonly isUser: boolean;
  readonly copy: Copy;
}

const clientsOf = (instances: Instances): Client[] =>
  shapes.flatMap((shape) =>
    [true, false].map((isUser) => {
      const copy = new Copy(
        () => `${instances.at(Math.floor(Math.random() * 2)).server.url}/api/sync/${shape}`,
        () => ({ authorization: `Bearer ${isUser ? instances.ann : instances.at(0).editor}` }),
      );
      return { name: `${isUser ? 'user' : 'editor'} ${shape}`, shape, isUser, copy };
    }),
  );

/** Runs a seed. Returns the differences between copies and lists. */
async function run(seed: number, instances: Instances): Promise<string[]> {
  const world: World = { instances, random: new Random(seed), open: null };
  const clients = clientsOf(instances);
  for (let step = 0; step < length; step += 1) {
    const name = await operate(world);
    if (values.verbose) console.log(`  ${name}`);
    for (const { copy } of clients) if (world.random.oneIn(4)) await copy.step();
    const waiting = world.random.maybe(clients);
    if (waiting !== undefined && world.random.oneIn(4)) await Promise.all([waiting.copy.step(1), operate(world)]);
    if (world.random.oneIn(200)) await instances.restart(world.random.below(2));
  }
  await endOpen(world);
  return compare(clients, instances);
}

/** Brings all copies up to date, and compares them with the lists of both instances. */
async function compare(clients: readonly Client[], instances: Instances): Promise<string[]> {
  await instances.at(0).settled();
  await instances.at(1).settled();
  await instances.at(0).logged();
  const differences: string[] = [];
  for (const { name, shape, isUser, copy } of clients) {
    const token = isUser ? instances.ann : instances.at(0).editor;
    const [status, listed] = [await copy.pull(), await listOf(instances.at(0), token, shape).catch(() => null)];
    if (listed === null) {
      if (status === 200) differences.push(`${name}: the list is refused, the copy is not`);
    } else if (!isDeepStrictEqual(Object.fromEntries(copy.entries), listed))
      differences.push(`${name}: ${JSON.stringify(Object.fromEntries(copy.entries))}\n   instead of ${JSON.stringify(listed)}`);
  }
  return differences;
}

const begun = performance.now();
const database = await startEphemeral(console.log);
const first = Number(values.seed ?? values.from);
const count = values.seed !== undefined ? 1 : values.short ? 10 : Number(values.seeds);
let instances: Instances | null = null;
let failed = 0;
try {
  for (let seed = first; seed < first + count; seed += 1) {
    if ((seed - first) % 25 === 0) {
      await instances?.stop();
      instances = await Instances.start(database.uri);
    }
    if (instances === null) break;
    const differences = await run(seed, instances).catch((error: unknown) => [String(error)]);
    for (const difference of differences) console.log(`seed ${String(seed)}: ${difference}`);
    if (differences.length > 0) failed += 1;
    if ((seed - first) % 25 === 24) console.log(`${String(seed - first + 1)} seeds, ${String(failed)} with differences`);
  }
} finally {
  await instances?.stop();
  await database.stop();
}
console.log(`${String(count)} seeds, ${String(failed)} with differences, ${((performance.now() - begun) / 1000).toFixed(0)} s`);
process.exitCode = failed === 0 ? 0 : 1;
