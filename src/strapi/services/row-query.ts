import { validationError } from '#base/errors.js';
import { isRecord, itemsOf, type Values } from '#base/values.js';

/** Parameters of a read of rows. */
interface RowParameters {
  readonly where?: unknown;
  readonly select?: unknown;
  readonly orderBy?: unknown;
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly populate?: unknown;
}

/** The reads of `strapi.db.query` over a few rows that are all in memory. */
interface RowReads {
  findMany(parameters?: RowParameters): Promise<readonly Values[]>;
  findOne(parameters?: RowParameters): Promise<Values | null>;
  count(parameters?: RowParameters): Promise<number>;
  findWithCount(parameters?: RowParameters): Promise<readonly [readonly Values[], number]>;
}

const same = (one: unknown, other: unknown): boolean => (one ?? null) === (other ?? null) || String(one) === String(other);
const textOf = (value: unknown): string => String(value ?? '');

/** Comparisons of a value with an operand, by the names of operators without `$`. */
const operators: Readonly<Record<string, (value: unknown, operand: unknown) => boolean>> = {
  eq: same,
  ne: (value, operand) => !same(value, operand),
  in: (value, operand) => itemsOf(operand).some((item) => same(value, item)),
  notIn: (value, operand) => !itemsOf(operand).some((item) => same(value, item)),
  null: (value, operand) => same(value, null) === Boolean(operand),
  notNull: (value, operand) => same(value, null) !== Boolean(operand),
  startsWith: (value, operand) => textOf(value).startsWith(textOf(operand)),
  endsWith: (value, operand) => textOf(value).endsWith(textOf(operand)),
  contains: (value, operand) => textOf(value).includes(textOf(operand)),
};

/** Returns the reads of rows with these attributes. They throw a ValidationError for a condition or parameter that they lack. */
export function rowReads(uid: string, attributes: readonly string[], rows: () => Promise<readonly Values[]>): RowReads {
  const refuse = (what: string): never => {
    throw validationError(`strapi.db.query('${uid}') has no ${what}`);
  };
  const valueOf = (row: Values, name: string): unknown => (attributes.includes(name) ? row[name] : refuse(name));
  const operatorOf = (name: string) => (name.startsWith('$') ? operators[name.slice(1)] : undefined) ?? refuse(name);
  const meetsOne = (value: unknown, condition: unknown): boolean => {
    if (Array.isArray(condition)) return condition.some((item) => same(value, item));
    if (!isRecord(condition)) return same(value, condition);
    return Object.entries(condition).every(([name, operand]) => operatorOf(name)(value, operand));
  };
  const meets = (row: Values, where: unknown): boolean =>
    Object.entries(Object(where) as Values).every(([name, condition]) => {
      if (name === '$and') return itemsOf(condition).every((each) => meets(row, each));
      if (name === '$or') return itemsOf(condition).some((each) => meets(row, each));
      if (name === '$not') return !meets(row, condition);
      return meetsOne(valueOf(row, name), condition);
    });
  const matching = async ({ where = {}, populate }: RowParameters): Promise<Values[]> => {
    if (itemsOf(populate).length > 0 || isRecord(populate) || typeof populate === 'string') refuse('relations to populate');
    return (await rows()).filter((row) => meets(row, where));
  };
  const findMany = async (parameters: RowParameters = {}): Promise<readonly Values[]> => {
    const sorted = (await matching(parameters)).sort(orderOf(parameters.orderBy, valueOf));
    const { limit, offset, select } = parameters;
    const start = Number(offset ?? 0);
    const page = sorted.slice(start, limit === undefined || limit === null ? undefined : start + Number(limit));
    const names = [select ?? []].flat().map(String);
    return names.length === 0 ? page : page.map((row) => pick(row, ['id', ...names], valueOf));
  };
  const count = async (parameters: RowParameters = {}): Promise<number> => (await matching(parameters)).length;
  return {
    findMany,
    count,
    findOne: async (parameters = {}) => (await findMany({ ...parameters, limit: 1 }))[0] ?? null,
    findWithCount: async (parameters = {}) => [await findMany(parameters), await count(parameters)],
  };
}

type ValueOf = (row: Values, name: string) => unknown;

const pick = (row: Values, names: readonly string[], valueOf: ValueOf): Values =>
  Object.fromEntries(names.map((name) => [name, valueOf(row, name)]));

/** Returns the order of `orderBy`: a name, `{ name: 'desc' }`, or a list of those. */
function orderOf(orderBy: unknown, valueOf: ValueOf): (one: Values, other: Values) => number {
  const keys = [orderBy ?? []].flat().flatMap((key: unknown) => Object.entries(isRecord(key) ? key : { [String(key)]: 'asc' }));
  return (one, other) => {
    for (const [name, direction] of keys) {
      const [a, b] = [valueOf(one, name), valueOf(other, name)];
      const order = typeof a === 'number' && typeof b === 'number' ? a - b : textOf(a).localeCompare(textOf(b));
      if (order !== 0) return String(direction).toLowerCase() === 'desc' ? -order : order;
    }
    return 0;
  };
}
