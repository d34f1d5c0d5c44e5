import type { Document } from 'mongodb';
import type { Match } from '../form/matches.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
import { countMatching, findStored, type Wanted } from '../stored.js';
import { type Change, compileChange } from './compile-change.js';

/** The documents of an own collection. Each call sends one command, in the transaction of the database if there is one. */
interface OwnRows<Row> {
  /** Returns rows; in no order unless one is wanted. Of some `fields`, the others are absent. */
  find(database: Database, wanted?: Wanted): Promise<readonly Row[]>;
  count(database: Database, match?: Match): Promise<number>;
  /** Inserts a row. Throws DuplicateKey if a unique index refuses it. */
  put(database: Database, row: Row): Promise<void>;
  /** Changes all rows of a match; with `creates` one of them, or else a new row with the values of the match. */
  change(database: Database, match: Match, change: Change, how?: { readonly creates: boolean }): Promise<void>;
  /** Deletes a row of a match, and returns it; null if there is none. */
  take(database: Database, match: Match): Promise<Row | null>;
  /** Deletes the rows of a match. */
  remove(database: Database, match: Match): Promise<void>;
}

/** Returns access to a collection that a feature declares in `collections`. */
export function ownRows<Row extends object>(name: string): OwnRows<Row> {
  const rowsIn = ({ db }: Database) => db.collection(name);
  return {
    find: async (database, wanted) => (await findStored(database, name, wanted)) as unknown as readonly Row[], // stored in this form
    count: (database, match = {}) => countMatching(database, name, match),
    put: async (database, row) => {
      const document: Document = { ...row };
      await inWriteTime(database, () => rowsIn(database).insertOne(document, inScope(database)));
    },
    change: async (database, match, change, { creates = false } = { creates: false }) => {
      const update = compileChange(change);
      await inWriteTime(database, async () => {
        if (creates) await rowsIn(database).updateOne(match, update, { upsert: true, ...inScope(database) });
        else await rowsIn(database).updateMany(match, update, inScope(database));
      });
    },
    take: async (database, match) =>
      (await inWriteTime(database, () => rowsIn(database).findOneAndDelete(match, inScope(database)))) as Row | null, // as above
    remove: async (database, match) => {
      await inWriteTime(database, () => rowsIn(database).deleteMany(match, inScope(database)));
    },
  };
}
