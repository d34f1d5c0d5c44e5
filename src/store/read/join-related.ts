import type { Document } from 'mongodb';
import { isRecord } from '#base/values.js';
import { termsOf } from '#model/query/conditions.js';
import type { Condition, SortKey } from '#model/query/plan.js';
import { localeGroup } from '../form/layout.js';
import type { Database } from '../send/database.js';
import {
  asList,
  type Complement,
  compileCondition,
  type ElementCondition,
  type FallbackCondition,
  type RelatedCondition,
  type ResolvedFilters,
} from './compile-condition.js';

/** A condition that more entries or elements meet than ids may be resolved, so that these are joined. */
interface Join {
  readonly condition: RelatedCondition | ElementCondition | FallbackCondition;
  /** The `$lookup`, and what it needs before it. */
  readonly stages: readonly Document[];
}

/** The conditions of a read that are joined. */
export type Joins = Join[];

/** Where conditions are resolved, and the joins to which they may add; null if none may. */
export interface Joining {
  readonly database: Database;
  readonly joins: Joins | null;
}

/** A condition, compiled for its entries after and before they are joined. */
interface Joined {
  readonly match: Document;
  readonly before: Document;
}

/** Compiles a condition some parts of which need a join. Without these parts more entries meet it. */
export function compileJoinedCondition(condition: Condition | null, resolved: ResolvedFilters, joins: Joins): Joined {
  const match = compileCondition(condition, resolved);
  if (joins.length === 0) return { match, before: match };
  const always = new Map(joins.map((join) => [join.condition, {}] as const));
  const complements = (condition === null ? [] : complementsIn(condition, always)).map((one) => [one, {}] as const);
  return {
    match,
    before: compileCondition(
      condition,
      new Map<Parameters<ResolvedFilters['get']>[0], Document>([...resolved, ...always, ...complements]),
    ),
  };
}

/** Returns the complements of conditions that need a join. Fewer entries than meet a complement would meet that of a part. */
function complementsIn(condition: Condition, joined: ReadonlyMap<Condition, unknown>): readonly Complement[] {
  if ('conditions' in condition) return condition.conditions.flatMap((part) => complementsIn(part, joined));
  const isJoined = condition.kind === 'not' && termsOf(condition).some((term) => joined.has(term));
  return isJoined ? [condition] : [];
}

/** What a condition was resolved to, and the joins that it needs. */
export interface Resolution {
  readonly resolved: ResolvedFilters;
  readonly joins: Joins;
}

/** A compiled condition: a match, and stages after it that leave out further entries. */
export interface Met {
  readonly before: Document;
  readonly joined: readonly Document[];
}

/** The conditions of a level of entries, with what they were resolved to. */
export type Resolutions = ReadonlyMap<Condition, Resolution>;

/** Compiles a condition to a match and the stages after it, of which there are none unless it needs joins. */
export const compileMet = (condition: Condition | null, resolutions: Resolutions): Met =>
  metBy(condition, (condition && resolutions.get(condition)) ?? unresolved);

/** Compiles a condition with what it was resolved to. */
export function metBy(condition: Condition | null, { resolved, joins }: Resolution): Met {
  const { match, before } = compileJoinedCondition(condition, resolved, joins);
  return { before, joined: joinStages(joins, match) };
}

const unresolved: Resolution = { resolved: new Map(), joins: [] };

/** Returns the stages that join entries and keep those that meet the condition. */
export const joinStages = (joins: Joins, match: Document): readonly Document[] =>
  joins.length === 0 ? [] : [...joins.flatMap(({ stages }) => stages), { $match: match }];

/**
 * Adds a join, and returns a match for the entries with some related entry that the stages lead to. If the entries store the link,
 * they have few related entries. These are joined without a pipeline and then compared, which takes a fifth of the time.
 */
export function joinSome(condition: RelatedCondition, stages: readonly Document[], joins: Joins): Document {
  const [{ $match: match } = {}, second] = stages;
  const isPlain = condition.link.storage.kind === 'own' && second === undefined && !hasExpression(match);
  const as = addLookup(condition, isPlain ? {} : relatedThrough(condition, stages), joins);
  return { [as]: isPlain ? { $elemMatch: match } : { $ne: [] } };
}

/** Adds a join, and returns a match for the entries without related entries that the stages lead to. */
export const joinNone = (condition: RelatedCondition, stages: readonly Document[], joins: Joins): Document => ({
  [addLookup(condition, relatedThrough(condition, stages), joins)]: { $size: 0 },
});

/**
 * Adds a join of the elements of a list, and returns a match for the documents with some element that the stages lead to. The elements
 * are made documents, which can be joined and compared by expressions.
 */
export function joinElements(condition: ElementCondition, stages: readonly Document[], joins: Joins): Document {
  const isElement = { $eq: [{ $type: '$$this' }, 'object'] };
  const elements = { $filter: { input: asList(`$${condition.path}`), cond: isElement } };
  const pipeline = [{ $documents: '$$elements' }, ...firstOf(stages)];
  return { [addJoin(condition, { let: { elements }, pipeline }, joins)]: { $ne: [] } };
}

function addLookup(condition: RelatedCondition, options: Document, joins: Joins): string {
  const { link, target } = condition;
  const fields = joinFields(condition);
  const lookup = { from: target.collection, ...fields, ...options };
  // with a single link and no pipeline, a stage before the look-up would take the server twice as long
  if (link.storage.kind !== 'own' || (!link.many && !('pipeline' in options))) return addJoin(condition, lookup, joins);
  const localField = joinName(joins);
  return addJoin(condition, { ...lookup, localField }, joins, [{ $set: { [localField]: idsAt(fields.localField) } }]);
}

/**
 * Returns an expression for the ids that an entry stores as links. A `$lookup` by a list fails if another program has stored operators in
 * it.
 */
export const idsAt = (path: string): Document => onlyIds(asList(`$${path}`));

/** Returns an expression for the ids in a list. */
export const onlyIds = (input: Document): Document => ({ $filter: { input, cond: { $isNumber: '$$this' } } });

/** Returns the field of the next join. */
export const joinName = (joins: Joins): string => `_join${String(joins.length)}`;

function addJoin(condition: Join['condition'], lookup: Document, joins: Joins, before: readonly Document[] = []): string {
  const as = joinName(joins);
  joins.push({ condition, stages: [...before, { $lookup: { ...lookup, as } }] });
  return as;
}

/** Returns the part of a lookup that finds out whether the stages lead to a related entry. An entry is no localization of itself. */
function relatedThrough({ link }: RelatedCondition, stages: readonly Document[]): Document {
  if (link.storage.kind !== 'localizations') return { pipeline: firstOf(stages) };
  const isOther = { $match: { [localeGroup.field]: { $type: 'number' }, $expr: { $ne: ['$_id', '$$own'] } } };
  return { let: { own: '$_id' }, pipeline: firstOf([isOther, ...stages]) };
}

/** Returns the fields by which a `$lookup` joins the entries with a link at a path with their related entries. */
export function joinFields({
  link: { storage },
  path,
}: Pick<SortKey['links'][number], 'link' | 'path'>): Readonly<Record<'localField' | 'foreignField', string>> {
  switch (storage.kind) {
    case 'inverse':
      return { localField: '_id', foreignField: storage.field };
    case 'localizations':
      return { localField: '_group', foreignField: '_group' };
    default:
      return { localField: path, foreignField: '_id' };
  }
}

const firstOf = (stages: readonly Document[]): Document[] => [...stages, { $limit: 1 }, { $project: { _id: 1 } }];

/** Returns whether a match has an expression, which MongoDB does not allow for elements of arrays. */
const hasExpression = (match: unknown): boolean =>
  Array.isArray(match)
    ? match.some(hasExpression)
    : isRecord(match) && ('$expr' in match || Object.values(match).some(hasExpression));
