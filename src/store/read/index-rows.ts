import type { Document } from 'mongodb';
import type { LinkChild, Window } from '#model/query/plan.js';
import { type ContentType, uidsOf } from '#model/schema/content-type.js';
import { linkedIds, linkRanks, morphLinks } from '../form/layout.js';
import { countsParents, readsParents } from './compile-level.js';
import { growNodes, type Growing, type PendingLevel, type PendingRelation, type QueryRows, type RelatedOf } from './grow-tree.js';
import { indexMorphs } from './morph-rows.js';
import type { LoadedEntry } from '../form/loaded.js';
import { cutsIds, cutWindow, wantedIds } from './stored-lists.js';
import { appendTo, groupBy } from '#base/values.js';

/** Indexes the rows of a relation by their parents. The relations that the rows populate are added to `next`. */
export function indexRows({ child, owner }: PendingRelation, results: readonly QueryRows[], next: PendingLevel): RelatedOf {
  if (child.kind === 'morph') return indexMorphs(child, results, next);
  const rows = results[0]?.rows ?? [];
  if (countsParents(child)) return countsIn(rows, child.window);
  const { type } = child.selection;
  const selection = child.countOnly ? { type, fields: [], children: [], locales: null } : child.selection;
  const related = indexLists(child, owner, growNodes(selection, rows, next));
  if (child.countOnly) return (holder) => related(holder).length;
  return child.link.many ? related : (holder) => related(holder).slice(0, 1);
}

type ListOf = (holder: Document) => readonly LoadedEntry[];

/** `owner` is the type that has the relation. */
function indexLists(child: LinkChild, owner: ContentType, nodes: readonly Growing[]): ListOf {
  const { storage } = child.link;
  if (readsParents(child)) return listsIn(groupBy(nodes, ({ document }) => document['_parent']));
  switch (storage.kind) {
    case 'own':
      return child.sort.length > 0 ? sortedTargets(child, nodes) : storedTargets(child, nodes);
    case 'localizations':
      return otherLocales(child, nodes);
    case 'inverse':
      return rankedLists(child, nodes, linksIn(storage.field));
    case 'morph':
      return rankedLists(child, nodes, morphLinksIn(storage.field, uidsOf(owner)));
  }
}

const none: readonly LoadedEntry[] = [];

/** Returns a function that finds the list of a holder by its id. */
const listsIn =
  (lists: ReadonlyMap<unknown, readonly LoadedEntry[]>): ListOf =>
  (holder) =>
    lists.get(holder['_id']) ?? none;

/** Returns a function that lists the targets of a holder in the order of the stored ids. */
function storedTargets(child: LinkChild, nodes: readonly Growing[]): ListOf {
  const targets = new Map(nodes.map((node) => [node.document['_id'], node]));
  return (holder) => {
    const found: Growing[] = [];
    for (const id of wantedIds(child, holder)) {
      const target = targets.get(id);
      if (target !== undefined) found.push(target);
    }
    return cutsIds(child) ? found : cutWindow(child.reversed ? found.reverse() : found, child.window);
  };
}

/** Returns a function that lists the targets of a holder in the order in which the rows were read. */
function sortedTargets(child: LinkChild, nodes: readonly Growing[]): ListOf {
  const places = new Map(nodes.map((node, place) => [node.document['_id'], place]));
  return (holder) => {
    const positions = new Set(linkedIds(holder, child.link.name).flatMap((id) => places.get(id) ?? []));
    const sorted = [...positions].sort((a, b) => a - b).flatMap((place) => nodes[place] ?? []);
    return cutWindow(sorted, child.window);
  };
}

/** Returns a function that returns how many of the counted entries of a holder are in the window. */
function countsIn(rows: readonly Document[], window: Window | null): RelatedOf {
  const { skip, limit } = window ?? { skip: 0, limit: null };
  const counts = new Map(rows.map((row) => [row['_id'] as unknown, Number(row['count'])]));
  return (holder) => Math.min(Math.max((counts.get(holder['_id']) ?? 0) - skip, 0), limit ?? Infinity);
}

const idOf = ({ document }: LoadedEntry): number => Number(document['_id']);

/** Returns a function that lists the other locales of an entry, in the order of their group unless the query sorts them. */
function otherLocales(child: LinkChild, nodes: readonly Growing[]): ListOf {
  const groups = groupBy(nodes, ({ document }) => document['_group']);
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
  const ranks = new Map(group.map((node) => [node, linkRanks.of(node.document, linkRanks.order)]));
  const rankOf = (node: Growing): number => ranks.get(node) ?? -Infinity;
  group.sort((a, b) => (rankOf(a) === rankOf(b) ? 0 : rankOf(b) - rankOf(a)));
  if (reversed) group.reverse();
}

/** Links that the other side stores. */
interface OtherSide {
  /** Returns the ids of the entries that a document links to. */
  readonly idsOf: (document: Document) => readonly unknown[];
  /** Returns the rank of a document in the list of an entry. One without a rank, which other programs have inserted, comes first. */
  readonly rankOf: (document: Document, id: unknown) => number;
}

const linksIn = (field: string): OtherSide => ({
  idsOf: (document) => linkedIds(document, field),
  rankOf: (document, id) => linkRanks.of(document, field, id) ?? -Infinity,
});

/** Returns the links to entries of a type, which has these uids. */
function morphLinksIn(field: string, uids: readonly string[]): OtherSide {
  const leadsThere = ({ __type }: { readonly __type: string }): boolean => uids.includes(__type);
  return {
    idsOf: (document) => morphLinks(document[field]).flatMap((link) => (leadsThere(link) ? [link.id] : [])),
    rankOf: (document, id) => morphLinks(document[field]).find((link) => leadsThere(link) && link.id === id)?.rank ?? -Infinity,
  };
}

/** Returns a function that lists the entries that link to a holder, by rank and then by id unless the query sorts them. */
function rankedLists({ sort, reversed }: LinkChild, nodes: readonly Growing[], { idsOf, rankOf }: OtherSide): ListOf {
  const lists = new Map<unknown, Growing[]>();
  for (const node of nodes) for (const id of idsOf(node.document)) appendTo(lists, id, node);
  const sign = reversed ? -1 : 1;
  if (sort.length === 0)
    for (const [parent, list] of lists)
      list.sort((a, b) => {
        const [rankA, rankB] = [rankOf(a.document, parent), rankOf(b.document, parent)];
        return sign * (rankA === rankB ? idOf(a) - idOf(b) : rankA - rankB);
      });
  return listsIn(lists);
}
