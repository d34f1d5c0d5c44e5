import { BSON, type Document } from 'mongodb';
import type { Position } from '../../query/bound-cursors.js';

/** Returns a position as bytes. The types of its values are kept. */
export const encodePosition = ({ values, id }: Position): Uint8Array => BSON.serialize({ i: id, v: values });

/** Returns the position that bytes were made of. */
export function decodePosition(bytes: Uint8Array): Position {
  const { i, v } = BSON.deserialize(bytes, { promoteLongs: false, bsonRegExp: true }) as Document;
  return { id: Number(i), values: v as readonly unknown[] }; // as they were encoded
}
