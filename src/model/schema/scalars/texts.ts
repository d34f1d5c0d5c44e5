import { validationError } from '#base/errors.js';
import type { ScalarAttribute } from '../content-type.js';
import { notOfType } from '../findings.js';
import { matches } from '../linear-regex.js';
import { numberText, readText } from '../stored-values.js';
import { type Conversion, convertedValue, conversionFailure, excerpt } from './conversions.js';
import type { Check, InputRules, ScalarRule } from './rule.js';

function castText(value: unknown, name: string): string {
  if (typeof value === 'object' && value !== null) throw validationError(`Invalid value for ${name}, expected text`);
  const cast = String(value);
  if (cast.includes('\0')) throw validationError(`Invalid value for ${name}, text may not hold the NUL character`);
  return cast;
}

function toText(value: unknown): Conversion {
  if (typeof value === 'string') return convertedValue(value);
  if (value instanceof Date) return convertedValue(value.toISOString());
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return convertedValue(String(value));
  return convertedValue(numberText(value) ?? JSON.stringify(value));
}

function checkText(value: unknown, attribute: ScalarAttribute, path: string, rules: InputRules): string[] {
  if (typeof value !== 'string') return [notOfType(path, 'string', value)];
  if (rules.typesOnly === true) return nulProblems(value, path);
  return [...(rules.draft ? [] : shortness(value, attribute, path)), ...textProblems(value, attribute, path)];
}

function shortness(value: string, { minLength }: ScalarAttribute, path: string): string[] {
  return minLength !== null && value.length < minLength ? [`${path} must be at least ${String(minLength)} characters`] : [];
}

function textProblems(value: string, { maxLength, regex, required }: ScalarAttribute, path: string): string[] {
  const long = maxLength !== null && value.length > maxLength ? [`${path} must be at most ${String(maxLength)} characters`] : [];
  // a text that is too long is not matched, because it is refused already
  const odd = long.length === 0 && regex !== null && (value !== '' || required) && !matches(regex, value);
  return [...long, ...(odd ? [`${path} must match the following: "${String(regex)}"`] : []), ...nulProblems(value, path)];
}

const nulProblems = (value: string, path: string): string[] =>
  value.includes('\0') ? [`${path} must not hold the NUL character`] : [];

/** Text that neither other types are converted to nor shard keys have. */
const plain: ScalarRule = {
  stored: 'text',
  search: 'text',
  uniqueAllowed: true,
  cast: castText,
  store: castText,
  output: readText,
  fitting: { bson: 'string' },
  check: checkText,
  name: 'string',
  graphql: 'String',
  schema: { answer: { type: 'string' } },
  panel: { width: 6, sorts: true, listed: true },
};

const text: ScalarRule = { ...plain, convert: toText };

const string: ScalarRule = { ...text, shardKey: true };

const richtext: ScalarRule = {
  ...text,
  schema: { answer: { type: 'string', description: 'Markdown' } },
  panel: { width: 12, sorts: false, listed: false },
};

const emailForm =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/;

/** Its minimum length is 1 and `minLength` is ignored, as in Strapi v4. */
const email: ScalarRule = {
  ...plain,
  shardKey: true,
  ownForm: true,
  check: (value, attribute, path, rules) => {
    if (typeof value !== 'string' || rules.typesOnly === true) return checkText(value, attribute, path, rules);
    if (value === '') return [`${path} cannot be empty`];
    const isEmail = value.length <= 320 && emailForm.test(value);
    return [...textProblems(value, attribute, path), ...(isEmail ? [] : [`${path} must be a valid email`])];
  },
  schema: { answer: { type: 'string', format: 'email' } },
};

const uidForm = /^[A-Za-z0-9-_.~]*$/;

const uid: ScalarRule = {
  ...plain,
  shardKey: true,
  ownForm: true,
  check: (value, attribute, path, rules) => {
    const problems = checkText(value, attribute, path, rules);
    const isOdd = rules.typesOnly !== true && typeof value === 'string' && !uidForm.test(value);
    return isOdd ? [...problems, `${path} must match the following: "${String(uidForm)}"`] : problems;
  },
  schema: { answer: { type: 'string' }, input: { type: 'string', pattern: '^[A-Za-z0-9\\-_.~]*$' } },
};

/** Maximum bytes of a password. bcrypt reads no more, and stops at NUL. Longer passwords are refused, not cut. */
const passwordBytes = 72;

const checkPassword: Check = (value, attribute, path, rules) => {
  if (rules.hashed === true) return [];
  const problems = checkText(value, attribute, path, rules);
  const isLong = typeof value === 'string' && Buffer.byteLength(value) > passwordBytes;
  return isLong ? [...problems, `${path} must be at most ${String(passwordBytes)} bytes`] : problems;
};

const password: ScalarRule = {
  ...plain,
  search: 'never',
  check: checkPassword,
  allowsDefault: (initial) => typeof initial === 'string' && Buffer.byteLength(initial) <= passwordBytes,
  schema: { answer: { type: 'string' }, input: { type: 'string', format: 'password' } },
  panel: { width: 6, sorts: true, listed: false },
};

/** Its schemas list the values of the attribute. */
const enumeration: ScalarRule = {
  ...plain,
  uniqueAllowed: false,
  shardKey: true,
  castsInput: true,
  check: (value, attribute, path, { typesOnly }) => {
    const isText = typeof value !== 'object';
    if (isText && typesOnly === true) return nulProblems(String(value), path);
    const listed = isText && attribute.enum.includes(String(value));
    const unlisted = `${path} must be one of the following values: ${[...attribute.enum, ''].join(', ')}`;
    return [...(isText ? [] : [notOfType(path, 'string', value)]), ...(listed ? [] : [unlisted])];
  },
  allowsDefault: (initial, values) => initial === '' || values.includes(String(initial)),
  convert: (value, to) => {
    const converted = toText(value);
    if ('reason' in converted || to.enum.includes(String(converted.value))) return converted;
    return conversionFailure(`${excerpt(converted.value)} is not one of ${to.enum.join(', ')}`);
  },
};

export const texts = { string, text, richtext, email, uid, password, enumeration } as const;
