import type { Document } from 'mongodb';
import type { LinkChild, MorphChild } from '../query/plan.js';
import type { Need } from './collect-needs.js';
import { compileCondition, type Resolved } from './compile-condition.js';
import { compilePagePipeline } from './compile-page.js';
import { compileProjection } from './compile-projection.js';
import { compileWindows } from './compile-windows.js';
import { cutsIds, linkedIds, morphLinks, windowOf } from './related-tables.js';

/** One part of the command that reads a level of relations. */
export interface Part {
  readonly need: Need;
  readonly collection: string;
  readonly pipeline: readonly Document[];
  /** morph: the type that this part reads. */
  readonly uid: string | null;
}

/** Compiles what has to be read for one relation; nothing where no entry has related ones. */
export function compileNeed(need: Need, resolved: Resolved): Part[] {
  const { child } = need;
  if (child.kind === 'morph') return compileMorph(need, child, resolved);
  const pipeline = compileLink(need, child, resolved);
  const collection = readsParents(child) ? need.owner.collection : child.target.collection;
  return pipeline === null ? [] : [{ need, collection, pipeline, uid: null }];
}

/** A window for each parent: each parent looks its related entries up, sorted and cut by the server. */
export const readsParents = ({ link, window, countOnly }: LinkChild): boolean =>
  window !== null && !countOnly && (link.storage.kind === 'inverse' || link.storage.kind === 'morph');

function compileLink(need: Need, child: LinkChild, resolved: Resolved): Document[] | null {
  const { storage } = child.link;
  switch (storage.kind) {
    case 'own':
      return compileOwn(need, child, resolved);
    case 'siblings': {
      const match = { _group: { $in: distinct(need.containers.map((container) => container['_group'] as unknown)) } };
      return compileRows(child, match, { _group: 1 }, resolved);
    }
    case 'inverse':
    case 'morph':
      return compileInverse(need, child, resolved);
  }
}

function compileOwn({ containers }: Need, child: LinkChild, resolved: Resolved): Document[] | null {
  const idsOf = (container: Document) => (cutsIds(child) ? windowOf(child, container) : linkedIds(container, child.link.name));
  const ids = containers.flatMap(idsOf);
  if (ids.length === 0) return null;
  return compileRows(child, { _id: { $in: distinct(ids) } }, {}, resolved);
}

/** The documents of the target that meet the condition of the branch and `match`. */
function compileRows(child: LinkChild, match: Document, keys: Document, resolved: Resolved): Document[] {
  const condition = compileCondition(child.condition, resolved);
  const projection = child.countOnly ? { _id: 1 } : compileProjection(child.selection);
  const page = {
    match: child.condition === null ? match : { $and: [match, condition] },
    sort: child.sort,
    window: { skip: 0, limit: null },
    projection: { ...projection, ...keys },
  };
  const [first, ...rest] = compilePagePipeline(page);
  const unsorted = child.sort.length === 0 ? rest.filter((stage) => !('$sort' in stage)) : rest;
  return [first ?? { $match: match }, ...unsorted];
}

function compileInverse(need: Need, child: LinkChild, resolved: Resolved): Document[] | null {
  const parents = need.containers.map((container) => container['_id'] as unknown);
  const { field, match } = inverseMatch(need, child, parents);
  if (child.countOnly)
    return [
      ...compileRows(child, match, { [field]: 1 }, resolved),
      { $unwind: `$${field}` },
      { $group: { _id: `$${field}`, count: { $sum: 1 } } },
    ];
  if (child.window === null) return compileRows(child, match, { [field]: 1, [`_ranks.${field}`]: 1 }, resolved);
  return compileWindows(need, child, resolved);
}

function inverseMatch(
  { owner }: Need,
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

function compileMorph(need: Need, child: MorphChild, resolved: Resolved): Part[] {
  const ids = new Map<string, Set<number>>();
  for (const container of need.containers)
    for (const { __type: uid, id } of morphLinks(container[child.attribute.name]))
      ids.set(uid, (ids.get(uid) ?? new Set()).add(id));
  return [...ids].flatMap(([uid, wanted]) => {
    const selection = child.selections.get(uid);
    if (selection === undefined || selection.type.collection === '') return [];
    const condition = child.conditions.get(uid);
    const match = { _id: { $in: [...wanted] } };
    const $match = condition === undefined ? match : { $and: [match, compileCondition(condition, resolved)] };
    const pipeline = [{ $match }, { $project: compileProjection(selection) }];
    return [{ need, collection: selection.type.collection, pipeline, uid }];
  });
}

const distinct = (values: readonly unknown[]): unknown[] => [...new Set(values)];
