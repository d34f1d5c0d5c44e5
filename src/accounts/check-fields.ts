import { fieldErrors, type FieldError } from '#base/errors.js';
import { notOfType } from '#model/schema/findings.js';
import type { Body } from './accounts.js';

/** Rules of a string field, in the order of their messages. */
type Rule = 'notEmpty' | 'email' | 'required';

/** The fields of a body in the order of Strapi v4's messages, each with its rules. */
type FieldRules = Readonly<Record<string, readonly Rule[]>>;

/** Matches everything that resembles an e-mail address. The attribute checks it more strictly before it is stored. */
const emailForm = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

const problems: Readonly<Record<Rule, (name: string, value: string) => string | null>> = {
  notEmpty: (name, value) => (value === '' ? `${name} must be at least 1 characters` : null),
  email: (name, value) =>
    value !== '' && (value.length > 320 || !emailForm.test(value)) ? `${name} must be a valid email` : null,
  required: (name, value) => (value === '' ? `${name} is a required field` : null),
};

/** Returns the problems of the fields of a body. Fields must be strings; nothing is converted. */
export function fieldProblems(body: Body, fields: FieldRules): FieldError[] {
  return Object.entries(fields).flatMap(([name, rules]) =>
    textProblems(name, body[name], rules).map((message) => ({ path: [name], message })),
  );
}

function textProblems(name: string, value: unknown, rules: readonly Rule[]): string[] {
  if (value === undefined) return rules.includes('required') ? [`${name} is a required field`] : [];
  if (typeof value !== 'string') return [notOfType(name, 'string', value)];
  return rules.flatMap((rule) => problems[rule](name, value) ?? []);
}

/** Returns the problem of a body that has other keys than its fields. */
export function unknownKeyErrors(body: Body, fields: FieldRules): FieldError[] {
  const unknownKeys = Object.keys(body).filter((name) => !Object.hasOwn(fields, name));
  return unknownKeys.length === 0 ? [] : [{ path: [], message: `this field has unspecified keys: ${unknownKeys.join(', ')}` }];
}

/** Throws a ValidationError if there are problems. */
export function refuseProblems(problems: readonly FieldError[]): void {
  if (problems.length > 0) throw fieldErrors(problems);
}

/**
 * Checks the string fields of a body and returns them. Missing optional fields are empty strings. Throws a ValidationError if a
 * field is invalid.
 */
export function readTexts<Name extends string>(
  body: Body,
  fields: Readonly<Record<Name, readonly Rule[]>>,
  unknownKeys: 'refused' | 'ignored',
): Readonly<Record<Name, string>> {
  refuseProblems([...fieldProblems(body, fields), ...(unknownKeys === 'refused' ? unknownKeyErrors(body, fields) : [])]);
  const texts = Object.keys(fields).map((name) => [name, body[name] ?? ''] as const);
  return Object.fromEntries(texts) as Record<Name, string>; // checked above
}
