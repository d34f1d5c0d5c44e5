import type { Document } from 'mongodb';
import { uidOf } from '../form/matches.js';
import { type LinkChild, type MorphChild } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import { linkRanks, localeGroup, morphLinks } from '../form/layout.js';
import { compileLookup, foreignField } from './compile-lookup.js';
import { stagesWithoutCollation } from './compare-texts.js';
import { collationOf, compileTargets } from './compile-page.js';
import { compileProjection } from './compile-projection.js';
import type { Growing, PendingRelation } from './grow-tree.js';
import type { Resolutions } from './join-related.js';
import { compileSource } from './morph-rows.js';
import { needsRelatedReads } from './related-commands.js';
import { wantedIds } from './stored-lists.js';

/** One of the queries for a level of relations, which are sent together as one command. */
export interface LevelQuery {
  readonly relation: PendingRelation;
  readonly collection: string;
  readonly pipeline: readonly Document[];
  /** The type that is read for a polymorphic relation; null for others. */
  readonly uid: string | null;
  /** Whether a row is the number of related entries of one parent instead of an entry. */
  readonly counts: boolean;
  /** The collation of its sort; null if there is none. */
  readonly collation: string | null;
}

/**
 * A relation, and the lists that are read together with its related entries, as `listsToJoin` returns them, under the name that `joinField`
 * returns for their index.
 */
export interface JoinedRelation {
  readonly relation: PendingRelation;
  readonly joins: readonly LinkChild[];
}

/** Compiles the queries for one relation: one for each type if it is polymorphic, none if no entry has related ones. */
export function compileRelation({ relation, joins }: JoinedRelation, resolutions: Resolutions): LevelQuery[] {
  const { child, owner } = relation;
  if (child.kind === 'morph') return compileMorph(relation, child, resolutions);
  const pipeline = compileLink(relation, child, resolutions);
  if (pipeline === null) return [];
  const collation = collationOf(child.sort);
  for (const [index, list] of joins.entries())
    pipeline.push({ $lookup: { ...compileLookup(list, child.target, resolutions), as: joinField(index) } });
  const collection = readsParents(child) ? owner.collection : child.target.collection;
  return [withCollation({ relation, collection, pipeline, uid: null, counts: countsParents(child), collation })];
}

/** Returns a query whose conditions do not depend on its collation. */
const withCollation = (query: LevelQuery): LevelQuery =>
  query.collation === null ? query : { ...query, pipeline: stagesWithoutCollation(query.pipeline) };

/** Returns the field for the entries of a list that is read together with the entries that have the list. */
export const joinField = (index: number): string => `_join${String(index)}`;

/** Maximum number of entries in lists that are read together with other entries, so that replies stay small. */
const mostJoined = 1_000;

/**
 * Returns the lists that are read together with the entries of a relation by a lookup: short ones. A separate command for them
 * would have to find these entries again.
 */
export function listsToJoin({ child, holders }: PendingRelation): readonly LinkChild[] {
  if (child.kind !== 'link' || child.link.storage.kind !== 'own' || child.countOnly) return [];
  const collation = collationOf(child.sort);
  const lists = child.selection.children
    .filter((list) => list.kind === 'link')
    .filter((list) => isShort(list) && collationOf(list.sort) === collation);
  if (lists.length === 0) return lists;
  const entries = lists.reduce((sum, { window }) => sum + (window?.limit ?? 0), 1) * idsOf(child, holders).size;
  return entries > mostJoined ? [] : lists;
}

const isShort = (list: LinkChild): boolean =>
  readsParents(list) && (list.window?.limit ?? 0) > 0 && !needsRelatedReads(list.condition);

/** Returns whether the other side stores the links of a child. */
const isStoredThere = ({ link: { storage } }: LinkChild): boolean => storage.kind === 'inverse' || storage.kind === 'morph';

/** Returns whether a child is read by a lookup from each parent, which the server sorts and cuts to the window. */
export const readsParents = (child: LinkChild): boolean => child.window !== null && !child.countOnly && isStoredThere(child);

/** Returns whether the server counts the entries of a child for each parent. */
export const countsParents = (child: LinkChild): boolean => child.countOnly && isStoredThere(child);

function compileLink(relation: PendingRelation, child: LinkChild, resolutions: Resolutions): Document[] | null {
  if (child.window?.limit === 0) return null;
  const { storage } = child.link;
  switch (storage.kind) {
    case 'own':
      return compileOwn(relation, child, resolutions);
    case 'localizations': {
      const groups = relation.holders.map(({ document }) => document['_group']).filter(localeGroup.isNumber);
      const match = { _group: { $in: distinct(groups) } };
      return compileRows(child, match, ofGroup, resolutions);
    }
    case 'inverse':
    case 'morph':
      return compileInverse(relation, child, resolutions);
  }
}

function compileOwn({ holders }: PendingRelation, child: LinkChild, resolutions: Resolutions): Document[] | null {
  const ids = idsOf(child, holders);
  return ids.size === 0 ? null : compileRows(child, { _id: { $in: [...ids] } }, {}, resolutions);
}

/** Returns the ids that the holders of an owning relation link to. */
function idsOf(child: LinkChild, holders: readonly Growing[]): Set<unknown> {
  const ids = new Set<unknown>();
  for (const { document } of holders) for (const id of wantedIds(child, document)) ids.add(id);
  return ids;
}

/** Returns the stages that read the documents of the target that meet the condition of the branch and `match`. */
const compileRows = (child: LinkChild, match: Document, keys: Document, resolutions: Resolutions): Document[] =>
  compileTargets(child, { match, projection: compileRow(child, keys) }, resolutions);

/** Returns the projection of the related entries of a child: the keys by which their parents find them, and what is read of them. */
export const compileRow = (child: LinkChild, keys: Document): Document =>
  Object.assign({}, child.countOnly ? { _id: 1 } : compileProjection(child.selection), keys);

/** The fields by which an entry finds its localizations, and their order. */
export const ofGroup: Document = { [localeGroup.field]: 1, [linkRanks.path(linkRanks.order)]: 1 };

function compileInverse(relation: PendingRelation, child: LinkChild, resolutions: Resolutions): Document[] | null {
  if (readsParents(child)) return compileWindows(relation, child, resolutions);
  const field = foreignField(child);
  const match = inverseMatch(child, relation.owner, { $in: parentsIn(relation) });
  if (child.countOnly) {
    const isMorph = child.link.storage.kind === 'morph';
    return [
      ...compileRows(child, match, { [field]: 1 }, resolutions),
      { $unwind: `$${field}` },
      ...(isMorph ? [{ $match: { [`${field}.__type`]: uidOf(relation.owner) } }] : []),
      { $group: { _id: `$${field}${isMorph ? '.id' : ''}`, count: { $sum: 1 } } },
    ];
  }
  return compileRows(child, match, { [field]: 1, [linkRanks.path(field)]: 1 }, resolutions);
}

/** Returns a match for related entries that link to an entry whose id meets a match. */
function inverseMatch(child: LinkChild, owner: ContentType, id: Document): Document {
  const field = foreignField(child);
  if (child.link.storage.kind !== 'morph') return { [field]: id };
  const other = child.target.attributes.get(field);
  return other?.kind === 'morph' && !other.many
    ? { [`${field}.__type`]: uidOf(owner), [`${field}.id`]: id }
    : { [field]: { $elemMatch: { __type: uidOf(owner), id } } };
}

function compileMorph(relation: PendingRelation, child: MorphChild, resolutions: Resolutions): LevelQuery[] {
  if (child.sources !== null)
    return child.sources.map((source) => ({
      relation,
      uid: source.holder.uid,
      counts: false,
      collation: null,
      ...compileSource(child, source, relation.holders, resolutions),
    }));
  const ids = new Map<string, Set<number>>();
  for (const { document } of relation.holders)
    for (const { __type: uid, id } of morphLinks(document[child.attribute.name]))
      ids.set(uid, (ids.get(uid) ?? new Set()).add(id));
  return [...ids].flatMap(([uid, wanted]) => {
    const target = child.targets.get(uid);
    if (target === undefined || target.selection.type.collection === '') return [];
    const page = { match: { _id: { $in: [...wanted] } }, projection: compileProjection(target.selection) };
    const pipeline = compileTargets(target, page, resolutions);
    const collation = collationOf(target.sort);
    return [withCollation({ relation, collection: target.selection.type.collection, pipeline, uid, counts: false, collation })];
  });
}

const distinct = (values: readonly unknown[]): unknown[] => [...new Set(values)];

const parentsIn = ({ holders }: PendingRelation): unknown[] => distinct(holders.map(({ document }) => document['_id']));

/** Returns the stages that read the related entries of each parent in the window. */
function compileWindows(relation: PendingRelation, child: LinkChild, resolutions: Resolutions): Document[] {
  const lookup = { ...compileLookup(child, relation.owner, resolutions), as: 'row' };
  // One row for each related entry, because all related entries of a parent could exceed the 16 MB of a document.
  const rows = [{ $unwind: '$row' }, { $replaceWith: { $mergeObjects: ['$row', { _parent: '$_id' }] } }];
  return [{ $match: { _id: { $in: parentsIn(relation) } } }, { $project: { _id: 1 } }, { $lookup: lookup }, ...rows];
}
