import { lookUp, readers } from './read-variable.js';
import type { Variables } from './read-variable.js';
import type { Setting, SettingNode } from './setting.js';

/** The written value with environment variables put over it, and switches (`graphql: false`) spelt out as `{ enabled }`. */
export function applyVariables(node: SettingNode, written: unknown, variables: Variables): unknown {
  if (node.kind === 'setting') return variableOf(node, variables) ?? spelt(node, written);
  const given = typeof written === 'boolean' && 'enabled' in node.settings ? { enabled: written } : (written ?? {});
  if (typeof given !== 'object' || Array.isArray(given)) return given;
  const over = Object.entries(node.settings).flatMap(([name, child]) => {
    const below: unknown = Reflect.get(given, name);
    const value = applyVariables(child, below, variables);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...given, ...Object.fromEntries(over) };
}

/** A number that is written as text, as `env('PORT', '1337')` gives it. */
const spelt = ({ schema }: Setting<unknown>, written: unknown): unknown =>
  schema['type'] === 'integer' && typeof written === 'string' && /^\d+$/.test(written) ? Number(written) : written;

function variableOf({ variable, schema }: Setting<unknown>, variables: Variables): unknown {
  const value = variable === null ? undefined : lookUp(variables, variable);
  if (variable === null || value === undefined) return undefined;
  const type = String(schema.type);
  return type in readers ? readers[type as keyof typeof readers](variable, value) : value;
}
