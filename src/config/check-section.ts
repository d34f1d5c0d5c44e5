import { Ajv } from 'ajv';
import type { ErrorObject } from 'ajv';
import { suggest } from '../nearest-name.js';
import type { GroupNode, Setting, SettingNode } from './setting.js';

// The schemas are our own: they need no check against the meta-schema. Only what is given is compiled: all of the settings take 60 ms.
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, meta: false, validateSchema: false });

/** All that is wrong with a section, each as one line that starts with the file and names the key. */
export const checkSection = (node: SettingNode, value: unknown, file: string): readonly string[] =>
  check(node, value, []).map((problem) => `${file}: ${problem}`);

function check(node: SettingNode, value: unknown, path: readonly string[]): readonly string[] {
  if (value === undefined) return [];
  if (node.kind === 'setting') return checkSetting(node, value, path.join('.'));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path.join('.') || 'the export'} must be object, not ${show(value)}`];
  return Object.entries(value).flatMap(([key, below]) => {
    const child = Object.hasOwn(node.settings, key) ? node.settings[key] : undefined;
    return child ? check(child, below, [...path, key]) : [unknownKey(node, path, key)];
  });
}

const unknownKey = (node: GroupNode, path: readonly string[], key: string): string =>
  `unknown key ${[...path, key].join('.')}${suggest(key, Object.keys(node.settings))}`;

function checkSetting({ schema, variable }: Setting<unknown>, value: unknown, path: string): readonly string[] {
  ajv.validate(schema, value);
  const shown = /secret|uri|password|token|salt/i.test(path) ? '' : `, not ${show(value)}`;
  const source = variable === null ? '' : ` (environment variable ${variable})`;
  return (ajv.errors ?? []).map((error) => `${path}${placeIn(error)} ${messageOf(error)}${shown}${source}`);
}

const placeIn = ({ instancePath }: ErrorObject): string => instancePath.replaceAll('/', '.');

/** ajv types `params` by no keyword: `allowedValues` is what it documents for enum. */
const messageOf = ({ keyword, message = 'is not valid', params }: ErrorObject): string =>
  keyword === 'enum' ? `must be one of ${(params as { allowedValues: readonly string[] }).allowedValues.join(', ')}` : message;

const show = (value: unknown): string => (typeof value === 'function' ? 'a function' : JSON.stringify(value));
