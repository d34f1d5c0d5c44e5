import { scorePath } from '../../../query/plan.js';
import { readAll } from '../../send/read-commands.js';
import { compilePage, type Page, sortsByComputed } from '../compile-page.js';
import { isInSecondHalf } from './page-total.js';
import { tryHint } from './try-hint.js';
import type { Way } from './way.js';

/** Reads nothing of a page behind the end of a list whose total is known. */
export const behindEnd: Way = {
  name: 'behind the end',
  fits: async ({ window: { skip } }, facts) => skip > 0 && skip >= ((await facts.total())?.kept ?? Infinity),
  read: () => Promise.resolve({ documents: [] }),
};

/** Joins all entries with the entries that they are sorted by, or computes the values that they are sorted by otherwise. */
export const computedOrder: Way = {
  name: 'computed order',
  fits: ({ sort }) => sortsByComputed(sort),
  read: async (_plan, facts) => ({ documents: await readAll(facts.database, compilePage(await facts.page())) }),
};

/**
 * Reads a page in the order of its sort. If its total is known and the end is nearer, reads it from the end, because the server also
 * reads the entries that it skips.
 */
export const inOrder: Way = {
  name: 'order of the sort',
  fits: () => true,
  read: async (_plan, facts) => {
    const page = await facts.page();
    const kept = (await facts.total())?.kept ?? null;
    const backwards = kept === null ? null : fromEnd(page, kept);
    const command = compilePage(backwards ?? page);
    const documents = await tryHint(facts, (options) => readAll(facts.database, { ...command, ...options }));
    return { documents: backwards === null ? documents : [...documents].reverse() };
  },
};

/**
 * Returns the same page counted from the end of the list, in the opposite order; null if it is nearer to the beginning, or sorted
 * by scores, which have no opposite order.
 */
function fromEnd(page: Page, total: number): Page | null {
  const { skip, limit } = page.window;
  const isRanked = page.sort.some(({ path }) => path === scorePath);
  if (limit === null || !isInSecondHalf({ skip }, total) || isRanked) return null;
  const left = total - skip;
  return { ...page, backwards: true, window: { skip: Math.max(left - limit, 0), limit: Math.min(limit, left) } };
}
