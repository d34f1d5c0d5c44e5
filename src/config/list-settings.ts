import { sectionNames, sections } from './sections.js';
import type { SettingNode } from './setting.js';

/** A row of the tables in docs/configuration.md. */
export interface SettingRow {
  /** With its section: `server.port`. */
  readonly key: string;
  readonly default: unknown;
  readonly variable: string | null;
  readonly about: string;
}

/** Every setting in the order of the files and of the tables in them. */
export const listSettings = (): readonly SettingRow[] => sectionNames.flatMap((name) => rowsOf(name, sections[name]));

function rowsOf(key: string, node: SettingNode): readonly SettingRow[] {
  if (node.kind === 'setting') return [{ key, default: node.default, variable: node.variable, about: node.about }];
  return Object.entries(node.settings).flatMap(([name, child]) => rowsOf(`${key}.${name}`, child));
}
