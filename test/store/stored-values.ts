import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, MaxKey, ObjectId, Timestamp } from 'mongodb';

interface Stored {
  readonly what: string;
  readonly value: unknown;
  /** What attributes of these types read; all others read null. */
  readonly reads: Readonly<Record<string, unknown>>;
}

const text = (value: string) => ({ string: value, enumeration: value, uid: value, json: value });
const number = (value: number) => ({ float: value, json: value });
const integer = (value: number) => ({ integer: value, biginteger: String(value), ...number(value) });
export const noon = '2024-02-29T12:00:00.000Z';

/** Values of every BSON type, as other programs may store them. */
export const stored: readonly Stored[] = [
  { what: 'text', value: '12b', reads: text('12b') },
  { what: 'digits', value: '12', reads: text('12') },
  { what: 'text of a day', value: '2024-02-29', reads: { ...text('2024-02-29'), date: '2024-02-29' } },
  { what: 'text of no day', value: '2023-02-29', reads: text('2023-02-29') },
  { what: 'text of a time', value: '12:00:00', reads: { ...text('12:00:00'), time: '12:00:00' } },
  { what: 'decimal 12', value: Decimal128.fromString('12'), reads: integer(12) },
  { what: 'decimal 12.0', value: Decimal128.fromString('12.0'), reads: integer(12) },
  { what: 'decimal 1.5', value: Decimal128.fromString('1.5'), reads: number(1.5) },
  { what: 'decimal 0.1', value: Decimal128.fromString('0.1'), reads: number(0.1) },
  { what: 'double 0.1', value: 0.1, reads: number(0.1) },
  {
    what: 'decimal of more digits than a double',
    value: Decimal128.fromString('0.3333333333333333333333333333333333'),
    reads: number(1 / 3),
  },
  { what: 'decimal NaN', value: Decimal128.fromString('NaN'), reads: {} },
  { what: 'decimal beyond doubles', value: Decimal128.fromString('1E+400'), reads: {} },
  { what: 'long 12', value: Long.fromNumber(12), reads: integer(12) },
  {
    what: 'long without a double',
    value: Long.fromString('9007199254740993'),
    reads: { biginteger: '9007199254740993', ...number(9007199254740992) },
  },
  { what: 'int 12', value: new Int32(12), reads: integer(12) },
  { what: 'double 12', value: new Double(12), reads: integer(12) },
  { what: 'double 1.5', value: 1.5, reads: number(1.5) },
  { what: 'NaN', value: NaN, reads: {} },
  { what: 'Infinity', value: Infinity, reads: {} },
  { what: 'date', value: new Date(noon), reads: { datetime: noon, timestamp: String(Date.parse(noon)), json: noon } },
  { what: 'null', value: null, reads: {} },
  { what: 'list', value: ['12', 13, null], reads: { json: ['12', 13, null], blocks: ['12', 13, null] } },
  { what: 'lists in a list', value: [[1], [null]], reads: { json: [[1], [null]], blocks: [[1], [null]] } },
  {
    what: 'object',
    value: { a: Decimal128.fromString('2'), b: { c: NaN, d: [new Binary(Buffer.from('1'))] } },
    reads: { json: { a: 2, b: { c: null, d: [null] } } },
  },
  { what: 'binary', value: new Binary(Buffer.from('12')), reads: {} },
  { what: 'object id', value: new ObjectId('65f000000000000000000001'), reads: { json: '65f000000000000000000001' } },
  { what: 'boolean', value: true, reads: { boolean: true, json: true } },
  { what: 'regular expression', value: new BSONRegExp('a', 'i'), reads: {} },
  { what: 'timestamp', value: new Timestamp({ t: 1, i: 2 }), reads: {} },
  { what: 'greatest key', value: new MaxKey(), reads: {} },
];
