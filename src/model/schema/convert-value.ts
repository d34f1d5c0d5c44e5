import type { ScalarType, ScalarAttribute } from './content-type.js';
import type { AttributeDefinition } from './model.js';
import { toBigInteger, toBoolean, toNumber, scalarTypes } from './scalar-types.js';
import { numberText, parseDate, parseDateTime } from './stored-values.js';

/** The type of an attribute, and the values of an enumeration. */
export interface ConvertedType {
  readonly type: ScalarType;
  readonly enum: readonly string[];
}

/** A converted value in its stored form, or the reason why there is none. */
type Conversion = { readonly value: unknown } | { readonly reason: string };

type Convert = (value: unknown, to: ConvertedType) => Conversion;

const done = (value: unknown): Conversion => ({ value });
const impossible = (reason: string): Conversion => ({ reason });

const converts: Readonly<Partial<Record<ScalarType, Convert>>> = {
  string: toText,
  text: toText,
  richtext: toText,
  enumeration: (value, to) => {
    const text = toText(value);
    if ('reason' in text || to.enum.includes(String(text.value))) return text;
    return impossible(`${shown(text.value)} is not one of ${to.enum.join(', ')}`);
  },
  integer: (value) => {
    const number = numberOf(value);
    if (!Number.isFinite(number)) return impossible(`${shown(value)} is not a number`);
    return Number.isSafeInteger(number) ? done(number) : impossible(`${shown(value)} is not an integer`);
  },
  biginteger: (value) => {
    const integer = toBigInteger(typeof value === 'boolean' ? Number(value) : (numberText(value) ?? value));
    return integer === null ? impossible(`${shown(value)} is not a 64-bit integer`) : done(integer);
  },
  decimal: toFinite,
  float: toFinite,
  boolean: (value) => {
    const flag = toBoolean(typeof value === 'string' ? value.trim() : (numberText(value) ?? value));
    return flag === null ? impossible(`${shown(value)} is neither true nor false`) : done(flag);
  },
  date: (value) => {
    const day = value instanceof Date ? value.toISOString().slice(0, 10) : value;
    return typeof day === 'string' ? parsed(day.trim(), parseDate, 'a date') : impossible(`${shown(value)} is not a date`);
  },
  datetime: (value) => {
    if (value instanceof Date) return done(value);
    return typeof value === 'string' && /^\d{4}-/.test(value.trim())
      ? parsed(value.trim(), parseDateTime, 'a date and time')
      : impossible(`${shown(value)} is not a date and time`);
  },
  json: (value) => {
    if (typeof value !== 'string') return done(value instanceof Date ? value.toISOString() : numberOrSame(value));
    try {
      return done(JSON.parse(value));
    } catch {
      return impossible(`${shown(value)} is not JSON`);
    }
  },
};

/** The types that values can be converted to. */
export const convertible = Object.keys(converts) as readonly ScalarType[]; // its keys

/** Converts a stored value to the stored form of another type. Null stays null. */
export const convertValue = (value: unknown, to: ConvertedType): Conversion =>
  value === null || value === undefined ? done(null) : (converts[to.type] ?? noWay)(value, to);

const noWay: Convert = (_value, { type }) => impossible(`nothing is converted to ${type}`);

function toText(value: unknown): Conversion {
  if (typeof value === 'string') return done(value);
  if (value instanceof Date) return done(value.toISOString());
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return done(String(value));
  return done(numberText(value) ?? JSON.stringify(value));
}

function toFinite(value: unknown): Conversion {
  const number = numberOf(value);
  return Number.isFinite(number) ? done(number) : impossible(`${shown(value)} is not a number`);
}

/** Returns the number in a value; NaN if it is none. */
function numberOf(value: unknown): number {
  if (typeof value === 'boolean') return Number(value);
  const text = numberText(value) ?? value;
  return typeof text === 'string' && !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? NaN : toNumber(text);
}

const numberOrSame = (value: unknown): unknown => (numberText(value) === null ? value : Number(numberText(value)));

function parsed(text: string, parse: (text: string) => unknown, what: string): Conversion {
  try {
    return done(parse(text));
  } catch {
    return impossible(`${shown(text)} is not ${what}`);
  }
}

/** Returns the beginning of a value for messages. */
function shown(value: unknown): string {
  const text = JSON.stringify(numberText(value) ?? value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Keys of definitions that every scalar type has, and those that types of one stored form share. */
const common: ReadonlySet<string> = new Set([
  'required',
  'private',
  'writable',
  'visible',
  'configurable',
  'pluginOptions',
  'index',
  'renamedFrom',
]);

const ofForm: Readonly<Record<string, readonly string[]>> = {
  text: ['minLength', 'maxLength', 'regex', 'searchable'],
  number: ['min', 'max'],
};

/** Returns the definition of an attribute with its new type, without the keys that this type does not have. */
export function convertedDefinition(
  scalar: ScalarAttribute,
  definition: AttributeDefinition,
  to: ConvertedType,
): AttributeDefinition {
  const [from, now] = [scalarTypes[scalar.type], scalarTypes[to.type]];
  const same = from.search === now.search ? (ofForm[now.search] ?? []) : [];
  const isKept = (key: string): boolean => common.has(key) || same.includes(key) || (key === 'unique' && now.uniqueAllowed);
  const entries = Object.entries(definition).filter(([key]) => isKept(key));
  return { type: to.type, ...(to.type === 'enumeration' && { enum: to.enum }), ...Object.fromEntries(entries) };
}
