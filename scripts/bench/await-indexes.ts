import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';

const collections = ['articles', 'authors', 'categories', 'tags', 'comments', 'files', 'pages', 'notes', 'places'] as const;

/**
 * Waits until the indexes that the product makes of the models are built: until no build runs, notes have their trigrams, and nothing
 * has changed for two seconds. Returns the names of the indexes by collection.
 */
export async function awaitIndexes(db: Db): Promise<Readonly<Record<string, readonly string[]>>> {
  let [seen, since] = ['', Date.now()];
  for (;;) {
    const indexes = await listIndexes(db);
    const now = JSON.stringify(indexes);
    if (now !== seen || (await isBuilding(db)) || !(await hasTrigrams(db))) [seen, since] = [now, Date.now()];
    else if (Date.now() - since > 2_000) return indexes;
    await delay(250);
  }
}

async function listIndexes(db: Db): Promise<Record<string, string[]>> {
  const lists = await Promise.all(collections.map(async (name) => [name, await db.collection(name).indexes()] as const));
  return Object.fromEntries(lists.map(([name, indexes]) => [name, indexes.map((index) => spellKeys(index.key))]));
}

const spellKeys = (key: object): string =>
  Object.entries(key)
    .map(([name, order]) => `${name}:${String(order)}`)
    .join(',');

const hasTrigrams = async (db: Db): Promise<boolean> =>
  (await db.collection('_searches').countDocuments({ _id: 'notes/title' as never, state: 'ready' })) > 0;

async function isBuilding(db: Db): Promise<boolean> {
  const pipeline = [{ $currentOp: {} }, { $match: { 'command.createIndexes': { $exists: true } } }, { $limit: 1 }];
  const { cursor } = await db.admin().command({ aggregate: 1, pipeline, cursor: {} });
  return (cursor as { readonly firstBatch: readonly unknown[] }).firstBatch.length > 0;
}
