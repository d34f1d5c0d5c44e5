import { isoText } from '#base/values.js';
import { blockProblems } from '../check-blocks.js';
import { jsonProblems } from '../check-json.js';
import { notOfType } from '../findings.js';
import { numberText, parseDateTime, readJson, readList } from '../stored-values.js';
import { convertedValue, conversionFailure, excerpt } from './conversions.js';
import type { ScalarRule } from './rule.js';

const numberOrSame = (value: unknown): unknown => (numberText(value) === null ? value : Number(numberText(value)));

const json: ScalarRule = {
  stored: 'json',
  search: 'never',
  uniqueAllowed: false,
  cast: (value) => (value instanceof Date ? isoText(parseDateTime(value)) : value),
  store: (value) => value,
  output: readJson,
  fitting: 'all',
  check: (value, _attribute, path) => jsonProblems(value, path),
  convert: (value) => {
    if (typeof value !== 'string') return convertedValue(value instanceof Date ? value.toISOString() : numberOrSame(value));
    try {
      return convertedValue(JSON.parse(value));
    } catch {
      return conversionFailure(`${excerpt(value)} is not JSON`);
    }
  },
  graphql: 'JSON',
  column: 'jsonb',
  panel: { width: 12, sorts: false, listed: false },
};

/** Rich text. A value that is not a list counts as null, as in Strapi v4. */
const blocks: ScalarRule = {
  stored: 'json',
  search: 'never',
  uniqueAllowed: false,
  cast: json.cast,
  store: (value) => (Array.isArray(value) ? value : null),
  output: readList,
  fitting: { bson: 'array' },
  check: (value, { required }, path, { draft, typesOnly }) => {
    if (Array.isArray(value)) return jsonProblems(value, path);
    if (typesOnly === true) return [notOfType(path, 'array', value)];
    return required && !draft ? [notOfType(path, 'array', null, value)] : [];
  },
  checkParts: blockProblems,
  name: 'array',
  graphql: 'JSON',
  schema: { answer: { type: 'array', items: { type: 'object' } } },
  column: 'jsonb',
  panel: { width: 12, sorts: false, listed: false },
};

export const jsons = { json, blocks } as const;
