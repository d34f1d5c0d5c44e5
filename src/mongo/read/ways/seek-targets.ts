import type { Document } from 'mongodb';
import type { Position } from '../../../query/bound-cursors.js';
import type { Plan } from '../../../query/plan.js';
import { readAll } from '../../send/read-commands.js';
import { both, compileOrder } from '../compile-page.js';
import { estimateSize } from '../collection-facts.js';
import { compileBeyond, compileSeek } from '../seek.js';
import { compileUnlinked, restOf, type Walk } from './compile-linked.js';
import { lookUpEntries } from './from-related.js';
import { mostTargets, planWalk, walkedKey } from './sorted-targets.js';
import type { Way } from './way.js';

/**
 * Reads a page by cursors of a list that is sorted by a value of one linked entry, the target: takes the targets from the value of the
 * cursor on, one group for each value, and looks up their entries until the page is full. Entries without a value come first, in
 * descending order last. The order is that of joining all entries, so that each page may be read in either way.
 */
export const seekTargets: Way = {
  name: 'targets from a cursor',
  fits: ({ sort, window, pagination }, { database }) =>
    pagination.kind === 'cursor' && database.session === null && walkedKey(sort, window)?.step.link.many === false,
  read: async (plan, facts) => {
    const walk = await planWalk(plan, facts);
    if (walk === null || (await estimateSize(walk.step.target, facts.database)) > mostTargets) return null;
    return { documents: await readSides(walk, startOf(plan)) };
  },
};

/** The position at which a page begins, and whether the entry there is read too. */
interface Start extends Position {
  readonly isIncluded: boolean;
}

const startOf = ({ pagination }: Plan): Start | null =>
  pagination.kind === 'cursor' && pagination.from !== null ? { ...pagination.from, isIncluded: pagination.looksBack } : null;

/** Entries of one side: those with a value of a target, or those without. `from` is in this side, or null. */
type ReadSide = (walk: Walk, from: Start | null, limit: number) => Promise<readonly Document[]>;

/** Reads the side that the position is in, and the one behind it if the page is not full. */
async function readSides(walk: Walk, from: Start | null): Promise<readonly Document[]> {
  const sides: readonly ReadSide[] = orderOf(walk) > 0 ? [readWithout, readWith] : [readWith, readWithout];
  const own = (from?.values[0] ?? null) === null ? readWithout : readWith;
  const limit = walk.page.window.limit ?? 0; // the way fits pages with a limit
  const documents: Document[] = [];
  for (const side of from === null ? sides : sides.slice(sides.indexOf(own)))
    if (documents.length < limit) documents.push(...(await side(walk, side === own ? from : null, limit - documents.length)));
  return documents;
}

const orderOf = ({ key, page }: Walk): number => (page.backwards === true ? -key.order : key.order);

const restSeek = (walk: Walk, { values, id, isIncluded }: Start): Document =>
  compileSeek(restOf(walk), { values: values.slice(1), id }, isIncluded);

/** Reads entries that have no target, or one without a value, or one that does not exist. */
async function readWithout(walk: Walk, from: Start | null, limit: number): Promise<readonly Document[]> {
  const { key, step, database } = walk;
  const find = {
    find: step.target.collection,
    filter: { [key.path]: { $ne: null } },
    projection: { _id: 1 },
    batchSize: mostTargets + 1,
  };
  const before = (await readAll(database, find)).map(({ _id }) => _id as unknown);
  return readAll(database, compileUnlinked(walk, { before, limit }, from === null ? {} : restSeek(walk, from)));
}

function readWith(walk: Walk, from: Start | null, limit: number): Promise<readonly Document[]> {
  const { page, key, step, database } = walk;
  const order = orderOf(walk);
  const value = from?.values[0] ?? null;
  const behind =
    from === null ? [] : [{ $match: { $or: [{ $expr: { $ne: ['$$value', { $literal: value }] } }, restSeek(walk, from)] } }];
  const entries = [
    { $match: page.match },
    ...behind,
    { $set: { _sort0: '$$value' } },
    { $sort: compileOrder(restOf(walk)) },
    { $limit: limit },
    { $project: page.projection },
  ];
  const pipeline = [
    { $match: both({ [key.path]: { $ne: null } }, value === null ? {} : compileBeyond([key.path, order], value, true)) },
    { $group: { _id: `$${key.path}`, ids: { $push: '$_id' } } },
    { $sort: { _id: order } },
    ...lookUpEntries({ from: page.collection, foreignField: step.path, let: { value: '$_id' }, pipeline: entries }),
    { $limit: limit },
  ];
  return readAll(database, { aggregate: step.target.collection, pipeline, cursor: {} });
}
