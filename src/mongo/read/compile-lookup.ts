import type { Document } from 'mongodb';
import type { LinkChild } from '../../query/plan.js';
import type { ContentType } from '../../schema/content-type.js';
import { compileCondition, type Resolved } from './compile-condition.js';
import { compilePagePipeline } from './compile-page.js';
import { compileProjection } from './compile-projection.js';

interface LookupTarget {
  /** The type that has the relation. */
  readonly owner: ContentType;
  readonly as: string;
}

/**
 * For each parent the related entries in the relation's order, or that of the sort, from `skip` on and no more than `limit`.
 * With an index on the foreign field and its rank the server reads just the window, whatever the number of related entries.
 */
export function compileLookup(child: LinkChild, { owner, as }: LookupTarget, resolved: Resolved): Document {
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
  return {
    from: child.target.collection,
    localField: '_id',
    foreignField: isMorph ? `${field}.id` : field,
    // without variables the server takes a tenth less
    ...(before.length > 0 && { let: { parent: '$_id' } }),
    pipeline: [...before, ...stages],
    as,
  };
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
