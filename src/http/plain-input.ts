import { fieldErrors, validationError } from '#base/errors.js';
import { isReservedKey } from '#model/schema/check-json.js';
import { isRecord } from '#base/values.js';
import { type QueryParameters, type QueryStringLimits, readParameters } from './query-string.js';

/** How a query string is checked. */
interface ParameterRules {
  readonly limits: QueryStringLimits;
  /** The parameters that may have objects as values, such as `filters`. */
  readonly structured: ReadonlySet<string>;
}

/**
 * Throws a ValidationError that names the first parameter whose value is an object, such as `page[$gt]=1`, where only texts and lists of
 * texts are expected.
 */
export function refuseObjects(query: QueryParameters, { limits, structured }: ParameterRules): void {
  if (typeof query === 'string' && !/\[|%5b/i.test(query)) return;
  for (const [name, value] of Object.entries(readParameters(query, limits)))
    if (!structured.has(name) && holdsObject(value)) throw validationError(`Invalid parameter ${name}: must be a text`);
}

const holdsObject = (value: unknown): boolean => (Array.isArray(value) ? value.some(holdsObject) : isRecord(value));

/** Throws a ValidationError for the first key of a body, at any depth, that the database reserves or cannot store. */
export function refuseReservedKeys(body: unknown, path: readonly string[] = []): void {
  if (typeof body !== 'object' || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    const inner = [...path, name];
    if (!Array.isArray(body) && isReservedKey(name))
      throw fieldErrors([
        { path: inner, message: `${path.join('.') || 'the body'} must not hold the key ${JSON.stringify(name)}` },
      ]);
    refuseReservedKeys(value, inner);
  }
}
