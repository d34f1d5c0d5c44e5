import { checkSection } from './check-section.js';
import { checkTogether } from './check-together.js';
import { ConfigError } from './config-error.js';
import type { Config } from './config.js';
import { fillDefaults } from './fill-defaults.js';
import { freezeDeep } from './freeze-deep.js';
import { sectionNames, sections } from './sections.js';

/** Any part of the configuration, for use from code. */
export type PartialConfig = {
  readonly [Name in keyof Config]?: Config[Name] extends object ? DeepPartial<Config[Name]> : Config[Name];
};

type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> }
    : Value;

/** The configuration of a server that is started from code: what is given, checked, and defaults for the rest. No file is read. */
export function completeConfig(given: PartialConfig): Config {
  const problems = sectionNames.flatMap((name) => checkSection(sections[name], given[name] ?? {}, `the ${name} configuration`));
  const config: Config = {
    directory: given.directory ?? process.cwd(),
    environment: given.environment ?? process.env['NODE_ENV'] ?? 'development',
    server: fillDefaults(sections.server, given.server),
    database: fillDefaults(sections.database, given.database),
    api: fillDefaults(sections.api, given.api),
    plugins: fillDefaults(sections.plugins, given.plugins),
    middlewares: fillDefaults(sections.middlewares, given.middlewares),
  };
  const all = problems.length > 0 ? problems : checkTogether(config);
  if (all.length > 0) throw new ConfigError(all.join('\n'));
  return freezeDeep(config);
}
