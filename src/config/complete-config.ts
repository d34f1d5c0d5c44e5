import { applyVariables } from './apply-variables.js';
import { checkSection } from './check-section.js';
import { checkTogether } from './check-together.js';
import { ConfigError } from './config-error.js';
import { environmentOf } from './environment.js';
import { fillDefaults } from './fill-defaults.js';
import { freezeDeep } from './freeze-deep.js';
import { sectionNames, sections } from './sections.js';
import type { Config } from './config.js';
import { translateStrapi, type WrittenSections } from './translate-strapi.js';
import type { Variables } from './read-variable.js';
import type { SectionName } from './sections.js';

/** What a configuration depends on besides what is written. */
export interface ConfigPlace {
  /** Absolute. */
  readonly directory: string;
  /** NODE_ENV. */
  readonly environment: string | undefined;
  /** These win over what is written. */
  readonly variables: Variables;
  /** What was already found to have no effect. */
  readonly warnings: readonly string[];
  /** The directory is a Strapi project's: keys that are like none of Mangrove's are its own. */
  readonly isStrapiProject: boolean;
}

/**
 * The whole configuration from what was written of it: checked, with defaults, frozen. What a Strapi project configures is brought to
 * Mangrove's settings. ConfigError lists all that is wrong.
 */
export function completeConfig(written: WrittenSections, place: ConfigPlace): Config {
  const environment = environmentOf(place.environment);
  const isStrapiProject = place.isStrapiProject || Array.isArray(written.middlewares.value);
  const translated = translateStrapi(written, isStrapiProject);
  const given = (name: SectionName): unknown => applyVariables(sections[name], translated.sections[name].value, place.variables);
  const rules = { isProduction: environment === 'production', isStrapiProject };
  const findings = sectionNames.flatMap((name) => checkSection(sections[name], given(name), written[name].file, rules));
  refuse(findings.filter(({ isFatal }) => isFatal).map(({ text }) => text));
  const warnings = [...place.warnings, ...translated.warnings, ...findings.map(({ text }) => text)];
  const config: Config = {
    directory: place.directory,
    environment,
    warnings: [...new Set(warnings)],
    server: fillDefaults(sections.server, given('server')),
    database: fillDefaults(sections.database, given('database')),
    api: fillDefaults(sections.api, given('api')),
    plugins: fillDefaults(sections.plugins, given('plugins')),
    middlewares: fillDefaults(sections.middlewares, given('middlewares')),
    admin: fillDefaults(sections.admin, given('admin')),
  };
  refuse(checkTogether(config));
  return freezeDeep({ ...config, api: withAliases(config) });
}

/** Limits that have another name from before GraphQL and REST had them in common. */
function withAliases({ api, plugins }: Config): Config['api'] {
  const { cost } = plugins.graphql.config.limits;
  return cost === null ? api : { ...api, limits: { ...api.limits, entriesRead: cost } };
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}
