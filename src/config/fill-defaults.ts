import type { SettingNode, ValueOf } from './setting.js';

/** The complete value of a checked section: what was given, defaults for the rest. */
export function fillDefaults<N extends SettingNode>(node: N, given: unknown): ValueOf<N> {
  // The shape follows the node, which a recursion over unknown values cannot tell TypeScript.
  return fill(node, given) as ValueOf<N>;
}

function fill(node: SettingNode, given: unknown): unknown {
  if (node.kind === 'setting') return given === undefined ? node.default : given;
  const below = (name: string): unknown => (typeof given === 'object' && given !== null ? Reflect.get(given, name) : undefined);
  return Object.fromEntries(Object.entries(node.settings).map(([name, child]) => [name, fill(child, below(name))]));
}
