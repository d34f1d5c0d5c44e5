import type { Document } from 'mongodb';
import type { LinkChild, MorphChild } from '../query/plan.js';

/** The related documents that were read for one populated relation, filed by what their parents know them by. */
export interface RelatedTable {
  /** own: by id, in the order read. morph: by `uid id`. */
  readonly byId: ReadonlyMap<unknown, Document>;
  /** inverse, morph inverse: by parent id; siblings: by group. In the order of the answer. */
  readonly byParent: ReadonlyMap<unknown, readonly Document[]>;
  /** Numbers of related documents by parent id, where only those were wanted. */
  readonly counts: ReadonlyMap<unknown, number>;
  /** Whether `byId` holds an order of its own, asked for by a sort. */
  readonly sorted: boolean;
}

/** All that was read besides the documents themselves. One table for each relation of the plan. */
export type RelatedTables = ReadonlyMap<LinkChild | MorphChild, RelatedTable>;

const none: readonly Document[] = [];

/** The related documents of an entry or embedded component, in the order of the answer, cut to the relation's window. */
export function relatedDocuments(tables: RelatedTables, child: LinkChild, container: Document): readonly Document[] {
  const table = tables.get(child);
  if (table === undefined) return none;
  switch (child.link.storage.kind) {
    case 'own':
      return cutsIds(child)
        ? ownDocuments(table, child, windowOf(child, container))
        : cut(child, ownDocuments(table, child, idsOf(child, container)));
    case 'siblings':
      return (table.byParent.get(container['_group']) ?? none).filter(({ _id }) => _id !== container['_id']);
    case 'inverse':
    case 'morph':
      return table.byParent.get(container['_id']) ?? none;
  }
}

/** The number of related documents, where the relation was populated for that alone. */
export function relatedCount(tables: RelatedTables, child: LinkChild, container: Document): number {
  const counted = tables.get(child)?.counts.get(container['_id']);
  return counted ?? relatedDocuments(tables, child, container).length;
}

/** The targets of a polymorphic relation with their types; those that are gone or not selected are left out. */
export function morphDocuments(
  tables: RelatedTables,
  child: MorphChild,
  container: Document,
): { readonly uid: string; readonly document: Document }[] {
  return morphLinks(container[child.attribute.name]).flatMap(({ __type: uid, id }) => {
    const document = tables.get(child)?.byId.get(`${uid} ${String(id)}`);
    return document === undefined ? [] : [{ uid, document }];
  });
}

/** A stored polymorphic link. */
export interface MorphLink {
  readonly __type: string;
  readonly id: number;
  /** The place of the entry that holds the link in the list of its target. */
  readonly rank?: number;
}

export const morphLinks = (value: unknown): readonly MorphLink[] => listOf(value) as readonly MorphLink[]; // written in this form

/** The ids of an owning relation: a to-one relation stores one value, a to-many an array. */
export const linkedIds = (container: Document, name: string): readonly unknown[] => listOf(container[name]);

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? none : [value];
}

/** Whether the window of an owning relation can be cut from the stored ids, before anything is read. */
export const cutsIds = ({ window, condition, sort, reversed }: LinkChild): boolean =>
  window !== null && condition === null && sort.length === 0 && !reversed;

const idsOf = ({ link }: LinkChild, container: Document): readonly unknown[] => linkedIds(container, link.name);

/** The stored ids that the window leaves. */
export const windowOf = (child: LinkChild, container: Document): readonly unknown[] => cut(child, idsOf(child, container));

function ownDocuments({ byId, sorted }: RelatedTable, child: LinkChild, ids: readonly unknown[]): readonly Document[] {
  if (sorted) {
    const wanted = new Set(ids);
    return [...byId].flatMap(([id, document]) => (wanted.has(id) ? [document] : []));
  }
  const documents = ids.flatMap((id) => byId.get(id) ?? []);
  return child.reversed ? documents.reverse() : documents;
}

function cut<Item>({ window }: LinkChild, items: readonly Item[]): readonly Item[] {
  if (window === null) return items;
  return items.slice(window.skip, window.limit === null ? undefined : window.skip + window.limit);
}
