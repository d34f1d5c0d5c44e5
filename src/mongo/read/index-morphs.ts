import type { Document } from 'mongodb';
import type { MorphChild, MorphTarget, BoundSource, SortKey } from '../../query/plan.js';
import { growNodes, type PendingLevel, type QueryRows, type RelatedOf, type Growing } from './grow-tree.js';
import type { Loaded } from '../loaded.js';
import { dottedPath, type LinkPath } from '../../schema/attribute-places.js';
import type { Resolved } from './compile-condition.js';
import { compileTargets } from './compile-page.js';
import { compileProjection } from './compile-projection.js';
import { applyList, cutWindow, keepChosen, linkedIds, morphLinks, partsOf, type Choose } from './stored-lists.js';

/** A target of polymorphic links. */
interface Target {
  readonly uid: string;
  readonly node: Loaded;
  /** Its place among the rows of its type, which are sorted if the target has a sort. */
  readonly place: number;
}

/** Indexes the targets of links that the entries keep themselves. Targets that are gone, hidden or not selected are left out. */
export function indexMorphRows({ attribute, targets }: MorphChild, results: readonly QueryRows[], next: PendingLevel): RelatedOf {
  const read = new Map<string, ReadonlyMap<unknown, Target>>();
  for (const { uid, rows } of results) {
    const target = targets.get(String(uid));
    if (uid !== null && target !== undefined) read.set(uid, indexMorphTargets(uid, growNodes(target.selection, rows, next)));
  }
  const choices = new Map([...targets].flatMap(([uid, target]) => (target.window === null ? [] : [[uid, chooseOf(target)]])));
  return (holder) => {
    const found = morphLinks(holder[attribute.name]).flatMap(({ __type: uid, id }) => read.get(uid)?.get(id) ?? []);
    return keepChosen(found, choices, ({ uid }) => uid).map(({ node }) => node);
  };
}

const indexMorphTargets = (uid: string, nodes: readonly Loaded[]): Map<unknown, Target> =>
  new Map(nodes.map((node, place) => [node.document['_id'], { uid, node, place }]));

/** A sort decides only about what is inside the window. */
const chooseOf =
  ({ sort, window }: MorphTarget): Choose<Target> =>
  (found) =>
    cutWindow(sort.length === 0 ? found : [...found].sort((a, b) => a.place - b.place), window);

/** Compiles the query for the entries of a source that link to the holders, themselves or in their components. */
export function compileSource(
  child: MorphChild,
  { holder, owner, paths, condition }: BoundSource,
  holders: readonly Growing[],
  resolved: Resolved,
): { readonly collection: string; readonly pipeline: readonly Document[] } {
  const ids = [...new Set(holders.map(({ document }) => document['_id'] as unknown))];
  const links = { $or: paths.map((path) => ({ [dottedPath(path)]: { $in: ids } })) };
  const target = holder === owner ? child.targets.get(owner.uid) : undefined;
  const projection = {
    _id: 1,
    ...(target !== undefined && compileProjection(target.selection)),
    ...Object.fromEntries(paths.map(({ steps: [step], attribute }) => [step?.name ?? attribute.name, 1])),
  };
  const list = target ?? { condition, sort: [], window: null };
  const sort = list.sort.length === 0 ? byId : list.sort;
  return { collection: owner.collection, pipeline: compileTargets({ ...list, sort }, { match: links, projection }, resolved) };
}

const byId: readonly SortKey[] = [{ links: [], path: '_id', lists: [], order: 1 }];

/** The rows of a source. */
interface SourceRows {
  readonly source: BoundSource;
  readonly rows: readonly Document[];
}

/** Finds the entries and components that link to an entry, once for each link. */
export function indexSources(
  { targets }: MorphChild,
  results: readonly SourceRows[],
  next: PendingLevel,
): (holder: Document) => readonly Loaded[] {
  const found = [...targets].map(([uid, target]) => {
    const ofType = results.filter(({ source }) => source.holder.uid === uid);
    return { lists: indexTargets(target, linksOf(target, ofType), next), window: target.window };
  });
  return (holder) => found.flatMap(({ lists, window }) => cutWindow(lists.get(holder['_id']) ?? none, window));
}

const none: readonly Loaded[] = [];

interface PartLink {
  /** The entry or component that has the link. */
  readonly part: Document;
  readonly id: unknown;
}

/** The links of one type. Entries were filtered and sorted by the database, components are filtered and sorted here. */
function linksOf({ selection, condition, sort }: MorphTarget, results: readonly SourceRows[]): readonly PartLink[] {
  const links = results.flatMap(({ source, rows }) => rows.flatMap((row) => source.paths.flatMap((path) => linksAt(row, path))));
  return selection.type.kind === 'component' ? applyList(links, { condition, sort, window: null }, ({ part }) => part) : links;
}

function indexTargets({ selection }: MorphTarget, links: readonly PartLink[], next: PendingLevel): Map<unknown, Loaded[]> {
  const parts = links.map(({ part }) => part);
  const lists = new Map<unknown, Loaded[]>();
  for (const [index, node] of growNodes(selection, parts, next).entries()) {
    const id = links[index]?.id;
    const list = lists.get(id);
    if (list === undefined) lists.set(id, [node]);
    else list.push(node);
  }
  return lists;
}

function linksAt(row: Document, { steps, attribute }: LinkPath): PartLink[] {
  let parts: readonly Document[] = [row];
  for (const { name, zone } of steps)
    parts = parts.flatMap((part) => partsOf(part[name])).filter((part) => zone === null || part['__component'] === zone);
  return parts.flatMap((part) => linkedIds(part, attribute.name).map((id) => ({ part, id })));
}
