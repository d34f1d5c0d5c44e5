import type { Document } from 'mongodb';
import type { Stored } from '../schema/scalar-types.js';

/**
 * "Not null" for each stored form, as one index range from its least value on: a count can do it without fetching (a `$ne: null`
 * has two ranges and costs twice as much), and a partial index on it serves equality, which one on `$type` does not.
 */
export const notNull: Readonly<Record<Stored, Document>> = {
  text: { $gte: '' },
  number: { $gte: -Infinity },
  link: { $gte: -Infinity },
  date: { $gte: new Date(-8.64e15) },
  boolean: { $gte: false },
  json: { $ne: null },
};
