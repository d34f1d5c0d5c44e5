import { BSON, type Document } from 'mongodb';
import type { Position } from '../../query/bound-cursors.js';
import type { Plan } from '../../query/plan.js';
import type { Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { compilePage } from './compile-page.js';
import { positionOf } from './seek.js';
import { pageOf } from './ways/page-of.js';

/** Returns the position that an entry has in a list by cursors; null if there is no entry with this id. */
export async function findPosition(plan: Plan, id: number, database: Database): Promise<Position | null> {
  const page = pageOf({ ...plan, condition: null }, { _id: id }, database);
  const [document] = await readAll(database, compilePage(page));
  return document === undefined ? null : positionOf(document);
}

/** Returns a position as bytes. The types of its values are kept. */
export const encodePosition = ({ values, id }: Position): Uint8Array => BSON.serialize({ i: id, v: values });

/** Returns the position that bytes were made of. */
export function decodePosition(bytes: Uint8Array): Position {
  const { i, v } = BSON.deserialize(bytes, { promoteLongs: false, bsonRegExp: true }) as Document;
  return { id: Number(i), values: v as readonly unknown[] }; // as they were encoded
}
