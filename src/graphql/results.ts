import { createShaper, type Presentation } from '../content/shape-values.js';
import type { ApiError } from '../errors.js';
import type { Loaded } from '../mongo/loaded.js';
import { unlimited } from '../query/budget.js';
import type { GraphqlContext } from './graphql-context.js';

/** An entry or component as resolvers see it: its id, its loaded attributes, and populated values by key. */
export type Row = Readonly<Record<string, unknown>>;

/** The value of every `EntityResponse`. */
export interface EntryResult {
  readonly value: Row | null;
  /** Thrown by the `data` field, which alone is null then. */
  readonly failure?: ApiError;
}

/** The value of every list response. */
export interface ListResult {
  readonly nodes: readonly Row[];
  /** Null unless it was asked for. */
  readonly total: number | null;
  readonly start: number;
  /** Null: no limit. */
  readonly limit: number | null;
  /** Counts all entries, for lists that code of an extension returned. */
  readonly count?: () => Promise<number>;
}

export const noEntry: EntryResult = { value: null };

/** Shapes a loaded entry. */
export const entryResult = (entry: Loaded | null, context: GraphqlContext): EntryResult =>
  entry === null ? noEntry : { value: createRowShaper(context)(entry) };

/** Shapes loaded entries as rows, with the rows of all that their selection populates. */
export const createRowShaper = ({ content }: GraphqlContext): ((entry: Loaded) => Row) => createShaper(rows, content.bind.budget);

/** The same for code of an extension, without a budget. */
export const shapeForCode = (entry: Loaded): Row => createShaper(rows, unlimited)(entry);

/** Code of an extension may change a row, so each place of the answer has its own. */
const rows: Presentation<Row> = {
  start: ({ document }) => ({ id: document['_id'] }),
  entry: (_entry, values) => values,
  one: (row) => row,
  many: (list) => list,
  count: (count) => ({ count }),
  targets: (list, { many }) => (many ? list : (list[0] ?? null)),
  isAnswer: false,
};

/*
 * The resolvers of the types that wrap rows. Types outlive the schema that they were made for (types/type-store.ts), so these keep
 * no reference to it.
 */
export const rowOf = (row: Row): Row => row;
export function entityOf({ value, failure }: EntryResult): Row | null {
  if (failure !== undefined) throw failure;
  return value;
}
export const entitiesOf = ({ nodes }: ListResult): readonly Row[] => nodes;
export const metaOf = (list: ListResult): ListResult => list;

/** Related entries and components that code of an extension has read by a query of its own. */
const loadedByExtension = new WeakSet<object>();

/** Marks a value that no plan of an operation has read, so that its fields are read on demand. */
export function markLoadedByExtension(value: unknown): void {
  if (typeof value === 'object' && value !== null) loadedByExtension.add(value);
}

export const isLoadedByExtension = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && loadedByExtension.has(value);

interface Page {
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly pageCount: number;
}

/** Returns the pagination of a list; a promise if the total still has to be counted. */
export function pageOfList(list: ListResult): Page | Promise<Page> {
  return list.total === null && list.count !== undefined
    ? list.count().then((total) => pageOf({ ...list, total }))
    : pageOf(list);
}

/** Returns the pagination of a list from the offset it was read with. */
function pageOf({ nodes, total, start, limit }: ListResult): Page {
  const counted = total ?? nodes.length;
  const pageSize = limit ?? Math.max(counted - start, 0);
  if (pageSize === 0) return { total: counted, page: 1, pageSize, pageCount: 0 };
  const page = limit === null ? 1 : Math.min(Math.floor(start / limit) + 1, largestInt);
  return { total: counted, page, pageSize, pageCount: limit === null ? 1 : Math.ceil(counted / limit) };
}

/** The largest value of GraphQL's Int. */
const largestInt = 2 ** 31 - 1;
