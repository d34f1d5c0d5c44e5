import { validationError } from '../../errors.js';
import { comparesText } from '../../query/conditions.js';
import type { Condition, Plan } from '../../query/plan.js';
import { readAll, type Database } from '../database.js';
import { isTimedOut } from '../driver-errors.js';
import { anyIndex, isServed, type Indexes } from './is-served.js';

/** An attribute without an index, by its path, and the option that would give it one. */
interface LackingIndex {
  readonly path: string;
  readonly option: '"index": true' | '"search": "trigram"';
}

/** The conditions on the entries of one type. */
type Level = Pick<Plan, 'type' | 'condition' | 'sort'>;

/** Milliseconds to look at the indexes of a collection. */
const patience = 2_000;

/**
 * Returns the error to answer for a query that failed: if it exceeded its time limit, and no index of a collection serves its filter, a 400
 * that names the attributes and the option that they need; otherwise the error itself.
 */
export async function explainTimeout(error: unknown, plan: Plan, database: Database): Promise<unknown> {
  if (!isTimedOut(error) || database.session !== null) return error;
  const lacking = await Promise.all(levelsOf(plan).map((level) => findLacking(level, database)));
  const [first, ...others] = new Map(lacking.flat().map((one) => [one.path, one])).values();
  if (first === undefined) return error;
  const attributes = [first, ...others];
  const options = attributes.map(({ path, option }) => `${path} (${option})`);
  return validationError(`The database took too long, because no index leads to ${options.join(', ')}`, {
    code: 'NO_INDEX',
    attributes,
  });
}

/** Returns the conditions on entries, and on their related entries. */
const levelsOf = (level: Level): readonly Level[] => [level, ...(level.condition === null ? [] : relatedLevels(level.condition))];

function relatedLevels(condition: Condition): readonly Level[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(relatedLevels);
    case 'element':
      return relatedLevels(condition.condition);
    case 'related':
      return levelsOf({ type: condition.target, condition: condition.condition, sort: [] });
    case 'comparison':
    case 'search':
      return [];
  }
}

async function findLacking({ type, condition, sort }: Level, database: Database): Promise<readonly LackingIndex[]> {
  const leading = await readLeading(type.collection, database);
  const indexes = { ...anyIndex(database), leads: (path: string) => leading.has(path) };
  if (condition !== null && isServed(condition, indexes)) return [];
  const [key] = sort;
  const isUnsorted = key?.links.length === 0 && key.lists.length === 0 && !leading.has(key.path);
  const sorted: readonly LackingIndex[] = isUnsorted ? [{ path: key.path, option: '"index": true' }] : [];
  const filtered = condition === null ? [] : lackingIn(condition, indexes, '');
  return [...filtered, ...sorted].filter(({ path }) => type.attributes.get(path.split('.')[0] ?? '')?.visible === true);
}

/** The first paths of all indexes of a collection, an operator's own included. */
async function readLeading(collection: string, database: Database): Promise<ReadonlySet<string>> {
  const limited = { ...database, maxTimeMS: { ...database.maxTimeMS, read: patience } };
  const rows = await readAll(limited, { listIndexes: collection, cursor: {} });
  return new Set(rows.flatMap(({ key }) => Object.keys(key as object).slice(0, 1))); // the form of every index
}

function lackingIn(condition: Condition, indexes: Indexes, prefix: string): readonly LackingIndex[] {
  if (isServed(condition, indexes)) return [];
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap((inner) => lackingIn(inner, indexes, prefix));
    case 'element': {
      const leads = (path: string): boolean => indexes.leads(`${condition.path}.${path}`);
      return lackingIn(condition.condition, { ...indexes, leads }, `${prefix}${condition.path}.`);
    }
    case 'search':
      return lackingIn(condition.otherwise, indexes, prefix);
    case 'comparison': {
      const isText = comparesText(condition.comparator);
      const isHelped = !condition.denied && (!isText || condition.stored === 'text');
      const option = isText && condition.comparator !== 'startsWith' ? '"search": "trigram"' : '"index": true';
      return isHelped ? [{ path: `${prefix}${condition.path}`, option }] : [];
    }
    case 'related':
      return [];
  }
}
