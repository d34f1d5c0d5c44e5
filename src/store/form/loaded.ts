import type { Selection } from '#model/query/plan.js';
import { entryVersion } from './entry-version.js';

/** A stored document, or a component within one. The selection that it was loaded with says which values to read. */
export type StoredDocument = Readonly<Record<string, unknown>>;

/**
 * An entry or an embedded component, with everything that its selection populates. Parents that share a related entry share the
 * object.
 */
export interface Loaded {
  readonly selection: Selection;
  readonly document: StoredDocument;
  /**
   * The related entries of each child of the selection, in the same order, followed by those of `selection.locales` unless that
   * is null.
   */
  readonly children: readonly Related[];
  /** The version of an entry that code has changed after it was read; null if code has made it. */
  readonly version?: string | null;
}

/** Returns the version of an entry that was read or written alone; null if it has none. */
export const versionOf = ({ document, version }: Loaded): string | null =>
  version === undefined ? entryVersion(document) : version;

/**
 * The related entries or components in the order of the answer, at most one for a relation to one; only their number if that was
 * asked for.
 */
export type Related = readonly Loaded[] | number;

/** Returns an entry with the other locales that it was loaded with elsewhere, if there are any. */
export function withLocalesOf({ selection: { locales, children }, children: related }: Loaded, entry: Loaded): Loaded {
  const others = related.slice(children.length);
  if (others.length === 0) return entry;
  return { ...entry, selection: { ...entry.selection, locales }, children: [...entry.children, ...others] };
}

/** Returns an entry without its populated relations. */
export const withoutPopulatedRelations = ({ document, selection }: Loaded): Loaded => ({
  document,
  selection: { ...selection, children: [], locales: null },
  children: [],
});
