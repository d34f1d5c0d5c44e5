import type { Document } from 'mongodb';
import { firstWithText, jsonEscapes, jsonLevels, lastWithText } from '#model/query/stored-text.js';
import type { Stored } from '#model/schema/scalar-types.js';

/** The stored forms of values that are not stored as text. */
type CastStored = Exclude<Stored, 'text'>;

/** Compiles `storedText` to an expression. It fails for values without a text, which `compileHasText` excludes. */
export function compileText(path: string, stored: CastStored): Document {
  if (stored === 'json') return jsonText(path, jsonLevels);
  return stored === 'number' || stored === 'link' ? numberText(path) : { $toString: path };
}

/** Compiles whether `storedText` is not null. Comparisons in expressions never fail: BSON orders values of all types. */
export const compileHasText = (path: string, stored: CastStored): Document => ({ $and: ranges[stored](path) });

/** Neither null nor NaN nor infinite, which all are less or greater than these. */
const finite = (path: string): Document[] => [{ $gte: [path, -Number.MAX_VALUE] }, { $lte: [path, Number.MAX_VALUE] }];

/** The values that have a text, by stored form. */
const ranges: Readonly<Record<CastStored, (path: string) => Document[]>> = {
  number: finite,
  link: finite,
  date: (path) => [{ $gte: [path, firstWithText] }, { $lte: [path, lastWithText] }],
  boolean: (path) => [{ $gte: [path, false] }, { $lte: [path, true] }],
  json: (path) => [{ $gt: [path, null] }],
  point: () => [{ $literal: false }], // no operator compares it
};

function jsonText(value: string, levels: number): Document {
  if (levels === 0) return { $literal: '' };
  const text = { $concat: [keyText('$$entry.k'), jsonText('$$entry.v', levels - 1)] };
  const inner = joined({ $map: { input: entriesOf('$$value'), as: 'entry', in: text } });
  const branches = [
    { case: { $isArray: '$$value' }, then: { $concat: ['[', '$$inner', ']'] } },
    { case: isObject('$$value'), then: { $concat: ['{', '$$inner', '}'] } },
    { case: { $lte: ['$$value', null] }, then: 'null' },
    { case: { $and: finite('$$value') }, then: numberText('$$value') },
    { case: { $eq: [{ $type: '$$value' }, 'bool'] }, then: { $toString: '$$value' } },
    { case: { $in: [{ $type: '$$value' }, ['string', 'objectId']] }, then: quoted({ $toString: '$$value' }) },
    { case: { $and: ranges.date('$$value') }, then: quoted({ $toString: '$$value' }) },
  ];
  const shown = { $switch: { branches, default: 'null' } };
  return { $let: { vars: { value }, in: { $let: { vars: { inner }, in: shown } } } };
}

const isObject = (value: string): Document => ({ $eq: [{ $type: value }, 'object'] });

/** Returns an expression for the items of a list, or the keys and values of an object; empty for a scalar. */
const entriesOf = (value: string): Document => ({
  $switch: {
    branches: [
      { case: { $isArray: value }, then: { $map: { input: value, in: { v: '$$this' } } } },
      { case: isObject(value), then: { $objectToArray: value } },
    ],
    default: [],
  },
});

/** Returns an expression for the text of a key; empty for an item of a list, which has no key. */
const keyText = (key: string): Document => ({ $ifNull: [{ $concat: [quoted(key), ':'] }, ''] });

const joined = (texts: Document): Document => ({
  $reduce: {
    input: texts,
    initialValue: '',
    in: { $concat: ['$$value', { $cond: [{ $eq: ['$$value', ''] }, '', ','] }, '$$this'] },
  },
});

const quoted = (text: unknown): Document => ({
  $concat: ['"', jsonEscapes.reduce((input, [find, replacement]) => ({ $replaceAll: { input, find, replacement } }), text), '"'],
});

/**
 * Returns an expression for the text that JavaScript has for a number. The text of the server differs for doubles: it has a minus
 * before zero, exponents from 1e16 on (JavaScript: from 1e21) and below 1e-4 (JavaScript: below 1e-6), and two digits in each
 * exponent.
 */
const numberText = (number: string): Document => ({
  $let: {
    vars: { number, size: { $abs: number }, text: { $toString: number } },
    in: {
      $switch: {
        branches: [
          { case: { $eq: ['$$number', 0] }, then: '0' },
          { case: { $ne: [{ $type: '$$number' }, 'double'] }, then: { $cond: [isDecimal, { $toString: asDouble }, '$$text'] } },
          { case: { $gte: ['$$size', 1e21] }, then: '$$text' },
          { case: { $gte: ['$$size', 1e16] }, then: longText },
          { case: { $and: [{ $lt: ['$$size', 9e15] }, { $eq: ['$$number', { $trunc: '$$number' }] }] }, then: wholeText },
          { case: { $gte: ['$$size', 1e-4] }, then: '$$text' },
          { case: { $gte: ['$$size', 1e-6] }, then: shortText },
        ],
        default: { $replaceAll: { input: '$$text', find: 'e-0', replacement: 'e-' } },
      },
    },
  },
});

const isDecimal: Document = { $eq: [{ $type: '$$number' }, 'decimal'] };
const asDouble: Document = { $convert: { input: '$$number', to: 'double', onError: 0 } };

/** The text of a whole number without a fraction, which some servers add. */
const wholeText: Document = { $toString: { $toLong: '$$number' } };

const sign: Document = { $cond: [{ $lt: ['$$number', 0] }, '-', ''] };

/** The digits of a text with an exponent: `15` for `-1.5e+17`. */
const digits: Document = {
  $reduce: {
    input: ['-', '.'],
    initialValue: { $arrayElemAt: [{ $split: ['$$text', 'e'] }, 0] },
    in: { $replaceAll: { input: '$$value', find: '$$this', replacement: '' } },
  },
};

const exponent: Document = { $toInt: { $arrayElemAt: [{ $split: ['$$text', 'e'] }, 1] } };

/** The text without an exponent: `-150000000000000000` for `-1.5e+17`. */
const longText: Document = {
  $let: {
    vars: { digits, exponent },
    in: {
      $concat: [
        sign,
        '$$digits',
        { $substrBytes: ['0'.repeat(21), 0, { $subtract: [{ $add: ['$$exponent', 1] }, { $strLenBytes: '$$digits' }] }] },
      ],
    },
  },
};

/** The text without an exponent: `-0.000015` for `-1.5e-05`. */
const shortText: Document = {
  $concat: [sign, '0.', { $substrBytes: ['0'.repeat(6), 0, { $subtract: [{ $abs: exponent }, 1] }] }, digits],
};
