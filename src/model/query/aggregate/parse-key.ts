import { validationError } from '#base/errors.js';
import type { KeyQuery } from '../ast.js';
import { isBucketUnit, unitNames } from './buckets.js';

/** Parses a key: `category.name`, or `publishedAt:month`. Throws a ValidationError that names the parameter. */
export function parseKey(name: string, parameter: string): KeyQuery {
  const [path = '', unit = null, ...others] = name.split(':');
  if (others.length > 0 || (unit !== null && !isBucketUnit(unit)))
    throw validationError(`Invalid parameter ${parameter}: expected one of ${unitNames}`);
  return { path: parsePath(path, parameter), unit };
}

/** Returns the names in a path. Throws a ValidationError that names the parameter if one is empty. */
export function parsePath(path: string, parameter: string): readonly string[] {
  const names = path.split('.');
  if (names.includes('')) throw validationError(`Invalid parameter ${parameter}: expected the names of attributes`);
  return names;
}
