import type { Document } from 'mongodb';
import type { ComponentChild, LinkChild, MorphChild, Selection, ZoneChild } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { LoadedEntry, RelatedEntries } from '../form/loaded.js';
import { applyList, type Choose, chosenItems } from './stored-lists.js';
import { partsOf } from '../form/layout.js';
import { appendTo } from '#base/values.js';

/** A node of a tree that is still being read. */
export interface Growing extends LoadedEntry {
  readonly children: RelatedEntries[];
}

/** A populated relation whose related entries are still to be read. */
export interface PendingRelation {
  readonly child: LinkChild | MorphChild;
  /** The type that has the relation. */
  readonly owner: ContentType;
  /** The entries and components that have the relation. */
  readonly holders: Growing[];
  /** The index of the relation among the children of each holder. */
  readonly slot: number;
}

/** Returns the related entries of an entry or component. */
export type RelatedOf = (holder: Document) => RelatedEntries;

/** The rows of one relation; of one type if the relation is polymorphic. */
export interface QueryRows {
  readonly uid: string | null;
  readonly rows: readonly Document[];
}

/** The relations of one level, each once, even if several branches of the tree lead to it. */
export type PendingLevel = Map<LinkChild | MorphChild, PendingRelation>;

/**
 * Returns the nodes of documents, with their components and dynamic zones. Adds the relations that they populate to the next
 * level.
 */
export function growNodes(selection: Selection, documents: readonly Document[], next: PendingLevel): Growing[] {
  const nodes = documents.map((document) => createNode(selection, document));
  growChildren(selection, nodes, next);
  return nodes;
}

/** The shared children array of nodes that populate nothing. It is never changed. */
const childless: RelatedEntries[] = [];
const none: RelatedEntries = [];

function createNode(selection: Selection, document: Document): Growing {
  const count = selection.children.length + (selection.locales === null ? 0 : 1);
  return { selection, document, children: count === 0 ? childless : Array<RelatedEntries>(count).fill(none) };
}

function growChildren({ type, children, locales }: Selection, nodes: readonly Growing[], next: PendingLevel): void {
  if (nodes.length === 0) return;
  for (const [slot, child] of children.entries()) {
    switch (child.kind) {
      case 'link':
      case 'morph':
        addPending({ child, owner: type, slot }, nodes, next);
        break;
      case 'component':
        growComponents(child, slot, nodes, next);
        break;
      case 'zone':
        growZones(child, slot, nodes, next);
    }
  }
  if (locales !== null) addPending({ child: locales, owner: type, slot: children.length }, nodes, next);
}

function addPending(relation: Omit<PendingRelation, 'holders'>, nodes: readonly Growing[], next: PendingLevel): void {
  const pending = next.get(relation.child);
  if (pending === undefined) next.set(relation.child, { holders: [...nodes], ...relation });
  else for (const node of nodes) pending.holders.push(node);
}

function growComponents(child: ComponentChild, slot: number, nodes: readonly Growing[], next: PendingLevel): void {
  const { selection, attribute } = child;
  const all: Growing[] = [];
  for (const { document, children } of nodes) {
    const parts = applyList(partsOf(document[attribute.name]), child, itself).map((part) => createNode(selection, part));
    children[slot] = parts;
    all.push(...parts);
  }
  growChildren(selection, all, next);
}

/** Adds the nodes of dynamic zones. Components without a selection are left out. */
function growZones(child: ZoneChild, slot: number, nodes: readonly Growing[], next: PendingLevel): void {
  const byType = new Map<Selection, Growing[]>();
  const choices = new Map<string, Choose<Document>>();
  for (const [uid, list] of child.targets)
    if (list.condition !== null || list.window !== null) choices.set(uid, (parts) => applyList(parts, list, itself));
  for (const { document, children } of nodes) {
    children[slot] = chosenItems(partsOf(document[child.attribute.name]), choices, componentOf).flatMap((part) => {
      const selection = child.targets.get(componentOf(part))?.selection;
      if (selection === undefined) return [];
      const node = createNode(selection, part);
      appendTo(byType, selection, node);
      return [node];
    });
  }
  for (const [selection, group] of byType) growChildren(selection, group, next);
}

const itself = (part: Document): Document => part;
const componentOf = (part: Document): string => String(part['__component']);
