import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Access, Following } from './access.js';
import { faces } from './clients.js';
import { disturb } from './disturb.js';
import { endOpen, operate } from './operations.js';
import { Random } from '../../random.js';
import { textsOf, Witness } from './witness.js';
import type { Scene, World } from './world.js';

const shapes = [
  'posts',
  'posts?publicationState=preview&locale=all',
  'posts?locale=fr',
  'posts?filters[rating][$gte]=3&locale=all',
  'posts?filters[author][name]=Ann&fields=title',
  'posts?filters[seo][author][name]=Ann',
  'posts?filters[notes][approved]=true',
  'posts?filters[tags][name]=red',
  'posts?filters[$or][0][author][active]=true&filters[$or][1][rating]=5',
  'authors',
  'authors?publicationState=preview',
  'authors?filters[posts][rating]=5',
] as const;

/** The kinds of the clients of a seed. Queries and callers are chosen by the seed. */
const kinds = [
  ['pages'],
  ['pages', 'polls'],
  ['polls', 'events'],
  ['events'],
  ['Electric polls', 'Electric events'],
  ['typed client'],
] as const;

/** Operations of one seed. */
const length = 30;

/** Milliseconds in which a client that acts by itself must have heard of everything. */
const longestQuiet = 20_000;

type Client = Access & { readonly name: string; readonly following: Following };

/** Runs a seed. Returns what is wrong. */
export async function runSeed(seed: number, world: World, log: (line: string) => void): Promise<string[]> {
  const random = new Random(seed);
  await world.begin();
  const clients = kinds.map((kind) => startClient(random.of(kind), random, world));
  const witness = new Witness(world, clients);
  const scene: Scene = { world, random, open: null };
  const wrong: string[] = [];
  const disturbedAt = random.oneIn(4) ? random.below(length) : -1;
  try {
    await witness.note(true);
    for (let step = 0; step < length && wrong.length === 0; step += 1) {
      const pulls = clients.flatMap(({ following }) => (random.oneIn(4) && following.step ? [following.step()] : []));
      const { name, isClear } = await (step === disturbedAt ? disturb(scene) : operate(scene));
      log(`  ${String(step)} ${name}`);
      await Promise.all(pulls);
      await witness.note(isClear);
      wrong.push(...(await judge(clients, witness)).map((one) => `step ${String(step)}, after ${name}: ${one}`));
    }
    await endOpen(scene);
    if (wrong.length === 0) wrong.push(...(await compare(clients, witness, world)));
  } finally {
    await endOpen(scene).catch(() => undefined);
    await Promise.all(clients.map(({ following }) => following.stop()));
  }
  return wrong;
}

function startClient(kind: string, random: Random, world: World): Client {
  const [caller, shape] = [random.of(world.callers), random.of(shapes)];
  const access: Access = { caller, shape, origin: () => world.urlOf(Math.floor(Math.random() * 2)) };
  const start = faces[kind];
  if (start === undefined) throw new Error(`there is no client ${kind}`);
  return { ...access, name: `${kind} of ${caller.name}, ${shape}`, following: start(access) };
}

/** Returns what clients hold that their callers could not read since the last token. */
async function judge(clients: readonly Client[], witness: Witness): Promise<string[]> {
  const found = clients.map(async (client) => {
    const wrong = await witness.wrongIn(client, client.following.held());
    return wrong.map((entry) => `${client.name} holds ${entry}`);
  });
  return (await Promise.all(found)).flat();
}

/** Brings all copies up to date, and compares them with the lists of their callers. */
async function compare(clients: readonly Client[], witness: Witness, world: World): Promise<string[]> {
  await world.settled();
  await world.logged();
  const found = clients.map((client) => compareOne(client, witness));
  return (await Promise.all(found)).flat();
}

async function compareOne({ name, caller, shape, following }: Client, witness: Witness): Promise<string[]> {
  const until = performance.now() + longestQuiet;
  let listed = await witness.list(caller, shape);
  while (listed === 'unknown') listed = await witness.list(caller, shape);
  if (listed === 'ended') return [];
  for (;;) {
    const isBehind = (await following.step?.()) === true;
    const held = textsOf(following.held().entries);
    if (isDeepStrictEqual(held, listed ?? new Map())) return [];
    const isLate = performance.now() > until || (following.step !== undefined && !isBehind);
    if (isLate) {
      const right = [...(listed ?? ['a refusal'])].join('\n    ');
      const place = `at ${String(following.held().seq)} of ${String(await witness.lastSeq())}`;
      return [`${name}, ${place}: ${[...held].join('\n    ')}\n  instead of ${right}`];
    }
    await delay(20);
  }
}
