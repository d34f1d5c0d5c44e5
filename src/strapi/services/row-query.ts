import { validationError } from '#base/errors.js';
import { isRecord, itemsOf, type Values } from '#base/values.js';
import { meetsValues } from '#model/query/filter-values.js';
import { isOperator } from '#model/query/operators.js';

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

const textOf = (value: unknown): string => String(value ?? '');

/** Returns the form in which values are compared: numbers if the value of a row is one, otherwise texts. */
function comparable(value: unknown, isNumber: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, isNumber));
  if (value === undefined || value === null) return null;
  return isNumber ? Number(value) : String(value);
}

function meetsOperator(value: unknown, name: string, operand: unknown): boolean {
  const isNumber = typeof value === 'number';
  return meetsValues(comparable(value, isNumber), { [name]: comparable(operand, isNumber) });
}

/** Returns the reads of rows with these attributes. They throw a ValidationError for a condition or parameter that they lack. */
export function rowReads(uid: string, attributes: readonly string[], rows: () => Promise<readonly Values[]>): RowReads {
  const refuse = (what: string): never => {
    throw validationError(`strapi.db.query('${uid}') has no ${what}`);
  };
  const valueOf = (row: Values, name: string): unknown => (attributes.includes(name) ? row[name] : refuse(name));
  const checked = (name: string): string => (name.startsWith('$') && isOperator(name.slice(1)) ? name : refuse(name));
  const meetsOne = (value: unknown, condition: unknown): boolean => {
    if (!isRecord(condition)) return meetsOperator(value, '$eq', condition);
    return Object.entries(condition).every(([name, operand]) => meetsOperator(value, checked(name), operand));
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
