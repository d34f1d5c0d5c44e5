import type { Operated } from './operations.js';
import type { Scene } from './world.js';

/** What happens to processes, by name. */
const disturbances: readonly (readonly [name: string, run: (scene: Scene) => Promise<void>])[] = [
  [
    'kill an instance',
    async ({ world, random }) => {
      await world.replace(random.below(2), 'kill');
      await expireLease(world);
    },
  ],
  ['stop an instance', ({ world, random }) => world.replace(random.below(2), 'stop')],
  ['kill the primary', ({ world }) => killPrimary(world)],
  ['let the primary step down', ({ world }) => stepDown(world)],
];

/** Disturbs processes. What callers could read meanwhile is not known. */
export async function disturb(scene: Scene): Promise<Operated> {
  const [name, run] = disturbances[scene.random.below(disturbances.length)] ?? ['nothing', () => Promise.resolve()];
  await run(scene);
  return { name, isClear: false };
}

/** The lease of a killed writer expires after some seconds, which the test does not wait for. */
const expireLease = async ({ database }: Scene['world']): Promise<unknown> =>
  database.db.collection<{ _id: string }>('_claims').deleteOne({ _id: 'job change log' });

/** The member starts again while the others go on. */
async function killPrimary({ set }: Scene['world']): Promise<void> {
  const primary = await set.primary();
  await primary.kill();
  const other = await set.primary();
  if (other === primary) throw new Error('the killed member is no primary');
  await primary.start();
}

async function stepDown({ set }: Scene['world']): Promise<void> {
  await set.whole();
  const primary = await set.primary();
  await primary.command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 });
  await set.primary();
}
