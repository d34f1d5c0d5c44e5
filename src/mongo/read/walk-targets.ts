import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import type { Plan, SortKey } from '../../query/plan.js';
import { type Database, readAll } from '../database.js';
import { estimateSize } from './choose-index.js';
import { compileSort, type Page, sortsByComputed } from './compile-page.js';

/** Fewer entries are joined with what they are sorted by: one command. */
const fewest = 2_000;
/** Entries up to the end of a page, beyond which all are joined. */
const mostWalked = 1_000;
/** Targets whose entries are read by one command, and by all of them. */
const mostAtOnce = 500;
const mostTargets = 5_000;

/** A sort by a value of the entry that each entry is linked to. */
interface Walk {
  readonly page: Page;
  /** The attribute with the link, and the collection that it leads to. */
  readonly link: string;
  readonly targets: string;
  readonly key: SortKey;
  /** The keys behind it. */
  readonly rest: readonly SortKey[];
  readonly database: Database;
}

/** What is known so far: the first documents of the list, and the targets that they were found by. */
interface Walked {
  readonly documents: readonly Document[];
  readonly ids: readonly unknown[];
}

/**
 * Reads a page that is sorted by a value of linked entries: those in their order, and then the entries that link to the first of them, as
 * many as the page needs. To join all entries and sort them afterwards takes a second for 100,000. Entries that link to nothing come first,
 * in descending order last; a link that leads to an entry that is gone comes last. Returns null if joining is better: there are few
 * entries, some of them are left out by a filter, or the page is far from the first.
 */
export async function walkTargets(
  { type, totalIsCacheable }: Plan,
  page: Page,
  database: Database,
): Promise<readonly Document[] | null> {
  const [key, ...rest] = page.sort;
  const [step, ...others] = key?.links ?? [];
  const { skip, limit } = page.window;
  if (key === undefined || step === undefined || others.length > 0 || key.lists.length > 0 || sortsByComputed(rest)) return null;
  if (!totalIsCacheable || limit === null || skip + limit > mostWalked || database.session !== null) return null;
  if (step.link.storage.kind !== 'own' || step.many) return null;
  const [entries, targets] = await Promise.all([
    estimateSize(type.collection, database),
    estimateSize(step.target.collection, database),
  ]);
  const atOnce = Math.ceil(((skip + limit) * targets) / Math.max(entries, 1)) + 1;
  if (entries < fewest || atOnce > mostAtOnce) return null;
  const walk = { page, link: step.path, targets: step.target.collection, key, rest, database };
  const walked = await walkAll(walk, atOnce);
  return walked?.slice(skip, skip + limit) ?? null;
}

async function walkAll(walk: Walk, atOnce: number): Promise<readonly Document[] | null> {
  const { key, page } = walk;
  const wanted = page.window.skip + (page.window.limit ?? 0);
  const empty = await readTargets(walk, { match: { [key.path]: null }, skip: 0, limit: mostAtOnce });
  if (empty.length === mostAtOnce) return null;
  const nowhere = [null, ...empty.map(({ id }) => id)];
  const isFirst = key.order === 1;
  let walked: Walked = { documents: isFirst ? await readWhere(walk, { $in: nowhere }, wanted) : [], ids: isFirst ? nowhere : [] };
  for (let [done, size] = [0, atOnce]; walked.documents.length < wanted; size = Math.min(2 * size, mostAtOnce)) {
    const chunk = await readChunk(walk, done, size);
    if (chunk === null || walked.ids.length + chunk.length > mostTargets) return null;
    if (chunk.length === 0) {
      const left = await readWhere(walk, { $nin: walked.ids }, wanted - walked.documents.length);
      return [...walked.documents, ...left];
    }
    const found = await readLinked(walk, chunk, wanted - walked.documents.length);
    walked = { documents: [...walked.documents, ...found], ids: [...walked.ids, ...chunk.map(({ id }) => id)] };
    done += chunk.length;
  }
  return walked.documents;
}

/** A target, and the value that entries which link to it are sorted by. */
interface Target {
  readonly id: unknown;
  readonly value: unknown;
}

interface TargetRange {
  readonly match: Document;
  readonly skip: number;
  readonly limit: number;
}

async function readTargets({ targets, key, database }: Walk, { match, skip, limit }: TargetRange): Promise<readonly Target[]> {
  const sort = { [key.path]: key.order, _id: key.order };
  const projection = { value: `$${key.path}` };
  const command = { find: targets, filter: match, sort, projection, ...(skip > 0 && { skip }), limit };
  return (await readAll(database, command)).map(({ _id, value }) => ({ id: _id as unknown, value: value as unknown }));
}

/** The next targets. Those with one value stay together: entries that link to them are in the order of the keys behind. Null: too many. */
async function readChunk(walk: Walk, skip: number, size: number): Promise<readonly Target[] | null> {
  const targets = await readTargets(walk, { match: { [walk.key.path]: { $ne: null } }, skip, limit: size + 1 });
  if (targets.length <= size) return targets;
  const last = targets.at(-1)?.value;
  const whole = targets.filter(({ value }) => !isDeepStrictEqual(value, last));
  if (whole.length > 0) return whole;
  return size < mostAtOnce ? readChunk(walk, skip, Math.min(2 * size, mostAtOnce)) : null;
}

/** Entries that link to some targets, in the order of these. */
function readLinked(
  { page, link, rest, key, database }: Walk,
  chunk: readonly Target[],
  limit: number,
): Promise<readonly Document[]> {
  const ids = chunk.map(({ id }) => id);
  let rank = 0;
  const ranks = chunk.map(({ value }, index) =>
    index > 0 && !isDeepStrictEqual(value, chunk[index - 1]?.value) ? ++rank : rank,
  );
  const pipeline = [
    { $match: { $and: [page.match, { [link]: { $in: ids } }] } },
    { $set: { _rank: { $arrayElemAt: [ranks, { $indexOfArray: [ids, `$${link}`] }] } } },
    { $sort: { _rank: 1, ...restOrder(rest, key) } },
    { $limit: limit },
    { $project: page.projection },
  ];
  return readAll(database, { aggregate: page.collection, pipeline, cursor: {} });
}

/** Entries whose link is one of these, or none of them, which all count as one value. */
function readWhere({ page, link, rest, key, database }: Walk, links: Document, limit: number): Promise<readonly Document[]> {
  const filter = { $and: [page.match, { [link]: links }] };
  const { collection, projection } = page;
  return readAll(database, { find: collection, filter, sort: restOrder(rest, key), projection, limit });
}

/** The order of entries with one value. */
const restOrder = (rest: readonly SortKey[], key: SortKey): Document =>
  rest.length > 0 ? compileSort(rest) : { _id: key.order };
