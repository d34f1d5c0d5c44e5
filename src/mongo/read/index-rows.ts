import type { Document } from 'mongodb';
import { uidsOf } from '../../schema/served-names.js';
import type { LinkChild } from '../../query/plan.js';
import type { ContentType } from '../../schema/content-type.js';
import { orderField, storedRank } from '../form/layout.js';
import { readsParents } from './compile-level.js';
import { growNodes, type Growing, type PendingLevel, type PendingRelation, type QueryRows, type RelatedOf } from './grow-tree.js';
import { indexMorphRows } from './index-morphs.js';
import { indexSources } from './index-sources.js';
import type { Loaded } from '../form/loaded.js';
import { cutRead, cutWindow, linkedIds, morphLinks, wantedIds } from './stored-lists.js';

/** Indexes the rows of a relation by their parents. The relations that the rows populate are added to `next`. */
export function indexRows({ child, owner }: PendingRelation, results: readonly QueryRows[], next: PendingLevel): RelatedOf {
  if (child.kind === 'morph' && child.sources !== null)
    return indexSources(
      child,
      child.sources.map((source, index) => ({ source, rows: results[index]?.rows ?? [] })),
      next,
    );
  return child.kind === 'morph'
    ? indexMorphRows(child, results, next)
    : indexLinkRows(child, results[0]?.rows ?? [], { owner, next });
}

const byId = (nodes: readonly Growing[]): Map<unknown, Growing> => new Map(nodes.map((node) => [node.document['_id'], node]));

interface LinkContext {
  /** The type that has the relation. */
  readonly owner: ContentType;
  readonly next: PendingLevel;
}

function indexLinkRows(child: LinkChild, rows: readonly Document[], { owner, next }: LinkContext): RelatedOf {
  const { storage } = child.link;
  if (child.countOnly && (storage.kind === 'inverse' || storage.kind === 'morph')) return countsIn(rows);
  const related = indexLists(child, rows, { owner, next });
  if (child.countOnly) return (holder) => related(holder).length;
  return child.link.many ? related : (holder) => related(holder).slice(0, 1);
}

type ListOf = (holder: Document) => readonly Loaded[];

function indexLists(child: LinkChild, rows: readonly Document[], { owner, next }: LinkContext): ListOf {
  const { storage } = child.link;
  const { type } = child.selection;
  const selection = child.countOnly ? { type, fields: [], children: [], locales: null } : child.selection;
  const nodes = growNodes(selection, rows, next);
  if (readsParents(child)) return listsBy(groupBy(nodes, parentOf), '_id');
  switch (storage.kind) {
    case 'own':
      return child.sort.length > 0 ? sortedTargets(child, nodes) : storedTargets(child, nodes);
    case 'localizations':
      return otherLocales(child, nodes);
    case 'inverse':
      return listsBy(inverseLists(child, nodes, storage.field), '_id');
    case 'morph':
      return listsBy(morphLists(child, nodes, { field: storage.field, owners: uidsOf(owner) }), '_id');
  }
}

const listsBy =
  (lists: ReadonlyMap<unknown, readonly Loaded[]>, key: string): ListOf =>
  (holder) =>
    lists.get(holder[key]) ?? none;

const none: readonly Loaded[] = [];

/** Returns the id of the entry in whose window a row was read, in a list. */
const parentOf = ({ document }: Loaded): readonly unknown[] => [document['_parent']];

/** Returns a function that lists the targets of a holder in the order of the stored ids. */
function storedTargets(child: LinkChild, nodes: readonly Growing[]): ListOf {
  const targets = byId(nodes);
  return (holder) => {
    const found: Growing[] = [];
    for (const id of wantedIds(child, holder)) {
      const target = targets.get(id);
      if (target !== undefined) found.push(target);
    }
    return cutRead(child, child.reversed ? found.reverse() : found);
  };
}

/** Returns a function that lists the targets of a holder in the order in which the rows were read. */
function sortedTargets(child: LinkChild, nodes: readonly Growing[]): ListOf {
  const places = new Map(nodes.map((node, place) => [node.document['_id'], place]));
  return (holder) => {
    const found = new Set(linkedIds(holder, child.link.name).flatMap((id) => places.get(id) ?? []));
    const sorted = [...found].sort((a, b) => a - b).flatMap((place) => nodes[place] ?? []);
    return cutWindow(sorted, child.window);
  };
}

/** Returns a function that returns the count that was read for a holder. */
function countsIn(rows: readonly Document[]): RelatedOf {
  const counts = new Map(rows.map((row) => [row['_id'] as unknown, Number(row['count'])]));
  return (holder) => counts.get(holder['_id']) ?? 0;
}

const idOf = ({ document }: Loaded): number => Number(document['_id']);

/** Returns a function that lists the other locales of an entry, in the order of their group unless the query sorts them. */
function otherLocales(child: LinkChild, nodes: readonly Growing[]): ListOf {
  const groups = groupBy(nodes, ({ document }) => [document['_group']]);
  if (child.sort.length === 0) for (const group of groups.values()) orderLocales(group, child);
  return (holder) => {
    const others = (groups.get(holder['_group']) ?? []).filter(({ document }) => document['_id'] !== holder['_id']);
    return cutWindow(others, child.window);
  };
}

/**
 * Sorts the locales of a group by descending rank. Of those without a rank the newest comes first, then the oldest, then the others
 * from the newest on.
 */
function orderLocales(group: Growing[], { reversed }: LinkChild): void {
  group.sort((a, b) => idOf(b) - idOf(a));
  const oldest = group.length > 2 ? group.pop() : undefined;
  if (oldest !== undefined) group.splice(1, 0, oldest);
  const ranks = new Map(group.map((node) => [node, storedRank(node.document, orderField)]));
  const rankOf = (node: Growing): number => ranks.get(node) ?? -Infinity;
  group.sort((a, b) => (rankOf(a) === rankOf(b) ? 0 : rankOf(b) - rankOf(a)));
  if (reversed) group.reverse();
}

function inverseLists(child: LinkChild, nodes: readonly Growing[], field: string): Map<unknown, Growing[]> {
  const lists = groupBy(nodes, ({ document }) => linkedIds(document, field));
  if (child.sort.length === 0) sortByRank(lists, rankIn(field), child);
  return lists;
}

interface MorphField {
  readonly field: string;
  /** Uids of the type that the links lead to. */
  readonly owners: readonly string[];
}

function morphLists(child: LinkChild, nodes: readonly Growing[], { field, owners }: MorphField): Map<unknown, Growing[]> {
  const lists = groupBy(nodes, ({ document }) =>
    morphLinks(document[field]).flatMap(({ __type, id }) => (owners.includes(__type) ? [id] : [])),
  );
  if (child.sort.length === 0) sortByRank(lists, morphRank({ field, owners }), child);
  return lists;
}

/** Returns groups of items by key. An item is in the group of each of its keys, and groups keep the order of the items. */
function groupBy<Item>(items: readonly Item[], keysOf: (item: Item) => readonly unknown[]): Map<unknown, Item[]> {
  const groups = new Map<unknown, Item[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  }
  return groups;
}

type RankOf = (document: Document, parent: unknown) => number;

/** Sorts lists by rank. Entries without a rank, which other programs have inserted, come first, by id. */
function sortByRank(lists: ReadonlyMap<unknown, Growing[]>, rankOf: RankOf, { reversed }: LinkChild): void {
  const sign = reversed ? -1 : 1;
  for (const [parent, list] of lists) {
    list.sort((a, b) => {
      const [rankA, rankB] = [rankOf(a.document, parent), rankOf(b.document, parent)];
      return sign * (rankA === rankB ? idOf(a) - idOf(b) : rankA - rankB);
    });
  }
}

const rankIn =
  (field: string): RankOf =>
  (document, parent) =>
    storedRank(document, field, parent) ?? -Infinity;

const morphRank =
  ({ field, owners }: MorphField): RankOf =>
  (document, parent) =>
    morphLinks(document[field]).find(({ __type, id }) => owners.includes(__type) && id === parent)?.rank ?? -Infinity;
