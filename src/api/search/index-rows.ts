import type { Database } from '#store/send/database.js';
import type { LogPlace } from '#store/stores/change-log.js';
import { ownRows } from '#store/write/own-rows.js';
import { feedCollection, indexCollection } from './declaration.js';

/** An index as it is known to all instances. */
interface KnownIndex {
  readonly name: string;
  /** The `form` of the type that it was made for. */
  readonly form: string;
}

/** An index that is being filled, in the order of ids. */
export interface BuildingIndex extends KnownIndex {
  /** The last id that was sent; null before the index is created. */
  readonly after: number | null;
  readonly begun: Date;
}

/** What is known of the indexes of a collection. */
interface IndexRow {
  /** The collection. */
  readonly _id: string;
  /** The index that is searched; null if there is none yet. */
  readonly index: KnownIndex | null;
  readonly building: BuildingIndex | null;
  /** The names of indexes that are no longer needed, and will be dropped. */
  readonly unused: readonly string[];
  /** Whether a new index was asked for. */
  readonly isWanted: boolean;
}

/** The place in the change log up to which the indexes have everything. */
interface FeedRow extends LogPlace {
  readonly _id: typeof feedId;
  readonly epoch: string;
}

/** The id of the only row. */
const feedId = 'place';

/** Increases with each write of a feeder, so that only one of them can write. */
interface Written {
  readonly writes: number;
}

const rows = ownRows<StoredIndex>(indexCollection);
const places = ownRows<FeedRow & Written>(feedCollection);

export type StoredIndex = IndexRow & Written;

/** All that is known of the indexes. */
export interface IndexState {
  readonly feed: (FeedRow & Written) | null;
  readonly indexes: ReadonlyMap<string, StoredIndex>;
}

/** Returns all rows. The place is read first, so that indexes are never older than it. */
export async function readIndexes(database: Database): Promise<IndexState> {
  const [feed = null] = await places.find(database);
  return { feed, indexes: new Map((await rows.find(database)).map((row) => [row._id, row])) };
}

/** Thrown if another instance has written a row since it was read, so that it feeds the engine now. */
export class FedByOtherError extends Error {
  override readonly message = 'another instance feeds the search engine';
}

/** Stores a row in the place of one that was read; null: there was none. Throws FedByOther. */
async function store<Row extends { readonly _id: string }>(
  own: ReturnType<typeof ownRows<Row & Written>>,
  { database, before }: { readonly database: Database; readonly before: Written | null },
  row: Row,
): Promise<void> {
  const { _id, ...values } = row;
  if (before === null) {
    await own.put(database, { ...row, writes: 1 });
    return;
  }
  const set = { ...values, writes: before.writes + 1 };
  if ((await own.change(database, { _id, writes: before.writes }, { set })) === 0) throw new FedByOtherError();
}

export const storePlace = (
  database: Database,
  before: IndexState['feed'],
  { seq, mark, epoch }: Omit<FeedRow, '_id'>,
): Promise<void> => store(places, { database, before }, { _id: feedId, seq, mark, epoch });

/** Stores changed values of the row of a collection, which is created if there is none. */
export const storeIndex = (
  database: Database,
  before: StoredIndex | string,
  values: Partial<Omit<IndexRow, '_id'>>,
): Promise<void> => {
  if (typeof before === 'string') return store(rows, { database, before: null }, { ...newRow, ...values, _id: before });
  const { _id, index, building, unused, isWanted } = before;
  return store(rows, { database, before }, { _id, index, building, unused, isWanted, ...values });
};

const newRow = { index: null, building: null, unused: [], isWanted: false };

/** Removes the row of a collection that is searched no longer. */
export const removeIndex = (database: Database, { _id, writes }: StoredIndex): Promise<void> =>
  rows.remove(database, { _id, writes });

/** Asks for new indexes of collections that have some. Those in use are searched until the new ones are complete. */
export async function wantIndexes(database: Database, collections: readonly string[]): Promise<void> {
  for (const _id of collections) await rows.change(database, { _id }, { set: { isWanted: true }, increase: { writes: 1 } });
}
