import { setTimeout as delay } from 'node:timers/promises';
import { modelStates } from '#store/models/model-states.js';
import type { Database } from '#store/send/database.js';

/** Milliseconds to wait for instances, and between two looks at their states. */
const longestWait = 1_000;
const pace = 50;

/** Maximum number of instances, and of states of models, that are waited for. */
const most = { instances: 100, states: 10_000 };

/**
 * Stores models, and waits until all instances that run have taken them over, but not for long. Returns the names of those that have
 * not, such as an instance that was killed a moment ago.
 */
export async function storeUntilServed(
  database: Database,
  uids: readonly string[],
  store: () => Promise<void>,
): Promise<readonly string[]> {
  const before = await statesOf(database, uids);
  await store();
  const instances = (await modelStates.readInstances(database, most.instances)).map(({ name }) => name);
  const until = performance.now() + longestWait;
  for (;;) {
    const now = await statesOf(database, uids);
    const late = instances.filter((name) => uids.some((uid) => now.get(`${uid} ${name}`) === before.get(`${uid} ${name}`)));
    if (late.length === 0 || performance.now() > until) return late;
    await delay(pace);
  }
}

/** Returns when the state of each model was written last, by its uid and the name of the instance. */
async function statesOf(database: Database, uids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const states = await modelStates.read(database, uids, most.states);
  return new Map(states.map(({ uid, instance, at }) => [`${uid} ${instance}`, at.getTime()]));
}
