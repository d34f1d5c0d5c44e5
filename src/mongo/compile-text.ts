import type { Document } from 'mongodb';
import type { Stored } from '../schema/scalar-types.js';

/** Levels of objects and lists that the text of JSON shows; BSON, in which the expression is sent, has 180 levels at most. */
const jsonLevels = 12;

/** An expression for the text of a stored value that is not null: JSON for JSON, else what the answer shows. */
export const compileText = (path: string, stored: Stored): Document =>
  stored === 'json' ? jsonText(path, jsonLevels) : { $toString: path };

/** `JSON.stringify` as an expression. Values below the last level are left out. */
function jsonText(value: string, levels: number): Document {
  if (levels === 0) return { $literal: '' };
  const text = { $concat: [keyText('$$entry.k'), jsonText('$$entry.v', levels - 1)] };
  const inner = joined({ $map: { input: entriesOf('$$value'), as: 'entry', in: text } });
  const branches = [
    { case: { $isArray: '$$value' }, then: { $concat: ['[', '$$inner', ']'] } },
    { case: isObject('$$value'), then: { $concat: ['{', '$$inner', '}'] } },
    { case: { $lte: ['$$value', null] }, then: 'null' },
    { case: { $isNumber: '$$value' }, then: numberText('$$value') },
    { case: { $eq: [{ $type: '$$value' }, 'bool'] }, then: { $toString: '$$value' } },
  ];
  const shown = { $switch: { branches, default: quoted({ $toString: '$$value' }) } };
  return { $let: { vars: { value }, in: { $let: { vars: { inner }, in: shown } } } };
}

const isObject = (value: string): Document => ({ $eq: [{ $type: value }, 'object'] });

/** The items of a list, the keys and values of an object; nothing for a scalar. */
const entriesOf = (value: string): Document => ({
  $switch: {
    branches: [
      { case: { $isArray: value }, then: { $map: { input: value, in: { v: '$$this' } } } },
      { case: isObject(value), then: { $objectToArray: value } },
    ],
    default: [],
  },
});

/** Nothing for an item of a list, which has no key. */
const keyText = (key: string): Document => ({ $ifNull: [{ $concat: [quoted(key), ':'] }, ''] });

const joined = (texts: Document): Document => ({
  $reduce: {
    input: texts,
    initialValue: '',
    in: { $concat: ['$$value', { $cond: [{ $eq: ['$$value', ''] }, '', ','] }, '$$this'] },
  },
});

/** The backslash comes first, so that it does not escape the others' own. */
const escapes = [
  ['\\', '\\\\'],
  ['"', '\\"'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\b', '\\b'],
  ['\f', '\\f'],
] as const;

const quoted = (text: unknown): Document => ({
  $concat: ['"', escapes.reduce((input, [find, replacement]) => ({ $replaceAll: { input, find, replacement } }), text), '"'],
});

/** Whole numbers are stored as doubles, whose text would have an exponent. */
const numberText = (value: string): Document => ({
  $cond: [
    { $and: [{ $eq: [value, { $trunc: value }] }, { $lt: [{ $abs: value }, 9e15] }] },
    { $toString: { $toLong: value } },
    { $toString: value },
  ],
});
