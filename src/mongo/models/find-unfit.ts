import { isDeepStrictEqual } from 'node:util';
import { type Database, type Document } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { groupNumber } from '../form/layout.js';
import { holdsDocuments } from './served-collections.js';
import { isShared } from '../../schema/attribute-places.js';
import type { Attribute, ContentType, Registry, ScalarAttribute } from '../../schema/content-type.js';
import { scalarTypes } from '../../schema/scalar-types.js';
import { unfitExpressions } from './unfit-match.js';

/** Stored values that a new form of an attribute would refuse. */
export interface UnfitData {
  readonly uid: string;
  readonly attribute: string;
  /** The violated rule: `required`, `type`, `enum`, `unique`, `minLength`, `maxLength`, `min`, `max`. */
  readonly rule: string;
  readonly count: number;
  /** Ids of some of the entries. */
  readonly examples: readonly number[];
}

/** Returns the stored values that would violate new or changed attributes of a type. Types without entries are not searched. */
export async function findUnfit(type: ContentType, before: Registry, database: Database): Promise<UnfitData[]> {
  const former = before.types.get(type.uid);
  const changed = [...type.attributes.values()].filter(
    (attribute) => !isDeepStrictEqual(attribute, former?.attributes.get(attribute.name)),
  );
  if (changed.length === 0 || !(await holdsDocuments(type.collection, database))) return [];
  const found = await Promise.all(
    changed.flatMap((attribute) =>
      Object.entries(rulesOf(attribute)).map(([rule, match]) => count(type, attribute, { rule, match }, database)),
    ),
  );
  const twice = await Promise.all(changed.map((attribute) => countDuplicates(type, attribute, database)));
  return [...found, ...twice].filter((unfit) => unfit.count > 0);
}

/** Returns filters that find the values which a rule refuses, by the name of the rule. */
function rulesOf(attribute: Attribute): Record<string, Document> {
  const { name } = attribute;
  const required = attribute.required ? { required: { [name]: null } } : {};
  return attribute.kind === 'scalar' ? { ...required, ...scalarRules(attribute) } : required;
}

function scalarRules(attribute: ScalarAttribute): Record<string, Document> {
  const { name, minLength, maxLength, min, max } = attribute;
  const unfit = unfitExpressions(attribute.type).map((expression) => ({ [name]: expression }));
  const isText = scalarTypes[attribute.type].search === 'text';
  const isString = { $eq: [{ $type: `$${name}` }, 'string'] };
  const length = (operator: '$lt' | '$gt', figure: number): Document => ({
    [name]: { $type: 'string' },
    $expr: { $cond: [isString, { [operator]: [{ $strLenCP: `$${name}` }, figure] }, false] },
  });
  return {
    ...(unfit.length > 0 && { type: { $or: unfit } }),
    ...(attribute.type === 'enumeration' && { enum: { [name]: { $type: 'string', $nin: attribute.enum } } }),
    ...(isText && minLength !== null && { minLength: length('$lt', minLength) }),
    ...(isText && maxLength !== null && { maxLength: length('$gt', maxLength) }),
    ...(typeof min === 'number' && { min: { [name]: { $lt: min } } }),
    ...(typeof max === 'number' && { max: { [name]: { $gt: max } } }),
  };
}

const firstTen = (input: string): Document => ({ $firstN: { input, n: 10 } });

interface Rule {
  readonly rule: string;
  readonly match: Document;
}

async function count(type: ContentType, attribute: Attribute, { rule, match }: Rule, database: Database): Promise<UnfitData> {
  const group = { _id: null, count: { $sum: 1 }, examples: firstTen('$_id') };
  const pipeline = [{ $match: match }, { $group: group }];
  const [row] = await readAll(database, { aggregate: type.collection, pipeline, cursor: {} });
  return describe(type, attribute, rule, row);
}

async function countDuplicates(type: ContentType, attribute: Attribute, database: Database): Promise<UnfitData> {
  if (attribute.kind !== 'scalar' || !attribute.unique) return describe(type, attribute, 'unique', undefined);
  const { name } = attribute;
  const isOfGroup = isShared(attribute);
  const value = { value: `$${name}`, ...(type.localized && !isOfGroup && { locale: '$locale' }) };
  const pipeline = [
    { $match: { [name]: { $ne: null } } },
    ...(isOfGroup ? oncePerGroup(name) : []),
    { $group: { _id: value, count: { $sum: 1 }, ids: firstTen('$_id') } },
    { $match: { count: { $gt: 1 } } },
    { $group: { _id: null, count: { $sum: '$count' }, examples: firstTen('$ids') } },
  ];
  const [row] = await readAll(database, { aggregate: type.collection, pipeline, cursor: {}, allowDiskUse: true });
  return describe(type, attribute, 'unique', row);
}

/** Returns the stages that count a value once for all locales of an entry. */
const oncePerGroup = (name: string): Document[] => [
  { $group: { _id: { value: `$${name}`, group: groupNumber }, first: { $min: '$_id' } } },
  { $sort: { first: 1 } },
  { $project: { _id: '$first', [name]: '$_id.value' } },
];

const describe = ({ uid }: ContentType, { name }: Attribute, rule: string, row: Document | undefined): UnfitData => ({
  uid,
  attribute: name,
  rule,
  count: Number(row?.['count'] ?? 0),
  examples: Array.isArray(row?.['examples']) ? row['examples'].flat().slice(0, 10).map(Number) : [],
});
