import { messageOf } from '#base/errors.js';
import type { ScalarAttribute, ScalarType } from './content-type.js';
import { matches } from './linear-regex.js';
import { type InputContext, mustNotBeNull, notOfType } from './findings.js';
import { toBigInteger, toBoolean, toNumber } from './scalar-types.js';
import { parseDate, parseDateTime, parseTime } from './stored-values.js';

/** Drafts may leave out required values, and their strings may be too short. */
type InputRules = Pick<InputContext, 'mode' | 'draft' | 'hashed'>;

interface Rule {
  /** Returns problems in the wording of Strapi v4. */
  readonly check: Check;
  /** The name of the type in messages about null; absent if values may have any form. */
  readonly name?: string;
}

type Check = (value: unknown, attribute: ScalarAttribute, path: string, rules: InputRules) => string[];

const emailForm =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/;
const uidForm = /^[A-Za-z0-9-_.~]*$/;

const text: Rule = { check: checkText, name: 'string' };
const number: Rule = { check: checkNumber, name: 'number' };

const rules: Readonly<Record<ScalarType, Rule>> = {
  string: text,
  text,
  richtext: text,
  password: { check: checkPassword, name: 'string' },
  email: { check: checkEmail, name: 'string' },
  uid: { check: checkUid, name: 'string' },
  enumeration: { check: checkEnumeration, name: 'string' },
  integer: { check: checkInteger, name: 'number' },
  float: number,
  decimal: number,
  boolean: { check: checkBoolean, name: 'boolean' },
  biginteger: { check: checkBigInteger },
  date: parsed(parseDate),
  time: parsed(parseTime),
  datetime: parsed(parseDateTime),
  timestamp: parsed(parseDateTime),
  json: { check: (value, _attribute, path) => jsonProblems(value, path) },
  blocks: { check: checkBlocks, name: 'array' },
};

/** Returns the rule of values that must be a date or time. The message of the parser does not name the attribute. */
function parsed(parse: (value: unknown) => unknown): Rule {
  const check: Check = (value, _attribute, path) => {
    try {
      parse(value);
      return [];
    } catch (error) {
      return [`${path}: ${messageOf(error)}`];
    }
  };
  return { check };
}

/** Returns the problems of the value of a scalar attribute. Null is allowed unless the attribute is required. */
export function scalarProblems(value: unknown, attribute: ScalarAttribute, path: string, context: InputRules): string[] {
  const { check, name } = rules[attribute.type];
  if (value !== null) return check(value, attribute, path, context);
  if (!attribute.required || context.draft) return [];
  if (name === undefined) return [mustNotBeNull(path, context.mode)];
  return [notOfType(path, name, name === 'number' ? NaN : null, null)];
}

function checkText(value: unknown, attribute: ScalarAttribute, path: string, rules: InputRules): string[] {
  if (typeof value !== 'string') return [notOfType(path, 'string', value)];
  return [...(rules.draft ? [] : shortness(value, attribute, path)), ...textProblems(value, attribute, path)];
}

function shortness(value: string, { minLength }: ScalarAttribute, path: string): string[] {
  return minLength !== null && value.length < minLength ? [`${path} must be at least ${String(minLength)} characters`] : [];
}

function textProblems(value: string, { maxLength, regex, required }: ScalarAttribute, path: string): string[] {
  const long = maxLength !== null && value.length > maxLength ? [`${path} must be at most ${String(maxLength)} characters`] : [];
  // a text that is too long is not matched, because it is refused already
  const odd = long.length === 0 && regex !== null && (value !== '' || required) && !matches(regex, value);
  const holdsNul = value.includes('\0') ? [`${path} must not hold the NUL character`] : [];
  return [...long, ...(odd ? [`${path} must match the following: "${String(regex)}"`] : []), ...holdsNul];
}

/** Checks a password. bcrypt reads at most 72 bytes and stops at NUL. Longer passwords are refused, not cut. */
function checkPassword(value: unknown, attribute: ScalarAttribute, path: string, rules: InputRules): string[] {
  if (rules.hashed === true) return [];
  const problems = checkText(value, attribute, path, rules);
  const isLong = typeof value === 'string' && Buffer.byteLength(value) > 72;
  return isLong ? [...problems, `${path} must be at most 72 bytes`] : problems;
}

/** Checks an e-mail address. Its minimum length is 1 and `minLength` is ignored, as in Strapi v4. */
function checkEmail(value: unknown, attribute: ScalarAttribute, path: string): string[] {
  if (typeof value !== 'string') return [notOfType(path, 'string', value)];
  if (value === '') return [`${path} cannot be empty`];
  const isEmail = value.length <= 320 && emailForm.test(value);
  return [...textProblems(value, attribute, path), ...(isEmail ? [] : [`${path} must be a valid email`])];
}

function checkUid(value: unknown, attribute: ScalarAttribute, path: string, rules: InputRules): string[] {
  const problems = checkText(value, attribute, path, rules);
  const isOdd = typeof value === 'string' && !uidForm.test(value);
  return isOdd ? [...problems, `${path} must match the following: "${String(uidForm)}"`] : problems;
}

function checkEnumeration(value: unknown, attribute: ScalarAttribute, path: string): string[] {
  const isText = typeof value !== 'object';
  const listed = isText && attribute.enum.includes(String(value));
  const unlisted = `${path} must be one of the following values: ${[...attribute.enum, ''].join(', ')}`;
  return [...(isText ? [] : [notOfType(path, 'string', value)]), ...(listed ? [] : [unlisted])];
}

function checkNumber(value: unknown, attribute: ScalarAttribute, path: string): string[] {
  const number = toNumber(value);
  if (!Number.isFinite(number)) return [notOfType(path, 'number', NaN, value)];
  return rangeProblems(number, attribute, path);
}

function rangeProblems(number: number, { min, max }: ScalarAttribute, path: string): string[] {
  return [
    ...(typeof min === 'number' && number < min ? [`${path} must be greater than or equal to ${String(min)}`] : []),
    ...(typeof max === 'number' && number > max ? [`${path} must be less than or equal to ${String(max)}`] : []),
  ];
}

function checkInteger(value: unknown, attribute: ScalarAttribute, path: string): string[] {
  const problems = checkNumber(value, attribute, path);
  const number = toNumber(value);
  return Number.isFinite(number) && !Number.isInteger(number) ? [...problems, `${path} must be an integer`] : problems;
}

/** Checks a big integer; Strapi v4 accepts any text. */
function checkBigInteger(value: unknown, _attribute: ScalarAttribute, path: string): string[] {
  return toBigInteger(value) === null ? [notOfType(path, 'biginteger', value)] : [];
}

function checkBoolean(value: unknown, _attribute: ScalarAttribute, path: string): string[] {
  return toBoolean(value) !== null ? [] : [notOfType(path, 'boolean', value)];
}

/** Checks a rich text, except for its nodes. A value that is not a list counts as null, as in Strapi v4. */
function checkBlocks(value: unknown, { required }: ScalarAttribute, path: string, { draft }: InputRules): string[] {
  if (Array.isArray(value)) return jsonProblems(value, path);
  return required && !draft ? [notOfType(path, 'array', null, value)] : [];
}

/** Returns whether BSON reserves a key, or cannot contain it. */
export const isReservedKey = (key: string): boolean => key === '_bsontype' || key.includes('\0');

/** Returns a problem for a key that BSON reserves or cannot contain, and for a value that is nested too deeply. */
export function jsonProblems(value: unknown, path: string): string[] {
  const open: [unknown, number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [part, depth] = next;
    if (typeof part !== 'object' || part === null) continue;
    if (depth > 64) return [`${path} must not be nested deeper than 64 levels`];
    const keys = Array.isArray(part) ? [] : Object.keys(part);
    const bad = keys.find(isReservedKey);
    if (bad !== undefined) return [`${path} must not hold the key ${JSON.stringify(bad)}`];
    for (const inner of Object.values(part)) open.push([inner, depth + 1]);
  }
  return [];
}
