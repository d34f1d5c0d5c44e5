import { Ajv } from 'ajv';
import type { ErrorObject } from 'ajv';
import { nearestName, suggest } from '../nearest-name.js';
import type { GroupNode, Setting, SettingNode } from './setting.js';

// The schemas are our own: they need no check against the meta-schema. Only what is given is compiled: all of the settings take 60 ms.
const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, meta: false, validateSchema: false });

/** A problem of a setting, as one line that starts with the file and names the key. */
interface Finding {
  readonly text: string;
  /** False: the service starts nevertheless. */
  readonly isFatal: boolean;
}

interface CheckRules {
  readonly isProduction: boolean;
  /** Strapi v4 ignores unknown keys. Those that resemble none of Mangrove's may be a project's own and are no mistake. */
  readonly isStrapiProject: boolean;
}

/** Returns every problem of a section. */
export const checkSection = (node: SettingNode, value: unknown, file: string, rules: CheckRules): readonly Finding[] =>
  check(node, value, [], rules).map((finding) => ({ ...finding, text: `${file}: ${finding.text}` }));

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

function unknownKey(node: GroupNode, path: readonly string[], { isStrapiProject, isProduction }: CheckRules): Finding {
  const known = Object.keys(node.settings);
  const key = path.at(-1) ?? '';
  if (isStrapiProject && nearestName(key, known) === null)
    return { text: `${path.join('.')} is no setting of Mangrove and ignored`, isFatal: false };
  const isFatal = isProduction || !isStrapiProject;
  const consequence = isFatal ? '' : ' is ignored, which production refuses';
  return { text: `unknown key ${path.join('.')}${consequence}${suggest(key, known)}`, isFatal };
}

/** Short secrets can be guessed. */
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

function checkSetting({ schema, variable }: Setting<unknown>, value: unknown, path: string): readonly string[] {
  ajv.validate(schema, value);
  const shown = /secret|uri|password|token|salt/i.test(path) ? '' : `, not ${show(value)}`;
  const source = variable === null ? '' : ` (environment variable ${variable})`;
  return (ajv.errors ?? []).map((error) => `${path}${placeIn(error)} ${messageOf(error)}${shown}${source}`);
}

const placeIn = ({ instancePath }: ErrorObject): string => instancePath.replaceAll('/', '.');

/** ajv types `params` by no keyword: `allowedValues` is what it documents for enum. */
const messageOf = ({ keyword, message = 'is not valid', params, parentSchema }: ErrorObject): string => {
  if (keyword === 'enum') return `must be one of ${(params as { allowedValues: readonly string[] }).allowedValues.join(', ')}`;
  const form: unknown = parentSchema?.['description'];
  return keyword === 'pattern' && typeof form === 'string' ? `must be ${form}` : message;
};

const show = (value: unknown): string => (typeof value === 'function' ? 'a function' : JSON.stringify(value));
