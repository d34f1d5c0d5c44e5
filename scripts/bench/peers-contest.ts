import { ownRoot } from '../compile-targets.js';
import type { Contest } from './contest.js';
import { dataForm } from './load-data.js';
import { openProduct } from './open-product.js';
import type { Row } from './questions.js';
import type { Settings } from './settings.js';
import { installStrapi, strapiData } from './strapi/install.js';
import { verifyRow } from './verify-row.js';

/** Strapi leaves it to SQLite which of the entries with one value come first, and does not name an entry's other locales. */
const inAnyOrder: ReadonlySet<Row['key']> = new Set(['i', 'j', 's-relation', 's-unindexed', 'o']);

/**
 * The product against Strapi on SQLite with the same content, everything being allowed to everybody in both. Both are asked the same
 * requests.
 */
export const peersContest = ({ size, rows }: Settings): Contest => ({
  product: openProduct('product', size),
  baseline: {
    name: 'strapi',
    root: ownRoot,
    program: 'strapi/server',
    options: [size, strapiData(size, dataForm)],
    size,
    ask: (row, n) => row.ask(n, { size }).product,
  },
  unit: "Strapi's CPU",
  rows,
  prepare: installStrapi,
  verify: (row, sides) => verifyRow(row, sides, inAnyOrder.has(row.key)),
  findGoal: () => Promise.resolve(1),
});
