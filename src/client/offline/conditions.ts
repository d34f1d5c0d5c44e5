import type { Schema } from './overlay.js';
import type { Entry } from './queued-write.js';

/** A truth value of SQL: null if a null was compared. */
type Truth = boolean | null;

type Filter = Readonly<Record<string, unknown>>;
type Kinds = Schema[string];

const not = (truth: Truth): Truth => (truth === null ? null : !truth);
const both = (truths: readonly Truth[]): Truth => (truths.includes(false) ? false : truths.includes(null) ? null : true);

/** Dates and times in answers. */
const time = /^\d{4}-\d\d-\d\dT/;

/** Returns a value that can be compared with another one. Operands of the API may be texts, so the value says what is compared. */
function alike(value: unknown, operand: unknown): readonly [unknown, unknown] {
  if (operand instanceof Date) return alike(value, operand.toISOString());
  if (typeof value === 'string' && typeof operand === 'string' && time.test(value)) {
    const moment = Date.parse(operand);
    return Number.isNaN(moment) ? [value, operand] : [Date.parse(value), moment];
  }
  if (typeof value === typeof operand) return [value, operand];
  if (typeof value === 'boolean') return [value, !noes.includes(operand)];
  return typeof value === 'number' || (typeof operand === 'number' && value !== '' && !Number.isNaN(Number(value)))
    ? [Number(value), Number(operand)]
    : [value, String(operand)];
}

/** Returns the order of two values that are not null, texts by their code points. */
function order(value: unknown, operand: unknown): number {
  const [one, other] = alike(value, operand);
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) - Number(other);
  const [left, right] = [one, other].map(sortable) as [string, string];
  return left < right ? -1 : Number(left > right);
}

/** Returns a text whose units have the order of its characters: surrogates stand for characters behind all others. */
const sortable = (text: string): string => text.replace(/[\ud800-\udfff]/g, '\uffff$&');

type Test = (value: unknown, operand: unknown) => boolean;

const equals: Test = (value, operand) => order(value, operand) === 0;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Comparisons of a value, neither of which is null. */
const values: Readonly<Record<string, Test>> = {
  eq: equals,
  lt: (value, operand) => order(value, operand) < 0,
  lte: (value, operand) => order(value, operand) <= 0,
  gt: (value, operand) => order(value, operand) > 0,
  gte: (value, operand) => order(value, operand) >= 0,
  in: (value, list) => listOf(list).some((item) => item !== null && equals(value, item)),
  between: (value, list) => order(value, listOf(list)[0]) >= 0 && order(value, listOf(list)[1]) <= 0,
};

/** Comparisons of a text. */
const texts: Readonly<Record<string, (value: string, operand: string) => boolean>> = {
  eq: (value, operand) => value === operand,
  contains: (value, operand) => value.includes(operand),
  startsWith: (value, operand) => value.startsWith(operand),
  endsWith: (value, operand) => value.endsWith(operand),
};

const noes: readonly unknown[] = [false, 'false', 0, '0', 'f', 'F'];

/** Returns whether a value meets an operator, with the meaning that it has in lists of the service; undefined for other operators. */
function test(key: string, value: unknown, operand: unknown): Truth | undefined {
  const [, denial, rest = '', insensitive] = /^\$(n(?=ei?$)|not)?(.+?)(i?)$/.exec(key) ?? [];
  const name = rest.replace(/^(?:[A-Z]|e$)/, (letter) => (letter === 'e' ? 'eq' : letter.toLowerCase()));
  const isDenied = !!denial;
  if (name === 'null' || (name === 'eq' && operand === null)) return ((value === null) !== noes.includes(operand)) !== isDenied;
  const compare = values[name];
  const compareText = texts[name];
  if (insensitive === '' && compare !== undefined) return value === null ? null : compare(value, operand) !== isDenied;
  if (!compareText) return undefined;
  if (value === null || operand === null) return null;
  const [text, other] = [value, operand].map((one) => {
    const written = typeof one === 'object' ? JSON.stringify(one) : String(one);
    return insensitive ? written.toLowerCase() : written;
  }) as [string, string];
  return compareText(text, other) !== isDenied;
}

/** Throws an error: of related entries a copy has only ids, and it has no lists to quantify, no places, and no other attributes. */
function unknown(name: string): never {
  throw new Error(`${name} is not in the copy`);
}

/** Returns whether an entry meets a filter. Throws an error if the copy does not tell. */
export const meetsFilter = (entry: Entry, filter: object, kinds: Kinds): boolean =>
  meetsAll(entry, filter as Filter, kinds, false);

const meetsAll = (entry: Entry, filter: Filter, kinds: Kinds, denied: boolean): boolean =>
  hold(
    Object.entries(filter).filter(([, value]) => value !== undefined),
    (part) => meetsOne(entry, part, kinds, denied),
    denied,
  );

/** Returns whether a test is met by all parts, or by any. */
const hold = <Part>(parts: readonly Part[], meetsPart: (part: Part) => boolean, any: boolean): boolean =>
  any ? parts.some(meetsPart) : parts.every(meetsPart);

function meetsOne(entry: Entry, [name, value]: readonly [string, unknown], kinds: Kinds, denied: boolean): boolean {
  if (name === '$not') return meetsAll(entry, value as Filter, kinds, !denied);
  if (name === '$and' || name === '$or')
    return hold(listOf(value), (part) => meetsAll(entry, part as Filter, kinds, denied), (name === '$and') === denied);
  const kind = name === 'id' ? 'scalar' : kinds[name];
  if (kind === undefined && !(name in entry)) return unknown(name);
  const held = entry[name] ?? null;
  const isLink = kind === 'one' || kind === 'many';
  const values = isLink && listOf(held).length > 0 ? listOf(held) : [isLink ? null : held];
  const operand = isLink ? ofId(name, value) : value;
  return values.some((one) => (denied ? not(tests(one, operand, name)) : tests(one, operand, name)) === true);
}

/** Returns what must hold for an id of a relation. */
function ofId(name: string, filter: unknown): unknown {
  if (!isPlain(filter)) return filter;
  const other = Object.keys(filter).find((key) => !key.startsWith('$') && key !== 'id');
  if (other !== undefined) return unknown(`${name}.${other}`);
  const { id, ...more } = filter;
  if (id === undefined) return more;
  return { all: [id, more] };
}

/** Returns whether all operators under an attribute hold. */
function tests(value: unknown, filter: unknown, name: string): Truth {
  if (!isPlain(filter)) return test(Array.isArray(filter) ? '$in' : '$eq', value, filter) ?? null;
  return both(
    Object.entries(filter).map(([key, operand]) => {
      if (key === '$not') return not(tests(value, operand, name));
      if (key === 'all') return both((operand as readonly unknown[]).map((part) => tests(value, part, name)));
      const truth = test(key, value, operand);
      return truth === undefined ? unknown(`${name}.${key}`) : truth;
    }),
  );
}

const isPlain = (value: unknown): value is Filter =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value);

/** Paths to sort by: `title`, `title:desc`, several with commas, a list of these, or `{ title: 'desc' }`. */
type Sort = string | object | readonly (string | object)[];

/** Returns how two entries are ordered: by the paths, then by id. Entries that were made on the device come last. */
export function comparing(sort: Sort | undefined): (one: Entry, other: Entry) => number {
  const keys = listOf(sort ?? []).flatMap<readonly string[]>((item) =>
    typeof item === 'string' ? item.split(',').map((path) => path.trim().split(':')) : Object.entries(Object(item) as object),
  ) as unknown as readonly (readonly [name: string, way?: string])[];
  return (one, other) => {
    for (const [name, way = ''] of keys) {
      const sign = compare(one[name] ?? null, other[name] ?? null);
      if (sign !== 0) return way.toLowerCase() === 'desc' ? -sign : sign;
    }
    return rank(one) - rank(other);
  };
}

const rank = ({ id }: Entry): number => (typeof id === 'number' ? id : 2 ** 53);

/** Null comes before everything. */
const compare = (one: unknown, other: unknown): number =>
  one === null || other === null ? Number(one !== null) - Number(other !== null) : order(one, other);
