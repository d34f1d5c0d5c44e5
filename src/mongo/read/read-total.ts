import type { Document } from 'mongodb';
import type { Condition, Plan } from '../../query/plan.js';
import type { ContentType } from '../../schema/content-type.js';
import { readAll, runRead, type Database } from '../database.js';
import type { Loaded } from '../loaded.js';
import type { TotalCache } from '../total-cache.js';
import { type Page, sortsByComputed } from './compile-page.js';

/** The total of a page: the one that is kept, null if it has to be counted. */
interface PageTotal {
  readonly kept: number | null;
  readonly count: () => Promise<number>;
}

interface TotalContext {
  readonly database: Database;
  readonly totals: TotalCache;
}

/** Entries before a page from which on the total is worth a command before the page is read: it may be read from the end. */
const far = 1_000;

/** Returns how to come to the number of entries that meet a plan's condition. */
export function totalOf(
  plan: Plan,
  { match, collection, window }: Page,
  { database, totals }: TotalContext,
): PageTotal | Promise<PageTotal> {
  const { condition, totalIsCacheable } = plan;
  if (database.session !== null) return { kept: null, count: () => countInTransaction(collection, match, database) };
  const count = async (): Promise<number> => {
    const reply = await runRead(database, { count: collection, ...(condition !== null && { query: match }) });
    return Number(reply['n']);
  };
  // without a condition the server knows the number without counting
  if (condition === null) return window.skip < far ? { kept: null, count } : count().then((kept) => ({ kept, count }));
  const counted = { collection, match, condition: totalIsCacheable ? condition : null };
  return { kept: totals.kept(counted), count: () => totals.read(counted, count) };
}

/** The command that reads the count is not allowed in a transaction. */
async function countInTransaction(collection: string, match: Document, database: Database): Promise<number> {
  const pipeline = [{ $match: match }, { $count: 'n' }];
  const [counted] = await readAll(database, { aggregate: collection, pipeline, cursor: {} });
  return Number(counted?.['n'] ?? 0);
}

/** Plans whose page was not full when it was read last. */
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
 * Reads a page and its total. A page that is not full tells its total, so nothing is counted after it; where that is likely the page is
 * read first, otherwise both are read at the same time.
 */
export async function readWithTotal(plan: Plan, { window }: Page, { read, total }: TotalRead): Promise<CountedPage> {
  if (total.kept !== null) return { entries: await read(), total: total.kept };
  const told = (entries: readonly Loaded[]): number | null =>
    entries.length < (window.limit ?? Infinity) && (entries.length > 0 || window.skip === 0)
      ? window.skip + entries.length
      : null;
  const note = (entries: readonly Loaded[]): void => void (told(entries) === null ? short.delete(plan) : short.add(plan));
  if (short.has(plan) || leadsToFew(plan.condition, plan.type)) {
    const entries = await read();
    note(entries);
    return { entries, total: told(entries) ?? (await total.count()) };
  }
  const [entries, counted] = await Promise.all([read(), total.count()]);
  note(entries);
  return { entries, total: counted };
}

/** Whether a condition names the values of a unique attribute. */
function leadsToFew(condition: Condition | null, type: ContentType): boolean {
  if (condition === null) return false;
  if (condition.kind === 'and') return condition.conditions.some((inner) => leadsToFew(inner, type));
  if (condition.kind !== 'comparison' || condition.denied || condition.comparator !== 'eq') return false;
  const attribute = type.attributes.get(condition.path);
  return condition.path === '_id' || (attribute?.kind === 'scalar' && attribute.unique);
}

/** The same page read from the end of the list, in the opposite order; null if it is nearer to the beginning. */
export function fromEnd({ sort, window: { skip, limit }, ...page }: Page, total: number): Page | null {
  const isNearer = limit !== null && skip > total / 2 && skip < total;
  if (!isNearer || sortsByComputed(sort)) return null;
  const keys = sort.length === 0 ? [byId] : sort;
  const left = total - skip;
  return {
    ...page,
    sort: keys.map((key) => ({ ...key, order: key.order === 1 ? -1 : 1 })),
    window: { skip: Math.max(left - limit, 0), limit: Math.min(limit, left) },
  };
}

const byId = { links: [], path: '_id', lists: [], order: 1 } as const;
