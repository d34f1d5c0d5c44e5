import { isDeepStrictEqual } from 'node:util';
import { type Database, type Document, readAll } from '../database.js';
import { groupNumber } from '../layout.js';
import { holdsDocuments } from './served-collections.js';
import { isShared } from '../../schema/attribute-places.js';
import type { Attribute, ContentType, Registry, ScalarAttribute, ScalarType } from '../../schema/content-type.js';
import { scalarTypes } from '../../schema/scalar-types.js';

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
      Object.entries(rulesOf(attribute)).map(async ([rule, match]) =>
        describe(type, attribute, rule, await countMatches(type, match, database)),
      ),
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

async function countMatches({ collection }: ContentType, $match: Document, database: Database): Promise<Document | undefined> {
  const pipeline = [{ $match }, { $group: { _id: null, count: { $sum: 1 }, examples: firstTen('$_id') } }];
  return (await readAll(database, { aggregate: collection, pipeline, cursor: {} }))[0];
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

const notOf = (...types: readonly string[]): Document => ({ $ne: null, $not: { $type: [...types] } });
const text = notOf('string');
const date = notOf('date');
/** A mask without bits matches all whole numbers, and no others. */
const integer: Document = { $ne: null, $not: { $bitsAllClear: 0 } };
const number: Document = { $ne: null, $not: { $gte: -Number.MAX_VALUE, $lte: Number.MAX_VALUE } };

/** The query expressions for stored values that attributes read as null, by type; null if every value fits. */
const expressions: Readonly<Record<ScalarType, Document | null>> = {
  string: text,
  text,
  richtext: text,
  email: text,
  uid: text,
  password: text,
  enumeration: text,
  integer,
  biginteger: integer,
  float: number,
  decimal: number,
  boolean: notOf('bool'),
  date: { $ne: null, $not: { $regex: '^\\d{4}-\\d\\d-\\d\\d$' } },
  time: { $ne: null, $not: { $regex: '^\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?$' } },
  datetime: date,
  timestamp: date,
  json: null,
  blocks: notOf('array'),
};

/**
 * Returns the expressions that find the stored values which an attribute of the type reads as null. A list is one of its own,
 * because an expression matches it by its elements.
 */
export function unfitExpressions(type: ScalarType): readonly Document[] {
  const expression = expressions[type];
  if (expression === null) return [];
  return type === 'blocks' ? [expression] : [expression, { $type: 'array' }];
}
