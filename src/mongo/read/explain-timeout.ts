import type { IndexDescriptionInfo } from 'mongodb';
import { validationError } from '../../errors.js';
import { comparesText } from '../../query/conditions.js';
import type { Condition, Plan } from '../../query/plan.js';
import { dottedPath, findPlaces } from '../../schema/attribute-places.js';
import type { Attribute, ContentType, Registry, ScalarAttribute } from '../../schema/content-type.js';
import { scalarTypes } from '../../schema/scalar-types.js';
import { readAll, type Database } from '../database.js';
import { isTimedOut } from '../driver-errors.js';
import { trigramsOf } from '../trigrams.js';
import type { Comparison } from './compile-condition.js';
import { anyIndex, isServed, type Indexes, type LeadingFields, leadingOf, leadsBy } from './is-served.js';

/** The path of an attribute without an index, and the option that would create one. */
interface LackingIndex {
  readonly path: string;
  readonly option: '"index": true' | '"search": "trigram"';
}

/** The conditions on the entries of one type. */
type Level = Pick<Plan, 'type' | 'condition' | 'sort'>;

interface ExplainContext {
  readonly registry: Registry;
  readonly database: Database;
}

/** Milliseconds that reading the indexes of a collection may take. */
const patience = 2_000;

/**
 * Returns the error to answer for a query that failed. If it exceeded its time limit, and options of attributes would create the
 * indexes that it lacks, this is a 400 that names them; otherwise it is the error itself. Attributes that only row rules compare
 * are not named.
 */
export async function explainTimeout(error: unknown, plan: Plan, context: ExplainContext): Promise<unknown> {
  if (!isTimedOut(error) || context.database.session !== null) return error;
  // the indexes cannot be listed if the collection does not exist, or the database is slow or unreachable
  const lacking = await Promise.all(levelsOf(plan).map((level) => findLacking(level, context).catch(() => [])));
  const attributes = [...new Map(lacking.flat().map((one) => [`${one.path} ${one.option}`, one])).values()];
  if (attributes.length === 0) return error;
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

async function findLacking(
  { type, condition, sort }: Level,
  { registry, database }: ExplainContext,
): Promise<readonly LackingIndex[]> {
  const leading = await readLeading(type.collection, database);
  const indexes = { ...anyIndex(database), ...leadsBy(leading) };
  if (condition !== null && isServed(condition, indexes)) return [];
  const optionOf = optionsOf(type, registry);
  const [key] = sort;
  const isUnsorted = key?.links.length === 0 && key.lists.length === 0 && !leading.all.has(key.path);
  const sorted = isUnsorted ? optionOf(key.path, null) : [];
  return [...(condition === null ? [] : lackingIn(condition, { indexes, optionOf, prefix: '' })), ...sorted];
}

/** Returns the first paths of all indexes of a collection, including those that operators have made. */
async function readLeading(collection: string, database: Database): Promise<LeadingFields> {
  const limited = { ...database, maxTimeMS: { ...database.maxTimeMS, read: patience } };
  const rows = await readAll(limited, { listIndexes: collection, cursor: {} });
  const indexes = rows as readonly IndexDescriptionInfo[]; // the form of every index
  return leadingOf(
    indexes.map(({ key, partialFilterExpression }) => ({ key, isPartial: partialFilterExpression !== undefined })),
  );
}

/** Returns the option that would let an index serve a comparison, or a sort, of the values at a path; empty if there is none. */
type OptionOf = (path: string, comparison: Comparison | null) => readonly LackingIndex[];

const optionsOf =
  (type: ContentType, registry: Registry): OptionOf =>
  (path, comparison) => {
    const place = findPlaces(type, registry, isVisibleScalar).find((one) => dottedPath(one) === path);
    if (place === undefined) return [];
    const { attribute, steps } = place;
    if (comparison === null || !comparesText(comparison.comparator) || comparison.comparator === 'startsWith')
      return attribute.indexed || attribute.unique ? [] : [{ path, option: '"index": true' }];
    const takesTrigrams = steps.length === 0 && scalarTypes[attribute.type].search === 'text' && attribute.search === null;
    const hasTrigrams = trigramsOf(String(comparison.operand), 1).size > 0;
    return takesTrigrams && hasTrigrams ? [{ path, option: '"search": "trigram"' }] : [];
  };

const isVisibleScalar = (attribute: Attribute): attribute is ScalarAttribute => attribute.kind === 'scalar' && attribute.visible;

interface LackingContext {
  readonly indexes: Indexes;
  readonly optionOf: OptionOf;
  /** The path of the element that the condition applies to, with a trailing dot. */
  readonly prefix: string;
}

/** Returns the options that let indexes serve a condition; empty if none would. */
function lackingIn(condition: Condition, context: LackingContext): readonly LackingIndex[] {
  const { indexes, optionOf, prefix } = context;
  switch (condition.kind) {
    case 'and':
      return condition.conditions.flatMap((inner) => lackingIn(inner, context));
    case 'or': {
      const parts = condition.conditions.filter((inner) => !isServed(inner, indexes));
      const lacking = parts.map((inner) => lackingIn(inner, context));
      return lacking.every(({ length }) => length > 0) ? lacking.flat() : [];
    }
    case 'element': {
      const leads = (path: string): boolean => indexes.leads(`${condition.path}.${path}`);
      const inner = { optionOf, indexes: { ...indexes, leads, leadsToNull: () => false }, prefix: `${prefix}${condition.path}.` };
      return lackingIn(condition.condition, inner);
    }
    case 'search':
      return lackingIn(condition.otherwise, context);
    case 'comparison': {
      const isText = comparesText(condition.comparator);
      const isHelped = condition.ofRule !== true && !condition.denied && (!isText || condition.stored === 'text');
      return isHelped ? optionOf(`${prefix}${condition.path}`, condition) : [];
    }
    case 'related':
      return [];
  }
}
