import type { RelatedTables } from '../mongo/related-tables.js';
import type { BoundPagination, Selection } from '../query/plan.js';

/** A stored document. Front ends read it by the selection that it was loaded with. */
export type StoredDocument = Readonly<Record<string, unknown>>;

/** Entries as they were loaded: the documents, and what their selection populates. */
export interface LoadedEntries {
  readonly selection: Selection;
  readonly documents: readonly StoredDocument[];
  readonly tables: RelatedTables;
}

export interface LoadedPage extends LoadedEntries {
  readonly pagination: BoundPagination;
  /** Null where it was not wanted. */
  readonly total: number | null;
}

export interface LoadedEntry {
  readonly selection: Selection;
  readonly document: StoredDocument;
  readonly tables: RelatedTables;
}
