import type { Plan, SortKey, Window } from '../../query/plan.js';
import { type Database, runRead } from '../database.js';
import { estimateSize, readLeading } from './collection-facts.js';
import { type Page, sortsByComputed } from './compile-page.js';

/** Number of entries below which all are joined with the targets that they are sorted by, in one command. */
const fewest = 2_000;
/** Maximum number of entries up to the end of a page that are read. For later pages the entries before are counted or joined. */
const mostWalked = 1_000;
/** Maximum number of targets that are read for one page. */
export const mostTargets = 10_000;
/** Maximum number of targets whose entries are counted for one page. */
export const mostSkipped = 100_000;
/** Assumed number of links in a relation to many. */
const linksOfEntry = 3;

type Step = SortKey['links'][number];

/**
 * A way to read a page that is sorted by a value of linked entries, the targets: the targets are read in their order, and then
 * the entries that are linked with them, until the page is full.
 */
export interface Walk {
  readonly page: Page;
  readonly key: SortKey;
  /** The further sort keys. */
  readonly rest: readonly SortKey[];
  /** The link of the entries. */
  readonly step: Step;
  /** The links that lead from its entries to the targets. If there are some, each entry of all types has one link at most. */
  readonly further: readonly Step[];
  /** Whether the page is so far from the beginning that the entries before it are counted. */
  readonly isFar: boolean;
  readonly database: Database;
  /** Number of targets that is likely to lead to enough entries. */
  readonly atOnce: number;
  readonly max: number;
}

export interface WalkContext {
  readonly database: Database;
  /** The number of entries of the list; null if it is not known. */
  readonly total: number | null;
}

/** Returns how to walk over the targets; null if joining all entries is better. */
export async function planWalk({ type, isWhole }: Plan, page: Page, { database, total }: WalkContext): Promise<Walk | null> {
  const walked = walkedKey(page.sort, page.window);
  // each command would repeat the full-text search, which MongoDB does not allow within an $or
  if (walked === null || (page.rank ?? null) !== null || database.session !== null) return null;
  const { wanted, ...sorted } = walked;
  const { step, further } = sorted;
  const { target } = further.at(-1) ?? step;
  const [entries, targets] = await Promise.all([estimateSize(type, database), estimateSize(target, database)]);
  if (entries < fewest) return null;
  const worth = Math.ceil(Math.sqrt(Math.min(wanted, entries) * entries));
  const matches = total ?? (isWhole ? entries : await countUpTo(worth, page, database));
  const expected = (wanted * targetsOfEntry(step, { entries, targets }) * entries) / Math.max(matches, 1);
  const atOnce = Math.ceil(expected + 0.5);
  const max = isWhole ? mostTargets : Math.min(mostTargets, 4 * Math.ceil(worth * targetsOfEntry(step, { entries, targets })));
  // in whole lists the index of the link contains what is needed to count entries
  const isCounted = sorted.isFar && isWhole;
  if ((matches < worth && !isCounted) || atOnce > (sorted.isFar ? mostSkipped : max)) return null;
  if (sorted.isFar && !(await isIndexed(sorted, database))) return null;
  return { ...sorted, page, database, atOnce, max };
}

/** Returns whether an index has the targets of a sort in its order. Without one, each read of targets would sort all of them. */
async function isIndexed({ key, step, further }: Pick<Walk, 'key' | 'step' | 'further'>, database: Database): Promise<boolean> {
  const { target } = further.at(-1) ?? step;
  const leading = await readLeading(target, database).catch(() => null);
  return leading?.all.has(key.path) === true;
}

/** A sort whose targets can be walked. */
interface WalkedKey extends Pick<Walk, 'key' | 'rest' | 'step' | 'further' | 'isFar'> {
  /** The number of entries up to the end of the page. */
  readonly wanted: number;
}

/** Returns the first sort key, whose targets can be walked for a page; null if they cannot. */
export function walkedKey([key, ...rest]: readonly SortKey[], { skip, limit }: Window): WalkedKey | null {
  const [step, ...further] = key?.links ?? [];
  if (key === undefined || step === undefined || limit === null || key.lists.length > 0 || sortsByComputed(rest)) return null;
  const isWalked = further.length === 0 ? canWalk(step, key) : [step, ...further].every(isToOne);
  const isFar = skip + limit > mostWalked;
  if (!isWalked || (isFar && (further.length > 0 || !isToOne(step)))) return null;
  return { key, rest, step, further, isFar, wanted: skip + limit };
}

/** Returns whether the entries of a link store it, outside of lists of components. */
const isOwn = ({ link, inList }: Step): boolean => link.storage.kind === 'own' && !inList;

/** Returns whether entries store a link, and have at most one. */
const isToOne = (step: Step): boolean => isOwn(step) && !step.link.many;

/**
 * Returns whether the targets of a sort key can be walked: the entry itself stores the link, or the target does. In ascending
 * order entries without targets come first, so a query must be able to find them. For links in a list of components there is no
 * such query, because one element without a target would be enough.
 */
const canWalk = (step: Step, { order }: SortKey): boolean => {
  const {
    link: { storage },
    target,
  } = step;
  if (storage.kind === 'own') return isOwn(step);
  if (storage.kind !== 'inverse') return false;
  const owner = target.attributes.get(storage.field);
  return order === -1 || (owner?.kind === 'relation' && !owner.many);
};

/**
 * Returns the number of entries that meet the conditions of a page, counted only up to `limit`, from which on walking is cheaper.
 * Walking reads about `wanted × entries / matches` entries, joining reads all matches.
 */
async function countUpTo(limit: number, { collection, match }: Page, database: Database): Promise<number> {
  return Number((await runRead(database, { count: collection, query: match, limit }))['n']);
}

/** Returns the approximate number of targets to read for each entry that they lead to. */
function targetsOfEntry({ link }: Step, { entries, targets }: Readonly<Record<'entries' | 'targets', number>>): number {
  if (link.storage.kind === 'own') return targets / (entries * (link.many ? linksOfEntry : 1));
  return 2;
}
