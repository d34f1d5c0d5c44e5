import { ownRoot } from '../compile-targets.js';
import type { Contest } from './contest.js';
import { openProduct } from './open-product.js';
import type { Settings } from './settings.js';
import { verifyRow } from './verify-row.js';

/** The product against the lean baseline on the same data. */
export const baselineContest = ({ size, rows }: Settings): Contest => ({
  product: openProduct('product', size),
  baseline: {
    name: 'baseline',
    root: ownRoot,
    program: 'baseline',
    options: [],
    size,
    ask: (row, n) => row.ask(n, { size }).baseline,
  },
  unit: "the baseline's CPU",
  rows,
  verify: verifyRow,
  findGoal: ({ goal }) => goal,
});
