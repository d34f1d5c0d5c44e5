import type { Document } from 'mongodb';
import type { LinkChild } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import { compilePagePipeline } from './compile-page.js';
import { compileProjection } from './compile-projection.js';
import { compileMet, type Resolutions } from './join-related.js';

/**
 * Returns a `$lookup`, without the name of its result, that reads the related entries of each parent, in the order of the relation or
 * of the sort, within the window. `owner` is the type that has the relation. With an index on the foreign field and its rank the
 * server reads only the window, however many related entries there are.
 */
export function compileLookup(child: LinkChild, owner: ContentType, resolutions: Resolutions): Document {
  const field = foreignField(child);
  const rank = child.sort.length === 0 ? compileRank(child, field) : null;
  const { before: match, joined } = compileMet(child.condition, resolutions);
  const page = {
    match,
    sort: child.sort,
    window: child.window ?? { skip: 0, limit: null },
    projection: compileProjection(child.selection),
  };
  const stages = compilePagePipeline(page, joined).map((stage) => ('$sort' in stage && rank !== null ? rank.sort : stage));
  const isMorph = child.link.storage.kind === 'morph';
  const before = [...(isMorph ? matchMorphLink(field, owner) : []), ...(rank?.before ?? [])];
  return {
    from: child.target.collection,
    localField: '_id',
    foreignField: isMorph ? `${field}.id` : field,
    // without variables the lookup is a tenth faster
    ...(before.length > 0 && { let: { parent: '$_id' } }),
    pipeline: [...before, ...stages],
  };
}

/** Returns the field of related entries by which they link to the entry that has the relation. */
export function foreignField({ link }: LinkChild): string {
  return link.storage.kind === 'inverse' || link.storage.kind === 'morph' ? link.storage.field : link.name;
}

/**
 * Returns the stages that add the link to the parent as `_link`, and drop entries without one. Type and id must match in the same
 * link.
 */
function matchMorphLink(field: string, { uid, otherUid }: ContentType): Document[] {
  const links = { $cond: [{ $isArray: `$${field}` }, `$${field}`, [`$${field}`]] };
  const isType = otherUid === undefined ? { $eq: ['$$this.__type', uid] } : { $in: ['$$this.__type', [uid, otherUid]] };
  const leadsHere = { $and: [isType, { $eq: ['$$this.id', '$$parent'] }] };
  return [
    { $set: { _link: { $first: { $filter: { input: links, cond: leadsHere } } } } },
    { $match: { _link: { $type: 'object' } } },
  ];
}

/**
 * Returns the sort by the rank of the relation, with the stages that it needs. The rank is a single value if the other side is a
 * relation to one, otherwise one value for each parent.
 */
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
