import type { Document } from 'mongodb';
import { isPlainObject, mapValues, type Values } from '#base/values.js';
import type { Match } from '../form/matches.js';
import { inWriteTime } from '../send/calls.js';
import { translating } from '../send/driver-errors.js';
import { commentIn, type Database, inScope as inTransaction } from '../send/database.js';
import { countMatching, findStored, type FindOptions } from '../stored.js';
import { type Change, compileChange } from './compile-change.js';

interface How {
  /** No request waits for the call, so that it has no time limit. */
  readonly isLong?: boolean;
}

interface HowToChange extends How {
  /** Creates a row with the values of the match if there is none. Otherwise one row is changed. */
  readonly creates?: boolean;
}

/** The documents of an own collection. Each call sends one command, in the transaction of the database if there is one. */
interface OwnRows<Row> {
  /** Returns rows; in no order unless one is wanted. Of some `fields`, the others are absent. */
  find(database: Database, options?: FindOptions): Promise<readonly Row[]>;
  count(database: Database, match?: Match): Promise<number>;
  /** Inserts a row, and returns its `_id`. Throws DuplicateKey if a unique index refuses it. */
  put(database: Database, row: Row): Promise<unknown>;
  /** Changes the rows of a match, and returns how many there were. */
  change(database: Database, match: Match, change: Change, how?: HowToChange): Promise<number>;
  /** Changes one row of each match, in any order; with `creates` it creates those that there are not. */
  changeEach(database: Database, changes: readonly (readonly [Match, Change])[], how?: HowToChange): Promise<void>;
  /** Sets values of a row that are null or absent. Returns the row as it was before; null if there is none. */
  fill(database: Database, match: Match, values: Values): Promise<Row | null>;
  /** Deletes a row of a match, and returns it; null if there is none. */
  take(database: Database, match: Match): Promise<Row | null>;
  /** Deletes the rows of a match. */
  remove(database: Database, match: Match, how?: How): Promise<void>;
}

/**
 * Returns access to a collection that a feature declares in `collections`. `isApart`: commands are not part of the transaction, which
 * runs again nevertheless if their connection breaks.
 */
export function ownRows<Row extends object>(name: string, { isApart = false } = {}): OwnRows<Row> {
  const inScope = isApart ? commentIn : inTransaction;
  const rowsIn = ({ db }: Database) => db.collection(name);
  const readable = (database: Database): Database => (isApart ? { ...database, session: null } : database);
  return {
    find: async (database, options) => (await findStored(readable(database), name, options)) as unknown as readonly Row[], // stored in this form
    count: (database, match = {}) => countMatching(readable(database), name, match),
    put: async (database, row) => {
      const document: Document = { ...row };
      return (await inWriteTime(database, () => rowsIn(database).insertOne(document, inScope(database)))).insertedId;
    },
    change: async (database, match, change, how = {}) => {
      const update = compileChange(change);
      const { matchedCount } = await written(database, how, () => {
        if (how.creates === true) return rowsIn(database).updateOne(match, update, { upsert: true, ...inScope(database) });
        return rowsIn(database)[isOfOne(match) ? 'updateOne' : 'updateMany'](match, update, inScope(database));
      });
      return matchedCount;
    },
    changeEach: async (database, changes, { creates: upsert = false } = {}) => {
      const operations = changes.map(([filter, change]) => ({ updateOne: { filter, update: compileChange(change), upsert } }));
      await inWriteTime(database, () => rowsIn(database).bulkWrite(operations, { ordered: false, ...inScope(database) }));
    },
    fill: async (database, match, values) => {
      const $set = mapValues(values, (value, field) => ({ $ifNull: [`$${field}`, { $literal: value }] }));
      const options = { returnDocument: 'before', ...inScope(database) } as const;
      return (await inWriteTime(database, () => rowsIn(database).findOneAndUpdate(match, [{ $set }], options))) as Row | null; // as above
    },
    take: async (database, match) =>
      (await inWriteTime(database, () => rowsIn(database).findOneAndDelete(match, inScope(database)))) as Row | null, // as above
    remove: async (database, match, how = {}) => {
      const remove = isOfOne(match) ? 'deleteOne' : 'deleteMany';
      await written(database, how, () => rowsIn(database)[remove](match, inScope(database)));
    },
  };
}

/** Returns whether a match names the id of a row. The driver repeats a write of one row if its reply is lost. */
const isOfOne = ({ _id }: Match): boolean => _id !== undefined && !isPlainObject(_id);

const written = <Result>(database: Database, { isLong = false }: How, write: () => Promise<Result>): Promise<Result> =>
  isLong ? translating(write, database.session) : inWriteTime(database, write);
