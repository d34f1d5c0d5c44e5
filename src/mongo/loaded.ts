import type { Document } from 'mongodb';
import { cutWindow } from '../query/apply-list.js';
import type { LinkChild, Selection } from '../query/plan.js';

/** A stored document, or a component within one. It is read by the selection that it was loaded with. */
export type StoredDocument = Readonly<Record<string, unknown>>;

/** An entry or an embedded component, with everything that its selection populates. Parents that share a related entry share the object. */
export interface Loaded {
  readonly selection: Selection;
  readonly document: StoredDocument;
  /** One for each child of the selection, in the same order, and a last one for `selection.locales` unless that is null. */
  readonly children: readonly Related[];
}

/**
 * The related entries or components in the order of the answer, at most one if the child leads to one; their number if only that
 * was asked for.
 */
export type Related = readonly Loaded[] | number;

/** An entry with its own values alone. */
export const withoutPopulated = ({ document, selection }: Loaded): Loaded => ({
  document,
  selection: { ...selection, children: [], locales: null },
  children: [],
});

/** A stored polymorphic link. */
interface MorphLink {
  readonly __type: string;
  readonly id: number;
  /** The place of the entry that holds the link in the list of its target. */
  readonly rank?: number;
}

export const morphLinks = (value: unknown): readonly MorphLink[] => listOf(value) as readonly MorphLink[]; // written in this form

/** The ids of an owning relation: a to-one relation stores one value, a to-many an array. */
export const linkedIds = (holder: Document, name: string): readonly unknown[] => listOf(holder[name]);

const none: readonly unknown[] = [];

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? none : [value];
}

/** The stored ids of an owning relation that have to be read: those in its window if the ids alone decide it, else all. */
export function wantedIds(child: LinkChild, holder: Document): readonly unknown[] {
  const ids = linkedIds(holder, child.link.name);
  return cutsIds(child) ? cutWindow(ids, child.window) : ids;
}

/** Whether the window of an owning relation can be cut from the stored ids, before anything is read. */
const cutsIds = ({ window, condition, sort, reversed }: LinkChild): boolean =>
  window !== null && condition === null && sort.length === 0 && !reversed;

/** Returns the items of the window after reading, unless the window was cut from the ids before. */
export const cutRead = <Item>(child: LinkChild, items: readonly Item[]): readonly Item[] =>
  cutsIds(child) ? items : cutWindow(items, child.window);
