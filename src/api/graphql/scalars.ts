import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { nowWord } from '#model/query/moment.js';
import { isCalendarDay, parseTime } from '#model/schema/stored-values.js';
import type { UploadedFile } from '#media/staging.js';

const rfc3339 =
  'outlined in section 5.6 of the RFC 3339 profile of the ISO 8601 standard for representation of dates and times using the Gregorian calendar.';
const fullDate = /^(\d{4})-(\d{2})-(\d{2})$/;
const dateTime = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** A calendar day in the form `YYYY-MM-DD`. */
export const dateScalar = new GraphQLScalarType({
  name: 'Date',
  description: `A date string, such as 2007-12-03, compliant with the \`full-date\` format ${rfc3339}`,
  serialize: (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : parseDay(value)),
  parseValue: orNow((value) => parseDay(value)),
  parseLiteral: orNowLiteral((node) => parseDay(stringLiteral(node, 'Date'), node)),
});

/** A point in time: input is RFC 3339 with seconds and time zone, output is ISO 8601 with milliseconds and `Z`. */
export const dateTimeScalar = new GraphQLScalarType({
  name: 'DateTime',
  description: `A date-time string at UTC, such as 2007-12-03T10:15:30Z, compliant with the \`date-time\` format ${rfc3339}`,
  serialize: writeInstant,
  parseValue: orNow((value) => parseInstant(value)),
  parseLiteral: orNowLiteral((node) => parseInstant(stringLiteral(node, 'DateTime'), node)),
});

type Parse<Input> = (input: Input) => string;

/** Returns a parser that also takes `$now`, which filters may compare with. Values of entries are checked later. */
function orNow(parse: Parse<unknown>): Parse<unknown> {
  return (value) => (value === nowWord ? nowWord : parse(value));
}

function orNowLiteral(parse: Parse<ValueNode>): Parse<ValueNode> {
  return (node) => (node.kind === Kind.STRING && node.value === nowWord ? nowWord : parse(node));
}

function parseDay(value: unknown, node?: ValueNode): string {
  if (typeof value !== 'string') throw notText('Date', JSON.stringify(value), node);
  if (!isDay(value)) throw scalarError(`Date cannot represent an invalid date-string ${value}.`, node);
  return value;
}

function parseInstant(value: unknown, node?: ValueNode): string {
  if (typeof value !== 'string') throw notText('DateTime', JSON.stringify(value), node);
  const [, day = ''] = dateTime.exec(value) ?? [];
  if (!isDay(day)) throw scalarError(`DateTime cannot represent an invalid date-time-string ${value}.`, node);
  return new Date(value).toISOString();
}

/** Writes a stored point in time: an ISO string, or epoch milliseconds in attributes of type timestamp. */
function writeInstant(value: unknown): string {
  if (typeof value === 'string' && written.test(value)) return value;
  const instant = value instanceof Date ? value : new Date(/^-?\d+$/.test(String(value)) ? Number(value) : String(value));
  if (Number.isNaN(instant.getTime()))
    throw scalarError(`DateTime cannot represent an invalid date-time-string ${String(value)}.`);
  return instant.toISOString();
}

const written = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function isDay(text: string): boolean {
  const [, year, month, day] = fullDate.exec(text) ?? [];
  return isCalendarDay(Number(year), Number(month), Number(day));
}

function stringLiteral(node: ValueNode, scalar: string): string {
  if (node.kind !== Kind.STRING) throw notText(scalar, 'value' in node ? String(node.value) : 'undefined', node);
  return node.value;
}

const notText = (scalar: string, value: string, node?: ValueNode): GraphQLError =>
  scalarError(`${scalar} cannot represent non string or Date type ${value}`, node);

const scalarError = (message: string, node?: ValueNode): GraphQLError =>
  new GraphQLError(message, node === undefined ? {} : { nodes: node });

/** A time of day, `HH:mm:ss.SSS`. */
export const timeScalar = new GraphQLScalarType({
  name: 'Time',
  description: 'A time string with format HH:mm:ss.SSS',
  serialize: (value) => parseTime(value),
  parseValue: orNow(parseTime),
  parseLiteral: orNowLiteral((node) => {
    if (node.kind !== Kind.STRING) throw new TypeError('Time cannot represent non string type');
    return parseTime(node.value);
  }),
});

/** A 64-bit integer: a JSON number if that is exact, otherwise a string of digits. */
export const longScalar = new GraphQLScalarType({
  name: 'Long',
  description: 'The `BigInt` scalar type represents non-fractional signed whole numeric values.',
  serialize: exactInteger,
  parseValue: exactInteger,
  parseLiteral: (node) => exactInteger(literalText(node)),
});

function exactInteger(value: unknown): number | string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  // BigInt throws the message of Strapi v4
  const integer = BigInt(typeof value === 'number' || typeof value === 'bigint' ? value : String(value));
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer.toString();
}

const literalText = (node: ValueNode): unknown =>
  node.kind === Kind.INT || node.kind === Kind.FLOAT || node.kind === Kind.STRING ? node.value : node.kind;

const standard = 'http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf';

/** Any JSON value, unchanged. */
export const jsonScalar = new GraphQLScalarType({
  name: 'JSON',
  description: `The \`JSON\` scalar type represents JSON values as specified by [ECMA-404](${standard}).`,
  specifiedByURL: standard,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
});

const notCode = (): TypeError => new TypeError('Locale cannot represent non string type');

/** A locale argument. The code is checked if it is literal in the query; of a variable only that it is a text. */
export const localeCodeScalar = new GraphQLScalarType({
  name: 'I18NLocaleCode',
  description: 'A string used to identify an i18n locale',
  parseValue: (value) => {
    if (typeof value !== 'string') throw notCode();
    return value;
  },
  parseLiteral: (node) => {
    if (node.kind !== Kind.STRING) throw notCode();
    if (node.value !== 'all' && !isLocaleCode(node.value)) throw new TypeError('Unknown locale supplied');
    return node.value;
  },
});

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Returns whether the locale data of Node contain the language, and the region if there is one. */
function isLocaleCode(code: string): boolean {
  if (!/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(code)) return false;
  const [known] = Intl.NumberFormat.supportedLocalesOf([code]);
  const region = new Intl.Locale(code).region;
  return known !== undefined && (region === undefined || regions.of(region) !== undefined);
}

const files = new WeakSet<object>();

/** Marks a value of the multipart reader as a file, so that values of JSON bodies are not accepted as files. */
export function asUpload(file: UploadedFile): UploadedFile {
  files.add(file);
  return file;
}

const invalid = (): GraphQLError => new GraphQLError('Upload value invalid.');

/** A file of a multipart request. Accepted only in variables, and never an output. */
export const uploadScalar = new GraphQLScalarType({
  name: 'Upload',
  description: 'The `Upload` scalar type represents a file upload.',
  serialize: () => {
    throw new GraphQLError('Upload serialization unsupported.');
  },
  parseValue: (value) => {
    if (typeof value !== 'object' || value === null || !files.has(value)) throw invalid();
    return value;
  },
  parseLiteral: (node) => {
    throw new GraphQLError('Upload literal unsupported.', { nodes: node });
  },
});
