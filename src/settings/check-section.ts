import { Ajv, type ErrorObject } from 'ajv';
import { nearestName, suggest } from '#base/nearest-name.js';
import type { GroupNode, Setting, SettingNode } from './setting.js';

// The schemas are not checked against the meta-schema, because they are our own. A schema is compiled when its setting is given
// and is not the default: compiling all of them takes 60 ms.
const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, meta: false, validateSchema: false });

ajv.addVocabulary(['mayBeFunction']);
ajv.addFormat('uri', (text: string) => URL.canParse(text));

/** A problem of a setting, as one line with the file and the key. */
interface Finding {
  readonly text: string;
  /** Whether the service must not start. */
  readonly isFatal: boolean;
}

interface CheckRules {
  readonly isProduction: boolean;
  /** Whether unknown keys only cause a warning. Strapi v4 ignores them, and they may belong to the project. */
  readonly isStrapiProject: boolean;
}

export const checkSection = (node: SettingNode, value: unknown, file: string, rules: CheckRules): readonly Finding[] =>
  check(node, value, [], rules).map((finding) => ({ ...finding, text: `${file}: ${finding.text}` }));

/** Returns whether a value is given and fits its setting. */
export const isRight = (setting: Setting<unknown>, value: unknown): boolean =>
  value !== undefined && checkSetting(setting, value, '').length === 0;

const fatal = (text: string): Finding => ({ text, isFatal: true });

function check(node: SettingNode, value: unknown, path: readonly string[], rules: CheckRules): readonly Finding[] {
  if (value === undefined) return [];
  if (node.kind === 'setting')
    return [...checkSetting(node, value, path.join('.')).map(fatal), ...checkSecret(node, value, path, rules)];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [fatal(`${path.join('.') || 'the export'} must be object, not ${show(value)}`)];
  return Object.entries(value).flatMap(([key, below]) => {
    const child = Object.hasOwn(node.settings, key) ? node.settings[key] : undefined;
    return child
      ? check(child, below, [...path, key], rules)
      : below === undefined
        ? []
        : [unknownKey(node, [...path, key], rules)];
  });
}

function unknownKey(node: GroupNode, path: readonly string[], { isStrapiProject }: CheckRules): Finding {
  const known = Object.keys(node.settings);
  const key = path.at(-1) ?? '';
  if (isStrapiProject && nearestName(key, known) === null)
    return { text: `${path.join('.')} is not a setting of Mangrove and is ignored`, isFatal: false };
  return {
    text: `unknown key ${path.join('.')}${isStrapiProject ? ' is ignored' : ''}${suggest(key, known)}`,
    isFatal: !isStrapiProject,
  };
}

/** Returns a finding if a secret is so short that it can be guessed. */
function checkSecret(
  { secret, variable }: Setting<unknown>,
  value: unknown,
  path: readonly string[],
  rules: CheckRules,
): readonly Finding[] {
  if (secret === null || typeof value !== 'string' || value.length >= secret) return [];
  const source = variable === null ? '' : ` (environment variable ${variable})`;
  const refused = rules.isProduction ? '' : ', which production refuses';
  return [
    { text: `${path.join('.')} has fewer than ${String(secret)} characters${refused}${source}`, isFatal: rules.isProduction },
  ];
}

function checkSetting(
  { schema, variable, secret, default: standard }: Setting<unknown>,
  value: unknown,
  path: string,
): readonly string[] {
  if (value === standard || (typeof value === 'function' && schema['mayBeFunction'] === true)) return [];
  ajv.validate(schema, value);
  const shown = secret !== null || isSecret(`${path} ${show(value)}`) ? '' : `, not ${show(value)}`;
  const source = variable === null ? '' : ` (environment variable ${variable})`;
  const errors = ajv.errors ?? [];
  const alternatives = errors.filter(({ keyword, instancePath }) => keyword === 'anyOf' && instancePath === '');
  const texts = (alternatives.length > 0 && 'description' in schema ? alternatives : errors).map(
    (error) => `${path}${error.instancePath.replaceAll('/', '.')} ${messageOf(error)}${shown}${source}`,
  );
  return [...new Set(texts)];
}

/** Returns whether a setting or one of its keys is named like a secret, so that its value must not be shown. */
const isSecret = (named: string): boolean => /secret|uri|pass|token|salt|privatekey/i.test(named);

/** Keywords whose messages say less than the description of their schema. */
const described: ReadonlySet<string> = new Set(['pattern', 'format', 'not', 'anyOf']);

/** Returns the message of an error. ajv does not type `params` by keyword; its documentation names `allowedValues` for enum. */
const messageOf = ({ keyword, message = 'is not valid', params, parentSchema }: ErrorObject): string => {
  if (keyword === 'enum') return `must be one of ${(params as { allowedValues: readonly string[] }).allowedValues.join(', ')}`;
  const form: unknown = parentSchema?.['description'];
  return described.has(keyword) && typeof form === 'string' ? `must be ${form}` : message;
};

const show = (value: unknown): string => (typeof value === 'function' ? 'a function' : JSON.stringify(value));
