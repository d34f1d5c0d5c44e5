import type { Context } from './context.js';
import { advice, type CheckResult, problem } from '#base/finding.js';

/** A secret of the configuration. */
interface Named {
  readonly variable: string;
  /** Null if it is not set. */
  readonly value: string | null;
  readonly isNeeded: boolean;
}

const make = "make one with: node -e \"console.log(require('crypto').randomBytes(32).toString('hex'))\"";

function secretsOf({ plugins, admin }: Context['config']): readonly Named[] {
  const users = plugins['users-permissions'];
  return [
    { variable: 'JWT_SECRET', value: users.config.jwtSecret, isNeeded: users.enabled },
    { variable: 'API_TOKEN_SALT', value: admin.apiToken.salt, isNeeded: true },
    { variable: 'ADMIN_TOKEN', value: admin.token, isNeeded: admin.enabled },
    { variable: 'ADMIN_JWT_SECRET', value: admin.auth.secret, isNeeded: false },
  ];
}

const formerOf = ({ plugins, admin }: Context['config']): readonly Named[] =>
  Object.entries({
    JWT_SECRET: plugins['users-permissions'].config.jwtSecretPrevious,
    API_TOKEN_SALT: admin.apiToken.saltPrevious,
    ADMIN_TOKEN: admin.tokenPrevious,
    ADMIN_JWT_SECRET: admin.auth.secretPrevious,
  }).map(([variable, value]) => ({ variable, value, isNeeded: false }));

/** Returns whether a line about the configuration is about a secret. */
export const isAboutSecret = (line: string): boolean => /\(environment variable (JWT|API|ADMIN)_\w+\)/.test(line);

/** Finds secrets that are absent, short, guessable, or used twice. */
export function checkSecrets({ config, problems, readable }: Context): CheckResult {
  const secrets = secretsOf(config);
  const refused = problems.filter(isAboutSecret);
  const isRefused = ({ variable }: Named): boolean => refused.some((line) => line.includes(`(environment variable ${variable})`));
  const absent = secrets.filter((secret) => secret.isNeeded && !secret.value && !isRefused(secret));
  const set = secrets.filter(({ value }) => value !== null);
  const weak = set.filter(({ value }) => isGuessable(value ?? ''));
  const short = set.filter(({ value }) => (value ?? '').length < 32);
  return [
    ...refused.map((line) => problem(line, make)),
    ...absent.map(({ variable }) => problem(`${variable} is not set`, make)),
    ...weak.map(({ variable }) => problem(`${variable} looks like an example, or follows a pattern`, make)),
    ...short.map(({ variable }) => advice(`${variable} has fewer than 32 characters`, make)),
    ...pairs(set).map(([a, b]) => problem(`${a} and ${b} have the same value`, 'use another value for each')),
    ...formerFindings(config, set),
    ...readable.map((file) => advice(`${file} can be read by other users of this machine`, `chmod 600 ${file}`)),
  ];
}

const formerFindings = (config: Context['config'], set: readonly Named[]) =>
  formerOf(config).flatMap(({ variable, value }) => {
    if (value === null) return [];
    const name = `${variable}_PREVIOUS`;
    if (set.some((secret) => secret.variable === variable && secret.value === value))
      return [advice(`${name} is the same as ${variable}`, `remove ${name}`)];
    return [advice(`${name} is still accepted`, `remove ${name} when the tokens of its time have expired`)];
  });

function pairs(set: readonly Named[]): readonly (readonly [string, string])[] {
  return set.flatMap((one, index) =>
    set.slice(index + 1).flatMap((other) => (other.value === one.value ? [[one.variable, other.variable] as const] : [])),
  );
}

/** Words of examples in documentation and templates. */
const examples =
  /to.?be.?modified|change.?(me|this|it)|replace.?(me|this)|example|placeholder|password|super.?secret|my.?secret|your[-_ ]|insecure|do.?not.?use/i;

/** Fewest different characters of a random value of at least 16. */
const fewest = 8;

/** Lengths of a part that may be repeated. */
const lengths = Array.from({ length: 12 }, (_, index) => index + 1);

/** Returns whether a secret contains a word of examples, few different characters, a repetition, or a sequence. */
export function isGuessable(secret: string): boolean {
  const isRepeated = lengths.some((length) => secret.slice(length) === secret.slice(0, -length));
  return examples.test(secret) || new Set(secret).size < fewest || isRepeated || isSequence(secret);
}

/** Returns whether at least two thirds of the characters follow the one before, as in `abcdefgh` and `01234567`. */
function isSequence(secret: string): boolean {
  const codes = [...secret].map((character) => character.codePointAt(0) ?? 0);
  const following = codes.filter((code, index) => index > 0 && Math.abs(code - (codes[index - 1] ?? 0)) <= 1);
  return following.length >= (2 / 3) * (codes.length - 1);
}
