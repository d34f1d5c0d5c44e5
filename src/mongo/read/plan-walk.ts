import type { Plan, SortKey } from '../../query/plan.js';
import { type Database, runRead } from '../database.js';
import { estimateSize } from './choose-index.js';
import { type Page, sortsByComputed } from './compile-page.js';

/** Fewer entries than this are joined with the targets that they are sorted by, in one command. */
const fewest = 2_000;
/** Entries up to the end of a page, beyond which all are joined. */
const mostWalked = 1_000;
/** Targets that are read for one page. */
export const mostTargets = 10_000;
/** Links of an entry to several others, as many as are assumed. */
const linksOfEntry = 3;

type Step = SortKey['links'][number];

/** A sort by a value of the entries that each entry is linked to. */
export interface Walk {
  readonly page: Page;
  readonly key: SortKey;
  /** The keys behind it. */
  readonly rest: readonly SortKey[];
  readonly step: Step;
  readonly database: Database;
  /** Targets that are likely to lead to enough entries, and after which all are joined. */
  readonly atOnce: number;
  readonly max: number;
}

/** Returns how to walk; null if joining is better. */
export async function planWalk({ type, totalIsCacheable }: Plan, page: Page, database: Database): Promise<Walk | null> {
  const [key, ...rest] = page.sort;
  const [step, ...others] = key?.links ?? [];
  const { skip, limit } = page.window;
  if (key === undefined || step === undefined || others.length > 0 || !canWalk(step, key)) return null;
  // each command would look for the words again, and MongoDB refuses such a search within an $or
  if (key.lists.length > 0 || sortsByComputed(rest) || (page.rank ?? null) !== null) return null;
  if (limit === null || skip + limit > mostWalked || database.session !== null) return null;
  const [entries, targets] = await Promise.all([
    estimateSize(type.collection, database),
    estimateSize(step.target.collection, database),
  ]);
  if (entries < fewest) return null;
  const worth = Math.ceil(Math.sqrt((skip + limit) * entries));
  const matches = totalIsCacheable ? entries : await countUpTo(worth, page, database);
  const expected = ((skip + limit) * targetsOfEntry(step, { entries, targets }) * entries) / Math.max(matches, 1);
  const atOnce = Math.ceil(expected + 0.5);
  const max = totalIsCacheable
    ? mostTargets
    : Math.min(mostTargets, 4 * Math.ceil(worth * targetsOfEntry(step, { entries, targets })));
  if (matches < worth || atOnce > max) return null;
  return { page, key, rest, step, database, atOnce, max };
}

/**
 * The entry has the link, once, or the target has it. Entries without targets come first in ascending order, so these have to be found: no
 * query on the links in a list of components tells one element without a target from all.
 */
const canWalk = ({ link: { storage }, target, inList }: Step, { order }: SortKey): boolean => {
  if (storage.kind === 'own') return !inList;
  if (storage.kind !== 'inverse') return false;
  const owner = target.attributes.get(storage.field);
  return order === -1 || (owner?.kind === 'relation' && !owner.many);
};

/**
 * Returns the number of entries that meet the conditions of a page, at most as many as it takes until walking is cheaper: it reads about
 * `wanted × entries / matches` entries, joining reads the matches.
 */
async function countUpTo(limit: number, { collection, match }: Page, database: Database): Promise<number> {
  return Number((await runRead(database, { count: collection, query: match, limit }))['n']);
}

/** About how many targets have to be read for each entry that they lead to. */
function targetsOfEntry({ link }: Step, { entries, targets }: Readonly<Record<'entries' | 'targets', number>>): number {
  if (link.storage.kind === 'own') return targets / (entries * (link.many ? linksOfEntry : 1));
  return 2;
}
