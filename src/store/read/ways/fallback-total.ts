import { asScanned } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { localeGroup } from '../../form/layout.js';
import { joinStages } from '../join-related.js';
import type { Facts, JoinedPage, PageTotal } from './way.js';

/**
 * Returns the total of a list with fallback locales if it is known, and how to count it; null if other entries are joined too. It
 * depends on the entries of the list alone, so it is kept as other totals are. If there is no filter, the groups are counted.
 */
export function fallbackTotal({ collection, match, before, joins }: JoinedPage, facts: Facts): PageTotal | null {
  const { database, totals } = facts;
  const [join, ...others] = joins;
  if (join?.condition.kind !== 'fallback' || others.length > 0) return null;
  const rest = join.condition.isAlone ? [{ $group: { _id: localeGroup.number } }] : joinStages(joins, match);
  const pipeline = [{ $match: before }, ...rest, { $count: 'n' }];
  const counted = { collection, match: { pipeline }, condition: null };
  const run = async (): Promise<number> => {
    const [row] = await readAll(asScanned(database), { aggregate: collection, pipeline });
    return Number(row?.['n'] ?? 0);
  };
  if (database.session !== null) return { cachedTotal: null, count: run };
  return { cachedTotal: totals.cachedTotal(counted), count: () => totals.read(counted, run, database) };
}
