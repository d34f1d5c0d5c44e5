import type { ExaminedRead } from '#base/observe/request-observations.js';
import type { Observer } from '#base/observe/observer.js';
import { conjunctsOf } from '#model/query/conditions.js';
import type { Condition, Plan, SortKey } from '#model/query/plan.js';
import type { Registry } from '#model/schema/content-type.js';
import { type Database, forJob, type Trace, type TracedRead } from '../send/database.js';
import type { Store } from '../store.js';
import { readAll } from '../send/read-commands.js';
import { readLeading, shared } from './collection-facts.js';
import { ReadTrace } from './explain-read.js';
import { firstPath, idIndex, isIndexable, isServed, modelIndexes, modelLeading } from './is-served.js';
import { readPage } from './read-page.js';

/** The name of the job that examines costly reads. */
export const examinesReads = 'query shapes';

/** Maximum milliseconds of a command by which a read is examined. */
const patience = 5_000;

/**
 * Returns the store of requests, which reports how each page is read, and those that took at least `slow` milliseconds or that no
 * index of the model serves; the store itself if nobody listens.
 */
export function observingReads(store: Store, observer: Observer, slow: number): Store {
  const [wantsAll, wantsCostly] = [observer.hasConsumer('page read'), observer.hasConsumer('read costly')];
  if (!wantsAll && !wantsCostly) return store;
  const chose: Trace['onRead'] = (way, plan, read) => {
    const { database, registry, ms } = read;
    if (wantsAll) {
      const requestId = database.sender?.requestId ?? null;
      const described = { shape: () => describeShape(plan), index: () => servingIndex(plan, registry) };
      observer.observe({ kind: 'page read', way, type: plan.type.uid, ms, requestId, ...described });
    }
    const isSlow = ms >= slow;
    if (!wantsCostly || (!isSlow && !isSuspect(plan, read))) return;
    // not the database of the request, which would stay in memory until then
    const examine = () => examineRead(plan, registry, store);
    observer.observe({ kind: 'read costly', way, type: plan.type.uid, ms, isSlow, shape: () => describeShape(plan), examine });
  };
  return { ...store, database: { ...store.database, trace: { onRead: chose } } };
}

/** Returns whether no index of the model serves the condition of a list; or its sort, if the list has all entries. Takes no command. */
function isSuspect({ type, condition, isWhole, sort }: Plan, { database, registry }: TracedRead): boolean {
  const planned = modelLeading(type, registry);
  if (condition !== null && !isWhole) return !isServed(condition, { ...planned, searches: database.searches });
  const [key] = sort;
  return key !== undefined && key.links.length === 0 && !planned.leads(key.path);
}

/** Reads a page again, outside of its request, and returns what the server does for it. */
async function examineRead(plan: Plan, registry: Registry, { database, totals }: Store): Promise<ExaminedRead> {
  const trace = new ReadTrace();
  const own = inBackground(database);
  const { entries } = await readPage(plan, { registry, totals, database: { ...own, trace } });
  const { commands, lacking, advice } = await trace.explain(own, registry);
  const works = commands.map(({ work }) => work);
  const isScan = works.some(({ index, documentsExamined }) => index === null && documentsExamined > 0);
  const names = new Set(works.flatMap(({ index }) => index ?? []));
  const sum = (part: 'keysExamined' | 'documentsExamined'): number => works.reduce((total, work) => total + work[part], 0);
  return {
    isUnindexed: lacking.length > 0 || isScan,
    index: isScan || names.size === 0 ? null : [...names].join(', '),
    keysExamined: sum('keysExamined'),
    documentsExamined: sum('documentsExamined'),
    returned: entries.length,
    advice,
    suggestion: await suggestIndex(plan, own),
  };
}

const inBackground = (database: Database): Database => {
  const own = forJob(shared(database), examinesReads);
  return { ...own, isScanned: true, maxTimeMS: { ...own.maxTimeMS, read: Math.min(own.maxTimeMS.read, patience) } };
};

/**
 * Returns the name of the index of the model that serves a list: one that leads to the entries, otherwise one that has their order;
 * null if there is none. The server may choose another one, for example one that an operator has made.
 */
function servingIndex({ type, condition, isWhole, sort }: Plan, registry: Registry): string | null {
  const compared = conjunctsOf(condition).flatMap((term) => (term.kind === 'comparison' && isIndexable(term) ? [term.path] : []));
  const sorted = sort.slice(0, 1).flatMap(({ links, path }) => (links.length === 0 ? [path] : []));
  const indexes = modelIndexes(type, registry);
  const [first] = [...compared, ...sorted].flatMap((path) => indexes.filter(({ key }) => firstPath(key, type) === path));
  return first?.name ?? (isWhole && sort.length === 0 ? idIndex.name : null);
}

/** Maximum number of characters of a description. */
const longest = 500;

/**
 * Returns what a list compares and how it is sorted, without the values: `title containsi and author(name eq), sorted by rating desc`.
 */
function describeShape({ condition, sort }: Pick<Plan, 'condition' | 'sort'>): string {
  const compared = condition === null ? [] : [describe(condition)];
  const sorted = sort.map(
    ({ links, path, order }) => `${[...links.map((link) => link.path), path].join('.')} ${direction(order)}`,
  );
  const text = [...compared, ...(sorted.length > 0 ? [`sorted by ${sorted.join(', ')}`] : [])].join(', ');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const direction = (order: 1 | -1): string => (order === 1 ? 'asc' : 'desc');

function describe(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return [...new Set(condition.conditions.map((one) => (one.kind === 'or' ? `(${describe(one)})` : describe(one))))].join(
        ` ${condition.kind} `,
      );
    case 'not':
      return `not (${describe(condition.condition)})`;
    case 'comparison':
      return `${[condition.path, ...(condition.keys ?? [])].join('.')} ${condition.denied ? 'not ' : ''}${condition.comparator}`;
    case 'search':
      return 'search';
    case 'fallback':
      return 'fallback locale';
    case 'element':
    case 'related':
      return `${condition.path}(${describe(condition.condition)})`;
  }
}

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
async function suggestIndex(plan: Plan, database: Database): Promise<Suggestion | null> {
  const leading = await readLeading(plan.type, database);
  if (plan.condition !== null && isServed(plan.condition, { ...leading, searches: database.searches })) return null;
  const terms = conjunctsOf(plan.condition)
    .filter((term) => term.kind === 'comparison')
    .filter((term) => isIndexable(term) && term.comparator !== 'null' && term.ofRule !== true && term.stored !== 'json');
  const isEqual = ({ comparator }: (typeof terms)[number]): boolean => comparator === 'eq' || comparator === 'in';
  const ranged = terms.find((term) => !isEqual(term));
  const sorted = plan.sort.every(isPlainKey) ? plan.sort : [];
  const order = sorted.map(({ path, order }) => [path, order === 1 ? '' : ':-1'] as const);
  const keys = new Map([
    ...terms.filter(isEqual).map(({ path }) => [path, ''] as const),
    ...order.filter(([path]) => path !== '_id'),
    ...(ranged === undefined ? [] : [[ranged.path, ''] as const]),
  ]);
  const first = firstPath(Object.fromEntries(keys), plan.type);
  if (first === '' || leading.leads(first)) return null;
  const names = [...keys].slice(0, mostKeys).map(([path, order]) => `${path}${order}`);
  return { keys: names, bytes: await estimateBytes(plan.type.collection, names.length, database) };
}

/** Returns whether an index without a collation has the order of a sort key. */
const isPlainKey = ({ links, lists, collation }: SortKey): boolean =>
  links.length === 0 && lists.length === 0 && collation === undefined;

/** Returns the size of an index with some keys: that of the average index of the collection for each key. */
async function estimateBytes(collection: string, keys: number, database: Database): Promise<number> {
  const pipeline = [{ $collStats: { storageStats: {} } }, { $project: { sizes: '$storageStats.indexSizes' } }];
  const shards = await readAll(database, { aggregate: collection, pipeline }).catch(() => []);
  const sizes = shards.flatMap(({ sizes: one }) => Object.values((one ?? {}) as Readonly<Record<string, number>>).map(Number)); // its form
  const indexes = Math.max(sizes.length / Math.max(shards.length, 1), 1);
  return Math.round((sizes.reduce((sum, size) => sum + size, 0) / indexes) * keys);
}
