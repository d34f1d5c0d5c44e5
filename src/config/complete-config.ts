import { applyVariables } from './apply-variables.js';
import { checkSection } from './check-section.js';
import { checkTogether } from './check-together.js';
import { ConfigError } from './config-error.js';
import { environmentOf } from './environment.js';
import { fillDefaults } from './fill-defaults.js';
import { freezeDeep } from './freeze-deep.js';
import { sectionNames, sections } from './sections.js';
import type { Config } from './config.js';
import type { WrittenSection } from './read-section.js';
import type { Variables } from './read-variable.js';
import type { SectionName } from './sections.js';

/** What a configuration depends on besides what is written. */
export interface Surroundings {
  /** Absolute. */
  readonly directory: string;
  /** NODE_ENV. */
  readonly environment: string | undefined;
  /** These win over what is written. */
  readonly variables: Variables;
}

/** The whole configuration from what was written of it: checked, with defaults, frozen. ConfigError lists all that is wrong. */
export function completeConfig(
  written: Readonly<Record<SectionName, WrittenSection>>,
  { variables, ...place }: Surroundings,
): Config {
  const given = (name: SectionName): unknown => applyVariables(sections[name], written[name].value, variables);
  refuse(sectionNames.flatMap((name) => checkSection(sections[name], given(name), written[name].file)));
  const config: Config = {
    ...place,
    environment: environmentOf(place.environment),
    server: fillDefaults(sections.server, given('server')),
    database: fillDefaults(sections.database, given('database')),
    api: fillDefaults(sections.api, given('api')),
    plugins: fillDefaults(sections.plugins, given('plugins')),
    middlewares: fillDefaults(sections.middlewares, given('middlewares')),
    admin: fillDefaults(sections.admin, given('admin')),
  };
  refuse(checkTogether(config));
  return freezeDeep(config);
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}
