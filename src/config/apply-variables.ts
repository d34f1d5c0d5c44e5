import { lookUp, readers, type Variables } from './read-variable.js';
import { type Setting, type SettingNode, ConfigError, environmentOf, type ValueOf } from './setting.js';
import { readAddress } from './database-address.js';
import { valuesOf } from './translation.js';
import { checkSection } from './check-section.js';
import type { Config } from './config.js';
import { type SectionName, sectionNames, sections, type Sections } from './sections.js';
import { translateStrapi, type WrittenSections } from './translate-strapi.js';

/**
 * Returns the written value with environment variables applied, and a shorthand such as `graphql: false` expanded to `{ enabled
 * }`.
 */
function applyVariables(node: SettingNode, written: unknown, variables: Variables): unknown {
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

/** Converts a number that is written as a string, such as the result of `env('PORT', '1337')`. */
const spelt = ({ schema }: Setting<unknown>, written: unknown): unknown =>
  schema['type'] === 'integer' && typeof written === 'string' && /^\d+$/.test(written) ? Number(written) : written;

function variableOf({ variable, schema }: Setting<unknown>, variables: Variables): unknown {
  const value = variable === null ? undefined : lookUp(variables, variable);
  if (variable === null || value === undefined) return undefined;
  const type = String(schema.type);
  return type in readers ? readers[type as keyof typeof readers](variable, value) : value;
}

/** The inputs of a configuration besides the written files. */
interface ConfigPlace {
  /** Absolute path of the working directory. */
  readonly directory: string;
  /** Value of NODE_ENV. */
  readonly environment: string | undefined;
  /** Environment variables, which take precedence over the files. */
  readonly variables: Variables;
  /** Warnings from reading the files. */
  readonly warnings: readonly string[];
  /** Fatal errors from reading the files. */
  readonly problems?: readonly string[];
  /** Whether the directory is a Strapi project. Its unknown keys may belong to its own code. */
  readonly isStrapiProject: boolean;
  /** All settings; by default without those that features add. */
  readonly known?: Sections | undefined;
}

/**
 * Returns the complete configuration, checked, with defaults, and frozen. Translates settings of a Strapi project. Throws a
 * ConfigError that lists every problem.
 */
export function completeConfig(written: WrittenSections, place: ConfigPlace): Config {
  const environment = environmentOf(place.environment);
  const isStrapiProject = place.isStrapiProject || Array.isArray(written.middlewares.value);
  const { known = sections } = place;
  const translated = translateStrapi(written, isStrapiProject, known);
  const given = (name: SectionName): unknown => applyVariables(known[name], translated.sections[name].value, place.variables);
  const rules = { isProduction: environment === 'production', isStrapiProject };
  const findings = sectionNames.flatMap((name) => checkSection(known[name], given(name), written[name].file, rules));
  const address = addressOf(given('database'), written.database.file);
  refuse([...(place.problems ?? []), ...findings.filter(({ isFatal }) => isFatal).map(({ text }) => text), ...address.problems]);
  const warnings = [...place.warnings, ...translated.warnings, ...findings.map(({ text }) => text), ...address.warnings];
  // The known sections have at least the settings that `Config` is the type of.
  const complete = <Name extends SectionName>(name: Name) => fill(known[name], given(name)) as ValueOf<(typeof sections)[Name]>;
  const config: Config = {
    directory: place.directory,
    environment,
    environmentName: place.environment || 'development',
    warnings,
    server: complete('server'),
    database: { ...complete('database'), uri: address.uri },
    api: complete('api'),
    plugins: complete('plugins'),
    middlewares: complete('middlewares'),
    admin: complete('admin'),
  };
  refuse(checkTogether(config));
  return freezeDeep({ ...config, api: withAliases(config), warnings: [...new Set([...warnings, ...limitWarnings(config.api)])] });
}

/** Returns the address of the database, and lines about it. */
function addressOf(database: unknown, file: string) {
  const { uri } = valuesOf(database);
  if (typeof uri !== 'string') return { uri: null, problems: [], warnings: [] };
  const { problems, warnings, ...address } = readAddress(uri);
  const line = (text: string): string => `${file}: uri ${text} (environment variable MONGODB_URI)`;
  return { ...address, problems: problems.map(line), warnings: warnings.map(line) };
}

function limitWarnings({ rest: { defaultLimit, maxLimit } }: Config['api']): readonly string[] {
  if (maxLimit === null || defaultLimit <= maxLimit) return [];
  return ['api.rest.defaultLimit is greater than api.rest.maxLimit: lists without a page size in the request have more entries'];
}

/** Returns the API settings with the older name of a limit applied, from before REST and GraphQL shared limits. */
function withAliases({ api, plugins }: Config): Config['api'] {
  const { cost } = plugins.graphql.config.limits;
  return cost === null ? api : { ...api, limits: { ...api.limits, entriesRead: cost } };
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

/** Returns the complete value of a checked section, with defaults for missing values. */
function fill(node: SettingNode, given: unknown): unknown {
  if (node.kind === 'setting') return given === undefined ? node.default : given;
  const below = (name: string): unknown => (typeof given === 'object' && given !== null ? Reflect.get(given, name) : undefined);
  return Object.fromEntries(Object.entries(node.settings).map(([name, child]) => [name, fill(child, below(name))]));
}

/** Returns a line for each conflict between settings of different sections. */
function checkTogether({ api, plugins, middlewares }: Config): readonly string[] {
  const { cors, body } = middlewares;
  const graphql = plugins.graphql.config.endpoint;
  return [
    ...(cors.credentials && [cors.origin].flat().includes('*')
      ? ['middlewares.cors.credentials needs a list of origins, not *']
      : []),
    ...(graphql === api.rest.prefix ? ['plugins.graphql.config.endpoint is the same as api.rest.prefix'] : []),
    ...(body.jsonLimit > 16_777_216 ? ['middlewares.body.jsonLimit is over 16 MB, the largest document of MongoDB'] : []),
  ];
}

/** Freezes plain objects and lists recursively. Functions and instances of classes stay as they are. */
function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value;
  Object.values(value).forEach(freezeDeep);
  return Object.freeze(value);
}
