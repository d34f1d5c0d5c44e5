import { isDeepStrictEqual } from 'node:util';
import { type AttributePlace, dottedPath, findPlaces, isShared, isUnique } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';
import { isRecord } from '#base/values.js';
import { localeGroup } from '../form/layout.js';
import { matchAt } from '../form/matches.js';
import type { Database, Document } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { type Rule, rulesOf } from './unfit-rules.js';
import { isStored } from '../stored.js';

/** Stored values that a new form of an attribute would refuse. */
export interface UnfitData {
  readonly uid: string;
  /** Path in entries, without positions in lists. */
  readonly attribute: string;
  /** The violated rule: `required`, `type`, `enum`, `unique`, `minLength`, `maxLength`, `min`, `max`, `regex`. */
  readonly rule: string;
  readonly count: number;
  /** Ids of some of the entries. */
  readonly examples: readonly number[];
}

/** Maximum number of ids of one rule. */
const mostExamples = 10;

/**
 * Returns the stored values that would violate new or changed attributes of a type, also inside its components. Types without
 * entries are not searched.
 */
export async function findUnfitValues(
  type: ContentType,
  { before, after }: { readonly before: Registry; readonly after: Registry },
  database: Database,
): Promise<UnfitData[]> {
  const places = findPlaces(type, after, isAttribute).flatMap((place) => changedPlace(place, before));
  if (places.length === 0 || !(await isStored(database, type.collection))) return [];
  const unfitData: UnfitData[] = [];
  for (const { place, name } of places) {
    for (const rule of rulesOf(place.attribute, name)) unfitData.push(await search(type, { place, name }, rule, database));
    if (isUnique(place.attribute)) unfitData.push(await countDuplicates(type, { place, name }, database));
  }
  return unfitData.filter(({ count }) => count > 0);
}

const isAttribute = (attribute: Attribute): attribute is Attribute => attribute.added === null || attribute.writable;

/** A place, and the name under which the values of its attribute are stored. */
interface StoredPlace {
  readonly place: AttributePlace;
  readonly name: string;
}

/** Returns a place whose attribute is new or changed. That of a renamed attribute has its values under the former name. */
function changedPlace(place: AttributePlace, { types }: Registry): readonly StoredPlace[] {
  const { attribute } = place;
  const holder = place.holders.at(-1);
  const former = types.get(holder?.uid ?? '')?.attributes;
  if (isDeepStrictEqual(attribute, former?.get(attribute.name))) return [];
  const alias = [...(holder?.aliases ?? [])].find(([, name]) => name === attribute.name)?.[0];
  const isRenamed = alias !== undefined && former?.has(alias) === true && !former.has(attribute.name);
  return [{ place, name: isRenamed ? alias : attribute.name }];
}

/** Rules that drafts need not meet. */
const freeInDrafts: ReadonlySet<string> = new Set(['required', 'minLength']);

async function search(type: ContentType, at: StoredPlace, rule: Rule, database: Database): Promise<UnfitData> {
  const inside = matchAt(at.place.steps, ...rule.matches);
  const match = type.draftAndPublish && freeInDrafts.has(rule.rule) ? { $and: [inside, { publishedAt: { $ne: null } }] } : inside;
  if (rule.refuses !== undefined) return scan(type, at, { ...rule, match }, database);
  const group = { _id: null, count: { $sum: 1 }, examples: firstOf('$_id') };
  const pipeline = [{ $match: match }, { $group: group }];
  const [row] = await readAll(database, { aggregate: type.collection, pipeline });
  return describe(type, at, rule.rule, row);
}

/** Reads the values of a rule that the database cannot decide, one batch after the other. */
async function scan(
  type: ContentType,
  at: StoredPlace,
  { rule, match, refuses }: Rule & { readonly match: Document },
  database: Database,
): Promise<UnfitData> {
  const root = at.place.steps[0]?.name ?? at.name;
  const examples: number[] = [];
  let count = 0;
  const cursor = database.db
    .collection<{ readonly _id: number }>(type.collection)
    .find(match, { projection: { [root]: 1 }, sort: { _id: 1 } });
  for await (const document of cursor) {
    if (!valuesIn(document, at.place.steps, at.name).some((value) => typeof value === 'string' && refuses?.(value) === true))
      continue;
    count += 1;
    if (examples.length < mostExamples) examples.push(Number(document._id));
  }
  return { uid: type.uid, attribute: dottedPath(at.place), rule, count, examples };
}

/** Returns the values at a place of a document. */
function valuesIn(at: unknown, [step, ...rest]: AttributePlace['steps'], name: string): readonly unknown[] {
  if (!isRecord(at)) return [];
  if (step === undefined) return [at[name]];
  const parts = [at[step.name]]
    .flat()
    .filter((part) => step.zone === null || (isRecord(part) && part['__component'] === step.zone));
  return parts.flatMap((part) => valuesIn(part, rest, name));
}

const firstOf = (input: string): Document => ({ $firstN: { input, n: mostExamples } });

/** Counts the entries with a value that another one has, or another component of the same one. */
async function countDuplicates(type: ContentType, { place, name }: StoredPlace, database: Database): Promise<UnfitData> {
  const path = [...place.steps.map((step) => step.name), name].join('.');
  const root = place.holders[0]?.attributes.get(place.steps[0]?.name ?? place.attribute.name);
  const isOfGroup = root !== undefined && isShared(root);
  const value = { value: `$${path}`, ...(type.localized && !isOfGroup && { locale: '$locale' }) };
  const pipeline = [
    ...place.steps.flatMap((step, index) =>
      unwound(
        place.steps
          .slice(0, index + 1)
          .map((one) => one.name)
          .join('.'),
        step,
      ),
    ),
    { $match: { [path]: { $ne: null } } },
    ...(isOfGroup ? oncePerGroup(path) : []),
    { $group: { _id: value, count: { $sum: 1 }, ids: firstOf('$_id') } },
    { $match: { count: { $gt: 1 } } },
    { $group: { _id: null, count: { $sum: '$count' }, examples: firstOf('$ids') } },
  ];
  const [row] = await readAll(database, { aggregate: type.collection, pipeline, allowDiskUse: true });
  return describe(type, { place, name }, 'unique', row);
}

/** Returns the stages that make a document of each component of a list. */
const unwound = (path: string, { list, zone }: AttributePlace['steps'][number]): Document[] => [
  ...(list ? [{ $unwind: `$${path}` }] : []),
  ...(zone === null ? [] : [{ $match: { [`${path}.__component`]: zone } }]),
];

/** Returns the stages that count a value once for all locales of an entry. */
const oncePerGroup = (path: string): Document[] => [
  { $group: { _id: { value: `$${path}`, group: localeGroup.number }, first: { $min: '$_id' } } },
  { $sort: { first: 1 } },
  { $project: { _id: '$first', [path]: '$_id.value' } },
];

const describe = ({ uid }: ContentType, { place }: StoredPlace, rule: string, row: Document | undefined): UnfitData => ({
  uid,
  attribute: dottedPath(place),
  rule,
  count: Number(row?.['count'] ?? 0),
  examples: Array.isArray(row?.['examples']) ? row['examples'].flat().slice(0, mostExamples).map(Number) : [],
});
