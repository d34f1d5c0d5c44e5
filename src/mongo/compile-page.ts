import type { Document } from 'mongodb';
import type { Child, NestedList, Selection, SortKey, Window } from '../query/plan.js';
import { compileCondition, type Resolved } from './compile-condition.js';
import { compileSort, compileSortValues, sortsByComputed } from './compile-sort.js';

/** A page of one collection: what `find` and a pipeline have in common. */
export interface Page {
  readonly collection: string;
  readonly match: Document;
  readonly sort: readonly SortKey[];
  readonly window: Window;
  readonly projection: Document;
}

/** More documents than any reply holds in its 16 MB, so that one reply carries the page. */
export const oneReply = 1_000_000;

/** The command that reads a page: `find`, unless the order depends on values that are computed. */
export function compilePage(page: Page): Document {
  if (sortsByComputed(page.sort))
    return {
      aggregate: page.collection,
      pipeline: compilePagePipeline(page),
      cursor: { batchSize: oneReply },
      allowDiskUse: true,
    };
  const { skip, limit } = page.window;
  return {
    find: page.collection,
    filter: page.match,
    sort: compileSort(page.sort),
    projection: page.projection,
    ...(skip > 0 && { skip }),
    ...(limit !== null && { limit }),
    batchSize: oneReply,
  };
}

/** The same page as stages. Sort and cut come before anything is read that only the page needs. */
export function compilePagePipeline({ match, sort, window, projection }: Omit<Page, 'collection'>): Document[] {
  return [
    { $match: match },
    ...compileSortValues(sort),
    { $sort: compileSort(sort) },
    ...(window.skip > 0 ? [{ $skip: window.skip }] : []),
    ...(window.limit !== null ? [{ $limit: window.limit }] : []),
    { $project: projection },
  ];
}

/** The documents that meet a condition and `match`, sorted if there is a sort. */
export function compileTargets(
  { condition, sort }: NestedList,
  { match, projection }: Pick<Page, 'match' | 'projection'>,
  resolved: Resolved,
): Document[] {
  const $match = condition === null ? match : { $and: [match, compileCondition(condition, resolved)] };
  if (sort.length === 0) return [{ $match }, { $project: projection }];
  return compilePagePipeline({ match: $match, sort, window: { skip: 0, limit: null }, projection });
}

/**
 * The paths that a selection reads. Everything that is in the document but not asked for (large texts, private values,
 * components) stays on the server. Components are read whole: their parts are chosen when the answer is shaped.
 */
export function compileProjection(selection: Selection): Document {
  const kept = projections.get(selection);
  if (kept !== undefined) return kept;
  const projection = compile(selection);
  projections.set(selection, projection);
  return projection;
}

const projections = new WeakMap<Selection, Document>();

function compile({ fields, children, locales }: Selection): Document {
  const projection: Document = { _id: 1 };
  for (const { name } of fields) projection[name] = 1;
  for (const child of children) Object.assign(projection, childPaths(child));
  if (locales !== null) projection['_group'] = 1;
  return projection;
}

function childPaths(child: Child): Document {
  switch (child.kind) {
    case 'component':
    case 'zone':
    case 'morph':
      return { [child.attribute.name]: 1 };
    case 'link':
      return linkPaths(child.link.storage, child.link.name);
  }
}

function linkPaths(storage: Extract<Child, { kind: 'link' }>['link']['storage'], name: string): Document {
  if (storage.kind === 'own') return { [name]: 1 };
  return storage.kind === 'siblings' ? { _group: 1 } : {};
}
