import type { Document } from 'mongodb';
import type { Stored } from '../schema/scalar-types.js';

const jsonTypes = ['string', 'number', 'bool', 'object', 'array'];

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
  json: { $type: jsonTypes },
};

/** "Null" for each stored form. A list of JSON that holds null is not null, though it would match `{ $eq: null }`. */
export const isNull: Readonly<Record<Stored, Document>> = {
  text: { $eq: null },
  number: { $eq: null },
  link: { $eq: null },
  date: { $eq: null },
  boolean: { $eq: null },
  json: { $not: { $type: jsonTypes } },
};
