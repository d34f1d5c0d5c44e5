import path from 'node:path';
import type { Contest } from './contest.js';
import { openProduct } from './open-product.js';
import type { Settings } from './settings.js';
import { verifyRow } from './verify-row.js';

/** This build of the product against that of another checkout, on the same data. */
export const buildsContest = ({ size, rows, against }: Settings): Contest => ({
  product: openProduct('this-build', size),
  baseline: { ...openProduct('other-build', size), root: path.resolve(against ?? '.') },
  unit: "the other build's CPU",
  rows,
  verify: verifyRow,
});
