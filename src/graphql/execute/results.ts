import { shapeValues, type Presentation } from '../../content/shape-values.js';
import type { Loaded } from '../../mongo/loaded.js';

/** An entry or component as resolvers see it: its id, the attributes that were loaded, and what was populated under its key. */
export type Row = Readonly<Record<string, unknown>>;

/** The value of every `EntityResponse`. */
export interface EntryResult {
  readonly value: Row | null;
}

/** The value of every list response. */
export interface ListResult {
  readonly nodes: readonly Row[];
  /** Null unless it was asked for. */
  readonly total: number | null;
  readonly start: number;
  /** Null: no limit. */
  readonly limit: number | null;
  /** Counts all entries, for lists that code of an extension gave. */
  readonly count?: () => Promise<number>;
}

export const noEntry: EntryResult = { value: null };

export const entryResult = (entry: Loaded | null): EntryResult => (entry === null ? noEntry : { value: shapeRow(entry) });

/** The row of a loaded entry, with the rows of all that its selection populates. */
export const shapeRow = (entry: Loaded): Row => shapeValues({ id: entry.document['_id'] }, entry, rows);

const rows: Presentation = {
  entry: shapeRow,
  one: (row) => row,
  many: (list) => list,
  count: (count) => ({ count }),
  targets: (list, { many }) => (many ? list : (list[0] ?? null)),
};
