import type { Selection } from '../query/plan.js';

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

/** An entry with nothing populated. */
export const withoutPopulated = ({ document, selection }: Loaded): Loaded => ({
  document,
  selection: { ...selection, children: [], locales: null },
  children: [],
});
