import type { Document } from 'mongodb';
import type { BoundSource, MorphChild, NestedList, SortKey } from '#model/query/plan.js';
import { dottedPath, type LinkPath } from '#model/schema/attribute-places.js';
import { linkedIds, linkRanks, morphLinks, partsOf } from '../form/layout.js';
import type { LoadedEntry } from '../form/loaded.js';
import { compileTargets } from './compile-page.js';
import { compileProjection } from './compile-projection.js';
import type { Resolutions } from './join-related.js';
import { type Growing, growNodes, type PendingLevel, type QueryRows, type RelatedOf } from './grow-tree.js';
import { applyList, type Choose, chosenItems, cutWindow } from './stored-lists.js';
import { appendTo } from '#base/values.js';

/** Compiles the query for the entries of a source that link to the holders, in their own attributes or in their components. */
export function compileSource(
  child: MorphChild,
  { holder, owner, paths, condition }: BoundSource,
  holders: readonly Growing[],
  resolutions: Resolutions,
): { readonly collection: string; readonly pipeline: readonly Document[] } {
  const ids = [...new Set(holders.map(({ document }) => document['_id'] as unknown))];
  const links = { $or: paths.map((path) => ({ [dottedPath(path)]: { $in: ids } })) };
  const target = holder === owner ? child.targets.get(owner.uid) : undefined;
  const names = paths.map(entryAttribute);
  const projection = {
    _id: 1,
    ...(target !== undefined && compileProjection(target.selection)),
    ...Object.fromEntries(names.flatMap((name) => [name, linkRanks.path(name)]).map((path) => [path, 1])),
    createdAt: 1,
  };
  const list = target ?? { condition, sort: [], window: null };
  const sort = list.sort.length === 0 ? byId : list.sort;
  return { collection: owner.collection, pipeline: compileTargets({ ...list, sort }, { match: links, projection }, resolutions) };
}

const byId: readonly SortKey[] = [{ links: [], path: '_id', lists: [], order: 1 }];

/** Returns the attribute of the entry that has the links, or the components with the links. */
const entryAttribute = ({ steps: [step], attribute }: LinkPath): string => step?.name ?? attribute.name;

/** Indexes the rows of a polymorphic relation by their parents. */
export function indexMorphs(child: MorphChild, results: readonly QueryRows[], next: PendingLevel): RelatedOf {
  if (child.sources === null) return indexStoredLinks(child, results, next);
  const rowsBySource = child.sources.map((source, index) => ({ source, rows: results[index]?.rows ?? [] }));
  return indexSources(child, rowsBySource, next);
}

/** The rows of a source. */
interface SourceRows {
  readonly source: BoundSource;
  readonly rows: readonly Document[];
}

/**
 * Returns a function that lists the entries and components that link to an entry, once for each link. As in Strapi v4, they are
 * ordered by the position of the link in its list, then by the time when the link was made. If the query has a sort, it orders
 * the entries of each type.
 */
function indexSources({ targets }: MorphChild, results: readonly SourceRows[], next: PendingLevel): RelatedOf {
  const found = [...targets].map(([uid, target]) => {
    const ofType = results.filter(({ source }) => source.holder.uid === uid);
    return { lists: indexTargets(target, linksOf(target, ofType), next), window: target.window };
  });
  const isSorted = [...targets.values()].some(({ sort }) => sort.length > 0);
  return (holder) => {
    const links = found.flatMap(({ lists, window }) => cutWindow(lists.get(holder['_id']) ?? none, window));
    return (isSorted ? links : links.sort((a, b) => compareOrders(a.order, b.order))).map(({ node }) => node);
  };
}

const none: readonly LinkedNode[] = [];

interface LinkedNode extends Pick<PartLink, 'order'> {
  readonly node: LoadedEntry;
}

interface PartLink {
  /** The entry or component that has the link. */
  readonly part: Document;
  readonly id: unknown;
  /**
   * The sort key of the link, compared number by number: its position in its list, the time when it was made, the id of the
   * entry, and its path through the attributes of the entry and its components. The own files of an entry come after those of its
   * components.
   */
  readonly order: readonly number[];
}

function compareOrders(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return (a[at] ?? 0) - (b[at] ?? 0);
}

/** Returns the links of one type. Entries were filtered and sorted by the database; components are filtered and sorted here. */
function linksOf({ selection, condition, sort }: NestedList, results: readonly SourceRows[]): readonly PartLink[] {
  const links = results.flatMap(({ source, rows }) => {
    const walks = source.paths.map(walkOf);
    return rows.flatMap((row) => walks.flatMap((walk) => linksAt(row, walk)));
  });
  return selection.type.kind === 'component' ? applyList(links, { condition, sort, window: null }, ({ part }) => part) : links;
}

function indexTargets({ selection }: NestedList, links: readonly PartLink[], next: PendingLevel): Map<unknown, LinkedNode[]> {
  const parts = links.map(({ part }) => part);
  const lists = new Map<unknown, LinkedNode[]>();
  for (const [index, node] of growNodes(selection, parts, next).entries()) {
    const { id, order = [] } = links[index] ?? {};
    appendTo(lists, id, { node, order });
  }
  return lists;
}

/**
 * A path with the positions of its names among the attributes of their types. The last position is greater than those of all
 * components.
 */
interface Walk extends LinkPath {
  readonly places: readonly number[];
}

function walkOf(path: LinkPath): Walk {
  const names = [...path.steps.map(({ name }) => name), path.attribute.name];
  const places = path.holders.map(({ attributes }, depth) => {
    const place = [...attributes.keys()].indexOf(names[depth] ?? '');
    return depth === path.steps.length ? attributes.size + place : place;
  });
  return { ...path, places };
}

interface PlacedPart {
  readonly part: Document;
  readonly way: readonly number[];
}

function linksAt(row: Document, { steps, attribute, places, ...path }: Walk): PartLink[] {
  let parts: readonly PlacedPart[] = [{ part: row, way: [] }];
  for (const [depth, { name, zone }] of steps.entries())
    parts = parts.flatMap(({ part, way }) =>
      partsOf(part[name]).flatMap((inner, index) =>
        zone === null || inner['__component'] === zone ? [{ part: inner, way: [...way, places[depth] ?? 0, index] }] : [],
      ),
    );
  const entry = [madeAt(row, entryAttribute({ steps, attribute, ...path })), Number(row['_id'])];
  return parts.flatMap(({ part, way }) =>
    linkedIds(part, attribute.name).map((id, place) => ({ part, id, order: [place, ...entry, ...way, places.at(-1) ?? 0] })),
  );
}

/**
 * Returns the time when an attribute of an entry was linked last, as a rank; if it is not stored, the time when the entry was
 * created.
 */
function madeAt(row: Document, name: string): number {
  const rank = linkRanks.of(row, name);
  const created: unknown = row['createdAt'];
  return typeof rank === 'number' ? rank : created instanceof Date ? linkRanks.ofTime(created.getTime()) : 0;
}

/** A target of polymorphic links. */
interface Target {
  readonly uid: string;
  readonly node: LoadedEntry;
  /** Its position among the rows of its type, which are sorted if the target has a sort. */
  readonly place: number;
}

/**
 * Indexes the targets of links that the entries themselves store. Targets that are deleted, hidden or not selected are left out.
 */
function indexStoredLinks({ attribute, targets }: MorphChild, results: readonly QueryRows[], next: PendingLevel): RelatedOf {
  const read = new Map<string, ReadonlyMap<unknown, Target>>();
  for (const { uid, rows } of results) {
    const target = targets.get(String(uid));
    if (uid !== null && target !== undefined) read.set(uid, indexMorphTargets(uid, growNodes(target.selection, rows, next)));
  }
  const choices = new Map([...targets].flatMap(([uid, target]) => (target.window === null ? [] : [[uid, chooseOf(target)]])));
  return (holder) => {
    const targets = morphLinks(holder[attribute.name]).flatMap(({ __type: uid, id }) => read.get(uid)?.get(id) ?? []);
    return chosenItems(targets, choices, ({ uid }) => uid).map(({ node }) => node);
  };
}

const indexMorphTargets = (uid: string, nodes: readonly LoadedEntry[]): Map<unknown, Target> =>
  new Map(nodes.map((node, place) => [node.document['_id'], { uid, node, place }]));

/** Returns a function that cuts the targets of one type to the window. The sort only decides which targets are in the window. */
const chooseOf =
  ({ sort, window }: NestedList): Choose<Target> =>
  (targets) =>
    cutWindow(sort.length === 0 ? targets : [...targets].sort((a, b) => a.place - b.place), window);
