import { ownRoot } from '../../compile-targets.js';
import type { Contest } from '../contest.js';
import { openProduct } from '../open-product.js';
import type { Settings } from '../settings.js';
import { verifyRow } from '../verify-row.js';
import type { Peer } from './peer.js';
import { plainAnswer } from './plain-answer.js';

/** A list from memory is to take at most this part of a peer's CPU for the same list. */
const goalOfKept = 1 / 15;

/** The product against a peer with the same content, everything being allowed to everybody in both. */
export const peerContest = (peer: Peer, { size, rows }: Settings): Contest => ({
  product: { ...openProduct('product', size), ...(peer.read && { read: plainAnswer }) },
  baseline: {
    name: peer.title,
    root: ownRoot,
    program: peer.program,
    options: peer.options(size),
    size,
    ask: (row, n) => peer.ask(row.ask(n, { size }).product),
    ...(peer.read && { read: peer.read }),
    ...(peer.recall && { recall: peer.recall }),
    ...(peer.onMongoDB && { database: `${peer.name}_bench_${size}` }),
  },
  unit: "the peer's CPU",
  rows,
  prepare: () => peer.install(),
  verify: (row, sides) => verifyRow(row, sides, peer.loose.has(row.key)),
  findGoal: ({ key }) => (key === 'kept' ? goalOfKept : 1),
});
