import { validationError } from '#base/errors.js';
import type { KeyQuery } from '../ast.js';
import { isBucketUnit, unitNames } from './buckets.js';

/** Parses a key: `category.name`, or `publishedAt:month`. Throws a ValidationError that names the parameter. */
export function parseKey(name: string, parameter: string): KeyQuery {
  const [path = '', unit = null, ...others] = name.split(':');
  if (others.length > 0 || (unit !== null && !isBucketUnit(unit)))
    throw validationError(`Invalid parameter ${parameter}: expected one of ${unitNames}`);
  return { path: path.split('.'), unit };
}
