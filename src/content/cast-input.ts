import bcrypt from 'bcrypt';
import { toBoolean, toNumber } from '../schema/check-scalar.js';
import type { ScalarAttribute } from '../schema/content-type.js';
import { scalarTypes } from '../schema/scalar-types.js';

/** Rounds of bcrypt, as in the reference. */
const rounds = 10;

/**
 * Turns a checked value into what is stored. Dates and times are read here, so that their errors stand alone, as in the
 * reference. Throws a ValidationError.
 */
export async function castInput(attribute: ScalarAttribute, value: unknown): Promise<unknown> {
  if (value === null || value === undefined) return null;
  switch (attribute.type) {
    case 'password':
      return bcrypt.hash(String(value), rounds);
    case 'boolean':
      return toBoolean(value);
    case 'integer':
    case 'float':
    case 'decimal':
      return toNumber(value);
    case 'enumeration':
      return String(value);
    case 'blocks':
      return Array.isArray(value) ? value : null;
    default:
      return scalarTypes[attribute.type].cast(value, attribute.name);
  }
}
