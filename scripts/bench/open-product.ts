import { ownRoot } from '../compile-targets.js';
import type { Contender } from './contest.js';
import type { Size } from './sizes.js';

/** The product, everything being allowed to everybody. */
export const openProduct = (name: string, size: Size): Contender => ({
  name,
  root: ownRoot,
  program: 'product',
  options: [],
  size,
  ask: (row, n) => row.ask(n, { size }).product,
});
