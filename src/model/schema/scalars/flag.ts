import { notOfType } from '../findings.js';
import { numberText, readBoolean, toBoolean } from '../stored-values.js';
import { convertedValue, conversionFailure, excerpt } from './conversions.js';
import type { ScalarRule } from './rule.js';

/**
 * Converts an operand to a boolean, as Strapi v4 does: `false`, `f` and `0` are false, all other strings that are not empty are
 * true.
 */
export function castFlag(value: unknown): boolean {
  if (value === 'false' || value === 'f' || value === '0') return false;
  return Boolean(value);
}

export const boolean: ScalarRule = {
  stored: 'boolean',
  search: 'never',
  uniqueAllowed: false,
  shardKey: true,
  cast: castFlag,
  store: toBoolean,
  castsInput: true,
  output: readBoolean,
  fitting: { bson: 'bool' },
  check: (value, _attribute, path) => (toBoolean(value) !== null ? [] : [notOfType(path, 'boolean', value)]),
  name: 'boolean',
  convert: (value) => {
    const flag = toBoolean(typeof value === 'string' ? value.trim() : (numberText(value) ?? value));
    return flag === null ? conversionFailure(`${excerpt(value)} is neither true nor false`) : convertedValue(flag);
  },
  graphql: 'Boolean',
  schema: { answer: { type: 'boolean' } },
  column: 'bool',
  panel: { width: 4, sorts: true, listed: true },
};
