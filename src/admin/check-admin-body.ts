import { Ajv, type ErrorObject } from 'ajv';
import { fieldErrors, validationError, type FieldError } from '../errors.js';
import { suggest } from '../nearest-name.js';
import { isRecord, type Values } from '../values.js';

/** A JSON schema that the body of a request must meet. */
export type BodySchema = Readonly<Record<string, unknown>>;

/** A schema for an object with these properties and no others. `rules`: further keywords of the schema. */
export const closed = (properties: Readonly<Record<string, BodySchema>>, rules: BodySchema = {}): BodySchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...rules,
});

/** A schema for a property whose value is checked by the operation that takes it. */
export const anything: BodySchema = {};

const options = { allErrors: true, allowUnionTypes: true, verbose: true, strictRequired: false } as const;
const ajv = new Ajv({ ...options, meta: false, validateSchema: false });

/**
 * Returns the body, which is empty if none was sent. Throws a ValidationError that lists every violation; an unknown key is
 * reported with the nearest known one.
 */
export function checkAdminBody(schema: BodySchema, body: unknown): Values {
  const values = body ?? {};
  if (!isRecord(values)) throw validationError('the body must be an object');
  const validate = ajv.compile(schema);
  if (validate(values)) return values;
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if'); // an `if` repeats the error of its branch
  throw fieldErrors(errors.map(describe));
}

function describe({ instancePath, keyword, message = 'is not valid', params, parentSchema }: ErrorObject): FieldError {
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  if (keyword !== 'additionalProperties')
    return { path, message: `${path.join('.') || 'the body'} ${message}${allowed(params)}` };
  const name = String(params['additionalProperty']); // documented for this keyword
  const known = Object.keys((parentSchema?.['properties'] ?? {}) as object); // schemas made by `closed`
  const key = [...path, name];
  return { path: key, message: `unknown key ${key.join('.')}${suggest(name, known)}` };
}

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

const allowed = (params: Readonly<Record<string, unknown>>): string =>
  Array.isArray(params['allowedValues']) ? `: ${params['allowedValues'].join(', ')}` : '';
