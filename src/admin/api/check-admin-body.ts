import { Ajv, type ErrorObject } from 'ajv';
import { fieldErrors, validationError, type FieldError } from '#base/errors.js';
import type { Schema } from '#http/json-schema.js';
import { suggest } from '#base/nearest-name.js';
import { isRecord, type Values } from '#base/values.js';

const options = { allErrors: true, allowUnionTypes: true, verbose: true, strictRequired: false } as const;
const ajv = new Ajv({ ...options, meta: false, validateSchema: false });

/**
 * Returns the body; an empty object if there is none. Throws a ValidationError with all violations, and with the nearest known
 * name for an unknown key.
 */
export function checkAdminBody(schema: Schema, body: unknown): Values {
  const values = body ?? {};
  if (!isRecord(values)) throw validationError('the body must be an object');
  const validate = ajv.compile(schema);
  if (validate(values)) return values;
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if'); // `if` repeats the error of its branch
  throw fieldErrors(errors.map(describe));
}

function describe({ instancePath, keyword, message = 'is not valid', params, parentSchema }: ErrorObject): FieldError {
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  if (keyword !== 'additionalProperties')
    return { path, message: `${path.join('.') || 'the body'} ${message}${allowed(params)}` };
  const name = String(params['additionalProperty']); // Ajv sets it for this keyword
  const names = Object.keys((parentSchema?.['properties'] ?? {}) as object); // the schemas were made by `record`
  const key = [...path, name];
  return { path: key, message: `unknown key ${key.join('.')}${names.length > 0 ? suggest(name, names) : ''}` };
}

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

const allowed = (params: Readonly<Record<string, unknown>>): string =>
  Array.isArray(params['allowedValues']) ? `: ${params['allowedValues'].join(', ')}` : '';
