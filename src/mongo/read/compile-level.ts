import type { Document } from 'mongodb';
import type { LinkChild, MorphChild } from '../../query/plan.js';
import { compileCondition, type Resolved } from './compile-condition.js';
import { compilePagePipeline, compileTargets } from './compile-page.js';
import { compileProjection } from './compile-projection.js';
import type { PendingRelation } from './grow-tree.js';
import { compileSource } from './index-sources.js';
import { morphLinks, wantedIds } from './stored-lists.js';

/** One of the queries that read a level of relations, all in one command. */
export interface LevelQuery {
  readonly relation: PendingRelation;
  readonly collection: string;
  readonly pipeline: readonly Document[];
  /** The type that is read for a polymorphic relation; null for others. */
  readonly uid: string | null;
  /** Whether a row is the number of the related entries of one parent, and no entry. */
  readonly counts: boolean;
}

/** Compiles the queries for one relation: one for each type if it is polymorphic, none if no entry has related ones. */
export function compileRelation(relation: PendingRelation, resolved: Resolved): LevelQuery[] {
  const { child, owner } = relation;
  if (child.kind === 'morph') return compileMorph(relation, child, resolved);
  const pipeline = compileLink(relation, child, resolved);
  const collection = readsParents(child) ? owner.collection : child.target.collection;
  const counts = child.countOnly && (child.link.storage.kind === 'inverse' || child.link.storage.kind === 'morph');
  return pipeline === null ? [] : [{ relation, collection, pipeline, uid: null, counts }];
}

/** A window for each parent: each parent looks its related entries up, sorted and cut by the server. */
export const readsParents = ({ link, window, countOnly }: LinkChild): boolean =>
  window !== null && !countOnly && (link.storage.kind === 'inverse' || link.storage.kind === 'morph');

function compileLink(relation: PendingRelation, child: LinkChild, resolved: Resolved): Document[] | null {
  if (child.window?.limit === 0) return null;
  const { storage } = child.link;
  switch (storage.kind) {
    case 'own':
      return compileOwn(relation, child, resolved);
    case 'localizations': {
      const match = { _group: { $in: distinct(relation.holders.map(({ document }) => document['_group'])) } };
      return compileRows(child, match, { _group: 1 }, resolved);
    }
    case 'inverse':
    case 'morph':
      return compileInverse(relation, child, resolved);
  }
}

function compileOwn({ holders }: PendingRelation, child: LinkChild, resolved: Resolved): Document[] | null {
  const ids = new Set<unknown>();
  for (const { document } of holders) for (const id of wantedIds(child, document)) ids.add(id);
  return ids.size === 0 ? null : compileRows(child, { _id: { $in: [...ids] } }, {}, resolved);
}

/** The documents of the target that meet the condition of the branch and `match`. */
function compileRows(child: LinkChild, match: Document, keys: Document, resolved: Resolved): Document[] {
  const projection = child.countOnly ? { _id: 1 } : compileProjection(child.selection);
  return compileTargets(child, { match, projection: Object.assign({}, projection, keys) }, resolved);
}

function compileInverse(relation: PendingRelation, child: LinkChild, resolved: Resolved): Document[] | null {
  const parents = distinct(relation.holders.map(({ document }) => document['_id']));
  const { field, match } = inverseMatch(relation, child, parents);
  if (child.countOnly) {
    const isMorph = child.link.storage.kind === 'morph';
    return [
      ...compileRows(child, match, { [field]: 1 }, resolved),
      { $unwind: `$${field}` },
      ...(isMorph ? [{ $match: { [`${field}.__type`]: relation.owner.uid } }] : []),
      { $group: { _id: `$${field}${isMorph ? '.id' : ''}`, count: { $sum: 1 } } },
    ];
  }
  if (child.window === null) return compileRows(child, match, { [field]: 1, [`_ranks.${field}`]: 1 }, resolved);
  return compileWindows(relation, child, resolved);
}

function inverseMatch(
  { owner }: PendingRelation,
  { link, target }: LinkChild,
  parents: readonly unknown[],
): { field: string; match: Document } {
  if (link.storage.kind === 'morph') {
    const { field } = link.storage;
    const other = target.attributes.get(field);
    if (other?.kind === 'morph' && !other.many)
      return { field, match: { [`${field}.__type`]: owner.uid, [`${field}.id`]: { $in: parents } } };
    return { field, match: { [field]: { $elemMatch: { __type: owner.uid, id: { $in: parents } } } } };
  }
  const field = link.storage.kind === 'inverse' ? link.storage.field : link.name;
  return { field, match: { [field]: { $in: parents } } };
}

function compileMorph(relation: PendingRelation, child: MorphChild, resolved: Resolved): LevelQuery[] {
  if (child.sources !== null)
    return child.sources.map((source) => ({
      relation,
      uid: source.holder.uid,
      counts: false,
      ...compileSource(child, source, relation.holders, resolved),
    }));
  const ids = new Map<string, Set<number>>();
  for (const { document } of relation.holders)
    for (const { __type: uid, id } of morphLinks(document[child.attribute.name]))
      ids.set(uid, (ids.get(uid) ?? new Set()).add(id));
  return [...ids].flatMap(([uid, wanted]) => {
    const target = child.targets.get(uid);
    if (target === undefined || target.selection.type.collection === '') return [];
    const page = { match: { _id: { $in: [...wanted] } }, projection: compileProjection(target.selection) };
    const pipeline = compileTargets(target, page, resolved);
    return [{ relation, collection: target.selection.type.collection, pipeline, uid, counts: false }];
  });
}

const distinct = (values: readonly unknown[]): unknown[] => [...new Set(values)];

/**
 * For each parent the related entries in the relation's order, or that of the sort, from `skip` on and no more than `limit`.
 * With an index on the foreign field and its rank the server reads just the window, whatever the number of related entries.
 */
function compileWindows({ owner, holders }: PendingRelation, child: LinkChild, resolved: Resolved): Document[] {
  const field = foreignField(child);
  const rank = child.sort.length === 0 ? compileRank(child, field) : null;
  const page = {
    match: compileCondition(child.condition, resolved),
    sort: child.sort,
    window: child.window ?? { skip: 0, limit: null },
    projection: compileProjection(child.selection),
  };
  const stages = compilePagePipeline(page).map((stage) => ('$sort' in stage && rank !== null ? rank.sort : stage));
  const isMorph = child.link.storage.kind === 'morph';
  const before = [...(isMorph ? matchMorphLink(field, owner.uid) : []), ...(rank?.before ?? [])];
  const lookup = {
    from: child.target.collection,
    localField: '_id',
    foreignField: isMorph ? `${field}.id` : field,
    // without variables the server takes a tenth less
    ...(before.length > 0 && { let: { parent: '$_id' } }),
    pipeline: [...before, ...stages],
    as: 'row',
  };
  const parents = [...new Set(holders.map(({ document }) => document['_id']))];
  // One row for each related entry: all of one parent in one document could exceed the 16 MB that a document may have.
  const rows = [{ $unwind: '$row' }, { $replaceWith: { $mergeObjects: ['$row', { _parent: '$_id' }] } }];
  return [{ $match: { _id: { $in: parents } } }, { $project: { _id: 1 } }, { $lookup: lookup }, ...rows];
}

function foreignField({ link }: LinkChild): string {
  return link.storage.kind === 'inverse' || link.storage.kind === 'morph' ? link.storage.field : link.name;
}

/** The one link that leads to the parent, as `_link`: its type may not be that of one link and its id that of another. */
function matchMorphLink(field: string, uid: string): Document[] {
  const links = { $cond: [{ $isArray: `$${field}` }, `$${field}`, [`$${field}`]] };
  const leadsHere = { $and: [{ $eq: ['$$this.__type', uid] }, { $eq: ['$$this.id', '$$parent'] }] };
  return [
    { $set: { _link: { $first: { $filter: { input: links, cond: leadsHere } } } } },
    { $match: { _link: { $type: 'object' } } },
  ];
}

/** The order of the relation seen from this side: the rank is one value where the other side links one, else one for each parent. */
function compileRank(
  { link, target, reversed }: LinkChild,
  field: string,
): { readonly before: Document[]; readonly sort: Document } {
  const order = reversed ? -1 : 1;
  if (link.storage.kind === 'morph') return { before: [], sort: { $sort: { '_link.rank': order, _id: order } } };
  const other = target.attributes.get(field);
  const ofMany = other?.kind === 'relation' && other.many;
  if (!ofMany) return { before: [], sort: { $sort: { [`_ranks.${field}`]: order, _id: order } } };
  const rank = { $getField: { field: { $toString: '$$parent' }, input: `$_ranks.${field}` } };
  return { before: [{ $set: { _rank: rank } }], sort: { $sort: { _rank: order, _id: order } } };
}
