import { validationError } from '#base/errors.js';
import { type Comparison, comparesText, termsOf } from '#model/query/conditions.js';
import { operators } from '#model/query/operators.js';
import type { Condition, Plan } from '#model/query/plan.js';
import { dottedPath, findPlaces } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, Registry, ScalarAttribute } from '#model/schema/content-type.js';
import { jsonIndexesOf } from '#model/schema/json-options.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { isTimedOut } from '../send/driver-errors.js';
import { trigramsOf } from '../form/trigrams.js';
import { readLeading } from './collection-facts.js';
import { indexedPath } from './compile-json.js';
import { type Indexes, indexesInside, isIndexable, isServed } from './is-served.js';
import { walkedKey } from './ways/sorted-targets.js';
import type { PageContext } from './ways/way.js';

/** An attribute or path of JSON without an index, as a path from the queried type, and the option that would create one. */
export interface LackingIndex {
  readonly path: string;
  readonly option: '"index": true' | '"search": "trigram"' | `"jsonIndexes": ["${string}"]`;
}

/** The conditions on the entries of one type. */
interface Level extends Pick<Plan, 'type' | 'condition' | 'sort' | 'window'> {
  /** The path that leads to these entries, with a trailing dot; empty for those of the query itself. */
  readonly prefix: string;
}

type ExplainContext = Omit<PageContext, 'totals'>;

/**
 * Returns a function that throws the error to answer for a query that failed. If it exceeded its time limit, and options of attributes
 * would create the indexes that it lacks, this is a 400 that names them; otherwise it is the error itself. Attributes that only row
 * rules compare are not named.
 */
export const explainTimeout =
  (plan: Plan, context: ExplainContext) =>
  async (error: unknown): Promise<never> => {
    if (!isTimedOut(error) || context.database.session !== null) throw error;
    const attributes = await lackingIndexes(plan, context);
    if (attributes.length === 0) throw error;
    throw validationError(`The database took too long, because ${spellLacking(attributes)}`, { code: 'NO_INDEX', attributes });
  };

/** Returns the attributes without an index that a query compares or sorts by, and no index serves otherwise. */
export async function lackingIndexes(plan: Plan, context: ExplainContext): Promise<readonly LackingIndex[]> {
  // the indexes cannot be listed if the collection does not exist, or the database is slow or unreachable
  const lacking = await Promise.all(
    levelsOf({ ...plan, prefix: '' }).map((level) => findLacking(level, context).catch(() => [])),
  );
  return distinctLacking(lacking.flat());
}

export const distinctLacking = (lacking: readonly LackingIndex[]): readonly LackingIndex[] => [
  ...new Map(lacking.map((one) => [`${one.path} ${one.option}`, one])).values(),
];

export const spellLacking = (attributes: readonly LackingIndex[]): string =>
  `no index leads to ${attributes.map(({ path, option }) => `${path} (${option})`).join(', ')}`;

/** Returns the conditions on entries, and on their related entries. */
const levelsOf = (level: Level): readonly Level[] => [
  level,
  ...(level.condition === null ? [] : relatedLevels(level.condition, level.prefix)),
];

const relatedLevels = (condition: Condition, prefix: string): readonly Level[] =>
  termsOf(condition).flatMap((term) => {
    if (term.kind === 'element') return relatedLevels(term.condition, `${prefix}${term.path}.`);
    if (term.kind !== 'related') return [];
    const level = { type: term.target, condition: term.condition, prefix: `${prefix}${term.path}.` };
    return levelsOf({ ...level, sort: [], window: { skip: 0, limit: null } });
  });

async function findLacking(level: Level, { registry, database }: ExplainContext): Promise<readonly LackingIndex[]> {
  const { type, condition, prefix } = level;
  const indexes = { ...(await readLeading(type, database)), searches: database.searches };
  if (condition !== null && isServed(condition, indexes)) return [];
  return [
    ...(condition === null ? [] : lackingIn(condition, indexes, optionsOf(type, registry, prefix))),
    ...(await lackingInSort(level, { registry, database })),
  ];
}

/** Returns the option that would let an index serve the first sort key: of the entries, or of related entries that are walked. */
async function lackingInSort(
  { type, sort, window, prefix }: Level,
  { registry, database }: ExplainContext,
): Promise<readonly LackingIndex[]> {
  const [key] = sort;
  if (key === undefined || key.lists.length > 0) return [];
  const isWalked = key.collation === undefined && walkedKey(sort, window) !== null;
  const sorted = key.links.length === 0 || isWalked ? (key.links.at(-1)?.target ?? type) : undefined;
  if (sorted === undefined || (key.collation === undefined && (await readLeading(sorted, database)).leads(key.path))) return [];
  const isSorted = key.collation !== undefined;
  return optionsOf(sorted, registry, prefix + key.links.map(({ path }) => `${path}.`).join(''), isSorted)(key.path, null);
}

/** Returns the option that would let an index serve a comparison, or a sort, of the values at a path of a type; empty if there is none. */
type OptionOf = (path: string, comparison: Comparison | null) => readonly LackingIndex[];

const optionsOf =
  (type: ContentType, registry: Registry, prefix: string, isSorted = false): OptionOf =>
  (name, comparison) => {
    const place = findPlaces(type, registry, isOwnScalar).find((one) => dottedPath(one) === name);
    if (place === undefined) return [];
    const { attribute, steps } = place;
    const path = `${prefix}${name}`;
    if (comparison?.keys !== undefined) return steps.length > 0 ? [] : lackingInJson(comparison, type, prefix);
    if (comparison === null || isIndexable(comparison))
      return attribute.indexed || (attribute.unique && !isSorted) ? [] : [{ path, option: '"index": true' }];
    const takesTrigrams = steps.length === 0 && scalarTypes[attribute.type].search === 'text' && attribute.search === null;
    const hasTrigrams = operators[comparison.comparator].literal === true && trigramsOf(String(comparison.operand), 1).size > 0;
    return takesTrigrams && hasTrigrams ? [{ path, option: '"search": "trigram"' }] : [];
  };

/** Returns the index that would find a value inside of JSON; none if it exists, or the path leads to items of lists. */
function lackingInJson(comparison: Comparison, type: ContentType, prefix: string): readonly LackingIndex[] {
  const path = indexedPath(comparison);
  if (path === null || comparison.comparator === 'null' || jsonIndexesOf(type).includes(path)) return [];
  return [{ path: `${prefix}${path}`, option: `"jsonIndexes": ["${path}"]` }];
}

const isOwnScalar = (attribute: Attribute): attribute is ScalarAttribute =>
  attribute.kind === 'scalar' && attribute.added === null;

/** Returns the options that let indexes serve a condition; empty if none would. */
function lackingIn(condition: Condition, indexes: Indexes, optionOf: OptionOf): readonly LackingIndex[] {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.flatMap((inner) => lackingIn(inner, indexes, optionOf));
    case 'or': {
      const parts = condition.conditions.filter((inner) => !isServed(inner, indexes));
      const lacking = parts.map((inner) => lackingIn(inner, indexes, optionOf));
      return lacking.every(({ length }) => length > 0) ? lacking.flat() : [];
    }
    case 'element': {
      const optionInside: OptionOf = (path, comparison) => optionOf(`${condition.path}.${path}`, comparison);
      return lackingIn(condition.condition, indexesInside(indexes, condition.path), optionInside);
    }
    case 'search':
      return lackingIn(condition.otherwise, indexes, optionOf);
    case 'comparison': {
      const isText = comparesText(condition.comparator);
      const isHelped = condition.ofRule !== true && !condition.denied && (!isText || condition.stored === 'text');
      return isHelped ? optionOf(condition.path, condition) : [];
    }
    case 'not':
    case 'related':
    case 'fallback':
      return [];
  }
}
