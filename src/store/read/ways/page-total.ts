import { MinKey } from 'mongodb';
import { always, conjunctsOf } from '#model/query/conditions.js';
import type { Plan, Window } from '#model/query/plan.js';
import { countDocuments } from '../../send/read-commands.js';
import { countMatching } from '../../stored.js';
import type { Page } from '../compile-page.js';
import { fewEntries } from '../collection-facts.js';
import type { PageContext, PageTotal } from './way.js';
import { isSought } from './page-of.js';

/**
 * Returns the total of a plan if it is known, and how to count it otherwise. It is counted at once if the page is far from the
 * beginning, because the page may then be read from the end, or not at all.
 *
 * The total of a list without any condition is the number in the metadata of the collection, which costs nothing. This number is not
 * exact on a sharded cluster, where entries that are being moved count twice, and after a crash of the server. On a sharded cluster,
 * in a transaction, and for a page in the second half of the list, all entries are counted.
 */
export async function totalOf(
  { condition, isWhole }: Plan,
  { collection, match, window }: Page,
  { database, totals }: Pick<PageContext, 'database' | 'totals'>,
): Promise<PageTotal> {
  const isFar = window.skip >= fewEntries;
  const isAlone = database.session === null;
  const counted = { collection, ...(condition === null ? all : { match, condition: isWhole ? condition : null }) };
  const cachedTotal = isAlone ? totals.cachedTotal(counted) : null;
  if (condition === null && cachedTotal === null && isAlone && !database.isSharded) {
    const count = (): Promise<number> => countDocuments(collection, database);
    const stored = isFar ? await count() : null;
    if (stored === null || !isInSecondHalf(window, stored)) return { cachedTotal: stored, count };
  }
  const count = (): Promise<number> =>
    isAlone
      ? totals.read(counted, () => countDocuments(collection, database, { query: counted.match }), database)
      : countMatching(database, collection, counted.match); // a transaction does not allow the command `count`
  return { cachedTotal: isFar ? (cachedTotal ?? (await count())) : cachedTotal, count };
}

/** A condition that all documents meet, and for which an index is used to count. */
const all = { match: { _id: { $gte: new MinKey() } }, condition: always };

/** Returns whether the end of a list is nearer to a page than its beginning. */
export const isInSecondHalf = ({ skip }: Pick<Window, 'skip'>, total: number): boolean => skip > total / 2;

/** Whether the page of a plan was not full when it was read last. */
const short = new WeakMap<Plan, boolean>();

/** Returns whether the page of a plan was not full when it was read last; null if it was not read yet. */
export const wasShort = (plan: Plan): boolean | null => short.get(plan) ?? null;

/** Records that the page of a plan is likely to be full. */
export const recordFullPage = (plan: Plan): void => void short.set(plan, false);

/** Returns the total that follows from a page that is not full; null for a full page, and for one that begins at a cursor. */
export function impliedTotal(plan: Plan, { skip, limit }: Window, documentCount: number): number | null {
  if (isSought(plan)) return null;
  const isShort = documentCount < (limit ?? Infinity) && (documentCount > 0 || skip === 0);
  short.set(plan, isShort);
  return isShort ? skip + documentCount : null;
}

/** Returns whether the page of a plan is likely not to be full, so that entries are counted only if it is full after all. */
export const isLikelyShort = (plan: Plan): boolean => wasShort(plan) === true || leadsToFew(plan);

/** Returns whether the condition of a plan demands a value of a unique attribute, or one of fewer values than its page has entries. */
export const leadsToFew = ({ condition, type, window: { limit } }: Plan): boolean =>
  conjunctsOf(condition).some((one) => {
    if (one.kind !== 'comparison' || one.denied) return false;
    const isFew = one.comparator === 'in' && (one.operand as readonly unknown[]).length < (limit ?? Infinity); // a list of values
    const attribute = type.attributes.get(one.path);
    const isUnique = one.path === '_id' || (attribute?.kind === 'scalar' && attribute.unique);
    return isUnique && (isFew || one.comparator === 'eq');
  });
