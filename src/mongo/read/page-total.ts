import { type Document, MinKey } from 'mongodb';
import type { Condition, Plan, Window } from '../../query/plan.js';
import type { ContentType } from '../../schema/content-type.js';
import { countStored, type Database, readAll, runRead } from '../database.js';
import type { Loaded } from '../loaded.js';
import type { TotalCache } from '../total-cache.js';
import type { LinkEstimates } from './choose-index.js';
import type { Page } from './compile-page.js';
import { countLinked } from './linked-parts.js';

/** The total of a page. `kept` is the known total; null if it must be counted. */
interface PageTotal {
  readonly kept: number | null;
  readonly count: () => Promise<number>;
}

/**
 * Number of skipped entries from which on the total is determined before the page is read, because the page may then be read from
 * the end, or not at all.
 */
const far = 1_000;

/** Returns the total of a page; counted, if it is not known and the page is far from the beginning. */
export const countIfFar = async ({ window }: Page, total: PageTotal): Promise<PageTotal> =>
  total.kept === null && window.skip >= far ? { ...total, kept: await total.count() } : total;

interface TotalContext {
  readonly database: Database;
  readonly totals: TotalCache;
  /** The estimates for conditions on linked entries; null if there are none. */
  readonly estimates: LinkEstimates | null;
}

/** Returns the total of a plan if it is known, and how to count it otherwise. */
export function totalOf(plan: Plan, page: Page, { database, totals, estimates }: TotalContext): PageTotal | Promise<PageTotal> {
  const { match, collection } = page;
  const { condition, isWhole } = plan;
  if (database.session !== null) return { kept: null, count: () => countInTransaction(collection, match, database) };
  if (condition === null) return totalOfAll(page, { database, totals });
  const counted = { collection, match, condition: isWhole ? condition : null };
  const count = (): Promise<number> =>
    estimates === null ? countMatching(counted, database) : countLinked({ collection, match }, estimates, database);
  return { kept: totals.kept(counted), count: () => totals.read(counted, count, database) };
}

/**
 * Returns the total of a list without any condition: the number in the metadata of the collection, which costs nothing. This
 * number is not exact on a sharded cluster, where entries that are being moved count twice, and after a crash of the server. On a
 * sharded cluster, and for a page in the second half of the list, all entries are counted.
 */
function totalOfAll(
  { collection, window }: Page,
  { database, totals }: Omit<TotalContext, 'estimates'>,
): PageTotal | Promise<PageTotal> {
  const counted = { collection, match: present, condition: always };
  const exact = {
    kept: totals.kept(counted),
    count: () => totals.read(counted, () => countMatching(counted, database), database),
  };
  if (database.isSharded || exact.kept !== null) return exact;
  const count = (): Promise<number> => countStored(collection, database);
  if (window.skip < far) return { kept: null, count };
  return count().then(async (stored) =>
    isInSecondHalf(window, stored) ? { ...exact, kept: await exact.count() } : { kept: stored, count },
  );
}

/** Returns whether the end of a list is nearer to a page than its beginning. */
export const isInSecondHalf = ({ skip }: Pick<Window, 'skip'>, total: number): boolean => skip > total / 2;

/** A filter that all documents meet and for which an index is used to count. */
const present = { _id: { $gte: new MinKey() } };
const always: Condition = { kind: 'and', conditions: [] };

interface Matching {
  readonly collection: string;
  readonly match: Document;
}

const countMatching = async ({ collection, match }: Matching, database: Database): Promise<number> =>
  Number((await runRead(database, { count: collection, query: match }))['n']);

/** Counts entries by an aggregation, because a transaction does not allow the `count` command. */
async function countInTransaction(collection: string, match: Document, database: Database): Promise<number> {
  const pipeline = [{ $match: match }, { $count: 'n' }];
  const [counted] = await readAll(database, { aggregate: collection, pipeline, cursor: {} });
  return Number(counted?.['n'] ?? 0);
}

/** Plans whose page was not full at the last read. */
const short = new WeakSet<Plan>();

interface TotalRead {
  readonly read: () => Promise<readonly Loaded[]>;
  readonly total: PageTotal;
}

interface CountedPage {
  readonly entries: readonly Loaded[];
  readonly total: number;
}

/**
 * Reads a page and its total. If the page is not full, the total follows from it. If that is likely, the page is read first, and
 * entries are counted only if it is full; otherwise both are read concurrently.
 */
export async function readWithTotal(plan: Plan, { window }: Page, { read, total }: TotalRead): Promise<CountedPage> {
  const impliedTotal = (entries: readonly Loaded[]): number | null =>
    entries.length < (window.limit ?? Infinity) && (entries.length > 0 || window.skip === 0)
      ? window.skip + entries.length
      : null;
  if (total.kept !== null) {
    const entries = await read();
    return { entries, total: impliedTotal(entries) ?? total.kept };
  }
  const note = (entries: readonly Loaded[]): void => void (impliedTotal(entries) === null ? short.delete(plan) : short.add(plan));
  if (short.has(plan) || leadsToFew(plan.condition, plan.type)) {
    const entries = await read();
    note(entries);
    return { entries, total: impliedTotal(entries) ?? (await total.count()) };
  }
  const [entries, counted] = await Promise.all([read(), total.count()]);
  note(entries);
  return { entries, total: counted };
}

/** Returns whether a condition demands a value of a unique attribute. */
function leadsToFew(condition: Condition | null, type: ContentType): boolean {
  if (condition === null) return false;
  if (condition.kind === 'and') return condition.conditions.some((inner) => leadsToFew(inner, type));
  if (condition.kind !== 'comparison' || condition.denied || condition.comparator !== 'eq') return false;
  const attribute = type.attributes.get(condition.path);
  return condition.path === '_id' || (attribute?.kind === 'scalar' && attribute.unique);
}
