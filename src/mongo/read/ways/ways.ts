import { scorePath } from '../../../query/plan.js';
import { readAll } from '../../send/read-commands.js';
import { nothing } from '../compile-condition.js';
import { compilePage, type Page, sortsByComputed } from '../compile-page.js';
import { fromRelated } from './from-related.js';
import { joinedList } from './joined-list.js';
import { onePass } from './one-pass.js';
import { isInSecondHalf } from './page-total.js';
import { seekTargets } from './seek-targets.js';
import { sortedTargets } from './sorted-targets.js';
import { tryHint } from './try-hint.js';
import type { Way } from './way.js';

/** Reads nothing if no entry can meet the condition. */
const noEntry: Way = {
  name: 'no entry',
  fits: async (_plan, facts) => (await facts.page()).match === nothing,
  read: () => Promise.resolve({ documents: [] }),
};

/** Reads nothing of a page behind the end of a list whose total is known. */
const behindEnd: Way = {
  name: 'behind the end',
  fits: async ({ window: { skip } }, facts) => skip > 0 && skip >= ((await facts.kept()) ?? Infinity),
  read: () => Promise.resolve({ documents: [] }),
};

/** Joins all entries with the entries that they are sorted by, or computes the values that they are sorted by otherwise. */
const computedOrder: Way = {
  name: 'computed order',
  fits: ({ sort }) => sortsByComputed(sort),
  read: async (_plan, facts) => ({ documents: await readAll(facts.database, compilePage(await facts.page())) }),
};

/**
 * Reads a page in the order of its sort. If its total is known and the end is nearer, reads it from the end, because the server also
 * reads the entries that it skips.
 */
const inOrder: Way = {
  name: 'order of the sort',
  fits: () => true,
  read: async (_plan, facts) => {
    const page = await facts.page();
    const kept = await facts.kept();
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

/** All ways to read a page. The first one that fits is used. */
export const ways: readonly Way[] = [
  fromRelated,
  noEntry,
  joinedList,
  onePass,
  behindEnd,
  sortedTargets,
  seekTargets,
  computedOrder,
  inOrder,
];
