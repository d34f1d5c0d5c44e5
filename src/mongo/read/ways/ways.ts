import { nothing } from '../compile-condition.js';
import { behindEnd, computedOrder, inOrder } from './in-order.js';
import { fromRelated } from './from-related.js';
import { joinedList } from './joined-list.js';
import { onePass } from './one-pass.js';
import { seekTargets } from './seek-targets.js';
import { sortedTargets } from './sorted-targets.js';
import type { Way } from './way.js';

/** Reads nothing if no entry can meet the condition. */
const noEntry: Way = {
  name: 'no entry',
  counts: true,
  fits: async (_plan, facts) => (await facts.page()).match === nothing,
  read: () => Promise.resolve({ documents: [], total: 0 }),
};

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
