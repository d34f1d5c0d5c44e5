import { conjunctsOf } from '../../query/conditions.js';
import type { Plan } from '../../query/plan.js';
import type { Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { readLeading } from './collection-facts.js';
import { isIndexable, isServed } from './is-served.js';

/** Maximum number of keys of a suggested index. */
const mostKeys = 4;

/** The keys of an index, such as `['rating', 'title:-1']`, and its estimated size in bytes. */
interface Suggestion {
  readonly keys: readonly string[];
  readonly bytes: number;
}

/**
 * Returns an index that would serve a plan: first the attributes that must equal a value, then those of the sort, then one that is
 * compared with a range. Returns null if an index serves the condition already, or none would. Values of row rules are left out.
 */
export async function suggestIndex(plan: Plan, database: Database): Promise<Suggestion | null> {
  const leading = await readLeading(plan.type, database);
  if (plan.condition !== null && isServed(plan.condition, { ...leading, searches: database.searches })) return null;
  const terms = conjunctsOf(plan.condition)
    .filter((term) => term.kind === 'comparison')
    .filter((term) => isIndexable(term) && term.comparator !== 'null' && term.ofRule !== true && term.stored !== 'json');
  const isEqual = ({ comparator }: (typeof terms)[number]): boolean => comparator === 'eq' || comparator === 'in';
  const ranged = terms.find((term) => !isEqual(term));
  const sorted = plan.sort.every(({ links, lists }) => links.length === 0 && lists.length === 0) ? plan.sort : [];
  const order = sorted.map(({ path, order }) => [path, order === 1 ? '' : ':-1'] as const);
  const keys = new Map([
    ...terms.filter(isEqual).map(({ path }) => [path, ''] as const),
    ...order.filter(([path]) => path !== '_id'),
    ...(ranged === undefined ? [] : [[ranged.path, ''] as const]),
  ]);
  const [first] = [...keys.keys()].filter((path) => path !== 'locale');
  if (first === undefined || leading.leads(first)) return null;
  const names = [...keys].slice(0, mostKeys).map(([path, order]) => `${path}${order}`);
  return { keys: names, bytes: await estimateBytes(plan.type.collection, names.length, database) };
}

/** Returns the size of an index with some keys: that of the average index of the collection for each key. */
async function estimateBytes(collection: string, keys: number, database: Database): Promise<number> {
  const pipeline = [{ $collStats: { storageStats: {} } }, { $project: { sizes: '$storageStats.indexSizes' } }];
  const shards = await readAll(database, { aggregate: collection, pipeline, cursor: {} }).catch(() => []);
  const sizes = shards.flatMap(({ sizes: one }) => Object.values((one ?? {}) as Readonly<Record<string, number>>).map(Number)); // its form
  const indexes = Math.max(sizes.length / Math.max(shards.length, 1), 1);
  return Math.round((sizes.reduce((sum, size) => sum + size, 0) / indexes) * keys);
}
