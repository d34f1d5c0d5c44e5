import { type Document, MinKey } from 'mongodb';
import { conjunctsOf } from '../../../query/conditions.js';
import { type Condition, isSought, type Plan, type Window } from '../../../query/plan.js';
import { type Database } from '../../send/database.js';
import { countStored, readAll, runRead } from '../../send/read-commands.js';
import type { Page } from '../compile-page.js';
import { few } from '../collection-facts.js';
import type { PageContext, PageTotal } from './way.js';

type TotalContext = Pick<PageContext, 'database' | 'totals'>;

/**
 * Returns the total of a plan if it is known, and how to count it otherwise. It is counted at once if the page is far from the
 * beginning, because the page may then be read from the end, or not at all.
 */
export async function totalOf(plan: Plan, page: Page, context: TotalContext): Promise<PageTotal> {
  const total = await keptTotal(plan, page, context);
  return total.kept === null && page.window.skip >= few ? { ...total, kept: await total.count() } : total;
}

function keptTotal({ condition, isWhole }: Plan, page: Page, { database, totals }: TotalContext): PageTotal | Promise<PageTotal> {
  const { match, collection } = page;
  if (database.session !== null) return { kept: null, count: () => countInTransaction(collection, match, database) };
  if (condition === null) return totalOfAll(page, { database, totals });
  const counted = { collection, match, condition: isWhole ? condition : null };
  return { kept: totals.kept(counted), count: () => totals.read(counted, () => countMatching(counted, database), database) };
}

/**
 * Returns the total of a list without any condition: the number in the metadata of the collection, which costs nothing. This
 * number is not exact on a sharded cluster, where entries that are being moved count twice, and after a crash of the server. On a
 * sharded cluster, and for a page in the second half of the list, all entries are counted.
 */
function totalOfAll({ collection, window }: Page, { database, totals }: TotalContext): PageTotal | Promise<PageTotal> {
  const counted = { collection, match: present, condition: always };
  const exact = {
    kept: totals.kept(counted),
    count: () => totals.read(counted, () => countMatching(counted, database), database),
  };
  if (database.isSharded || exact.kept !== null) return exact;
  const count = (): Promise<number> => countStored(collection, database);
  if (window.skip < few) return { kept: null, count };
  return count().then(async (stored) =>
    isInSecondHalf(window, stored) ? { ...exact, kept: await exact.count() } : { kept: stored, count },
  );
}

/** Returns whether the end of a list is nearer to a page than its beginning. */
export const isInSecondHalf = ({ skip }: Pick<Window, 'skip'>, total: number): boolean => skip > total / 2;

/** A filter that all documents meet and for which an index is used to count. */
const present = { _id: { $gte: new MinKey() } };
const always: Condition = { kind: 'and', conditions: [] };

interface Matching extends Pick<Page, 'collection' | 'match'> {
  readonly limit?: number;
}

/** Returns the number of entries that meet a condition, counted only up to `limit`. */
export const countMatching = async ({ collection, match, limit }: Matching, database: Database): Promise<number> =>
  Number((await runRead(database, { count: collection, query: match, ...(limit !== undefined && { limit }) }))['n']);

/** Counts entries by an aggregation, because a transaction does not allow the `count` command. */
async function countInTransaction(collection: string, match: Document, database: Database): Promise<number> {
  const pipeline = [{ $match: match }, { $count: 'n' }];
  const [counted] = await readAll(database, { aggregate: collection, pipeline, cursor: {} });
  return Number(counted?.['n'] ?? 0);
}

/** Whether the page of a plan was not full when it was read last. */
const short = new WeakMap<Plan, boolean>();

/** Returns whether the page of a plan was not full when it was read last; null if it was not read yet. */
export const wasShort = (plan: Plan): boolean | null => short.get(plan) ?? null;

/** Records that the page of a plan is likely to be full. */
export const noteFull = (plan: Plan): void => void short.set(plan, false);

/** Returns the total that follows from a page that is not full; null for a full page, and for one that begins at a cursor. */
export function impliedTotal(plan: Plan, { skip, limit }: Window, found: number): number | null {
  if (isSought(plan)) return null;
  const isShort = found < (limit ?? Infinity) && (found > 0 || skip === 0);
  short.set(plan, isShort);
  return isShort ? skip + found : null;
}

/** Returns whether the page of a plan is likely not to be full, so that entries are counted only if it is full after all. */
export const isLikelyShort = (plan: Plan): boolean => wasShort(plan) === true || leadsToOne(plan);

/** Returns whether the condition of a plan demands a value of a unique attribute. */
export const leadsToOne = ({ condition, type }: Plan): boolean =>
  conjunctsOf(condition).some((one) => {
    if (one.kind !== 'comparison' || one.denied || one.comparator !== 'eq') return false;
    const attribute = type.attributes.get(one.path);
    return one.path === '_id' || (attribute?.kind === 'scalar' && attribute.unique);
  });
