import { validationError } from '#base/errors.js';
import { isPlainObject } from '#base/values.js';

/** Maximum number of values in one JSON value. A document of 16 MB holds no more. */
const maximumParts = 5_000_000;

/** Maximum depth of JSON that is not copied. Deeper values are read by JSON.stringify, which finds cycles. */
const plainDepth = 100;

/**
 * Returns a value of code as JSON, as `JSON.parse(JSON.stringify(value))` does: undefined if JSON has no such value. A value that
 * is JSON already is returned itself. Throws a ValidationError that begins with `name` for a value without such a form, such as a
 * cycle, and for one that is too large to store.
 */
export function toJson(value: unknown, name: string): unknown {
  let parts = 0;
  const count = (): void => {
    if (++parts > maximumParts) throw validationError(`${name} is too large to be stored as JSON`);
  };
  if (isJson(value, count)) return value;
  try {
    parts = 0;
    const text = JSON.stringify(value, (_key, part: unknown) => (count(), part)) as string | undefined; // none for a function
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw parts > maximumParts ? error : validationError(`${name} cannot be stored as JSON: ${String(reason)}`);
  }
}

/** Returns whether a value is JSON as it is. Values that are nested deeply are said to be none. */
function isJson(value: unknown, count: () => void, depth = 0): boolean {
  count();
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' || typeof value === 'boolean' || value === null;
  if (depth > plainDepth) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isJson(item, count, depth + 1)) return false; // unlike every, for sees the holes of a list
    return true;
  }
  if (!isPlainObject(value)) return false;
  for (const key of Object.keys(value)) if (!isJson(value[key], count, depth + 1)) return false;
  return true;
}

/** The beginning of an instant in ISO form. */
const isoInstant = /^\d{4}-\d{2}-\d{2}T/;

/**
 * Returns the date, text or number that an object of code stands for: by `toJSON`, `toISOString` or `valueOf`, as those of moment,
 * dayjs, luxon, decimal.js and URL do. Other values, such as promises, are returned unchanged.
 */
export function plainScalar(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || Array.isArray(value)) return value;
  const { toJSON, toISOString } = value as { readonly toJSON?: unknown; readonly toISOString?: unknown }; // any object
  const write = typeof toJSON === 'function' ? toJSON : toISOString;
  const json: unknown = typeof write === 'function' ? write.call(value) : undefined;
  if (typeof json === 'string') return isoInstant.test(json) ? dateOf(json) : json;
  const plain: unknown = typeof value.valueOf === 'function' ? value.valueOf() : value; // an object without a prototype has none
  const isScalar = ['string', 'boolean', 'bigint'].includes(typeof plain) || Number.isFinite(plain);
  return isScalar ? plain : value;
}

function dateOf(text: string): Date | string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date;
}
