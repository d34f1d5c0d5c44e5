/** An entry or component as resolvers see it: its id, the attributes that were loaded, and what was populated under its key. */
export type Row = Readonly<Record<string, unknown>>;

/** The value of every `EntityResponse`. */
export interface LoadedOne {
  readonly value: Row | null;
}

/** The value of every list response. */
export interface LoadedList {
  readonly nodes: readonly Row[];
  /** Null unless it was asked for. */
  readonly total: number | null;
  readonly start: number;
  /** Null: no limit. */
  readonly limit: number | null;
  /** Counts all entries, for lists that code of an extension gave. */
  readonly count?: () => Promise<number>;
}

export const nothing: LoadedOne = { value: null };
