import { Ajv } from 'ajv';
import type { ErrorObject } from 'ajv';
import { nearestName } from './nearest-name.js';
import type { JsonSchema, SettingNode } from './setting.js';

/** All that is wrong with a section, each as one line that starts with the file and names the key. */
export function checkSection(node: SettingNode, value: unknown, file: string): readonly string[] {
  const check = new Ajv({ allErrors: true, allowUnionTypes: true, verbose: true }).compile(schemaOf(node));
  check(value);
  return (check.errors ?? []).map((error) => `${file}: ${describe(node, error)}`);
}

function schemaOf(node: SettingNode): JsonSchema {
  if (node.kind === 'setting') return node.schema;
  const properties = Object.entries(node.settings).map(([name, child]) => [name, schemaOf(child)] as const);
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) };
}

function describe(node: SettingNode, { keyword, instancePath, message = 'is not valid', params, data }: ErrorObject): string {
  const path = instancePath.split('/').slice(1);
  // ajv types params by no keyword; this is what it documents for additionalProperties.
  if (keyword === 'additionalProperties')
    return unknownKey(node, path, String((params as { additionalProperty: unknown }).additionalProperty));
  const choices = keyword === 'enum' ? ` (${(params as { allowedValues: readonly unknown[] }).allowedValues.join(', ')})` : '';
  const { variable, secret } = aboutPath(node, path);
  const shown = secret ? '' : `, not ${String(JSON.stringify(data))}`;
  return `${path.join('.') || 'the export'} ${message}${choices}${shown}${variable ? ` (environment variable ${variable})` : ''}`;
}

function unknownKey(node: SettingNode, path: readonly string[], key: string): string {
  const holder = nodeAt(node, path);
  const known = holder?.kind === 'group' ? Object.keys(holder.settings) : [];
  const near = nearestName(key, known);
  return `unknown key ${[...path, key].join('.')}; ${near ? `did you mean ${near}?` : `known: ${known.join(', ')}`}`;
}

function aboutPath(node: SettingNode, path: readonly string[]): { readonly variable: string | null; readonly secret: boolean } {
  const found = nodeAt(node, path);
  return { variable: found?.kind === 'setting' ? found.variable : null, secret: /secret|uri|password/i.test(path.join('.')) };
}

function nodeAt(node: SettingNode, path: readonly string[]): SettingNode | undefined {
  const [name, ...rest] = path;
  if (name === undefined || node.kind === 'setting') return node;
  const child = node.settings[name];
  return child && nodeAt(child, rest);
}
